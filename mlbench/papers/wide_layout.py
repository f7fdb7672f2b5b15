"""Comparisons in wide form: a table per test or effect size, as in Ke et al., tables V to VIII."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat

from mlbench.comparisons.pairwise_tests import TITLES, Finding
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.number_text import NOTHING, ScoreFormat, listed, p_value
from mlbench.report.tables.comparison import records_of
from mlbench.report.tables.comparison_notes import (
    FEWER,
    ODD,
    RANK_TESTS,
    SIGNIFICANT,
    levels,
    meaning_of_bold,
    notes_on_jackknife,
    notes_on_oddities,
    notes_on_wilcoxon,
)
from mlbench.report.tables.effect_sizes import (
    effect_cell,
    effect_heading,
    effect_records,
    interval,
    notes_on_effects,
)
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow, slug
from mlbench.report.tables.win_tie_loss import LOSS, TIE, WIN, win_tie_loss_counts
from mlbench.statistics.compare import OPTIMISTIC, decided

TOTALS = "win/tie/loss"

Found = Sequence[tuple[Comparison, Sequence[Finding]]]
CellOf = Callable[[Finding | None, MetricColumn, Comparison], TableCell]


@dataclass(frozen=True)
class WideGrid:
    """Rows for pairs of methods and columns for metrics and data sets."""

    pairs: Sequence[tuple[Comparison, str]]
    """A comparison and one of the methods it compares with."""
    columns: Sequence[tuple[MetricColumn, str]]
    findings: Found

    @classmethod
    def of(
        cls, found: Found, metrics: Sequence[MetricColumn], wanted: Callable[[Finding], bool]
    ) -> WideGrid:
        """Lay out the wanted findings, on the data sets of all findings."""
        datasets = dict.fromkeys(finding.dataset for _, each in found for finding in each)
        chosen = [(comparison, [f for f in each if wanted(f)]) for comparison, each in found]
        kept = [(comparison, each) for comparison, each in chosen if each]
        return cls(
            pairs=[
                (comparison, other)
                for comparison, each in kept
                for other in dict.fromkeys(finding.against for finding in each)
            ],
            columns=[(metric, dataset) for metric in metrics for dataset in datasets],
            findings=kept,
        )

    @property
    def alphas(self) -> list[float]:
        """The levels of the comparisons."""
        return [comparison.alpha for comparison, _ in self.findings]

    def row(self, pair: tuple[Comparison, str]) -> list[Finding | None]:
        """Return the finding of a pair in each column."""
        found = {
            (finding.metric, finding.dataset): finding
            for comparison, findings in self.findings
            for finding in findings
            if comparison is pair[0] and finding.against == pair[1]
        }
        return [found.get((metric.name, dataset)) for metric, dataset in self.columns]

    @property
    def single(self) -> bool:
        """Whether all rows belong to one comparison, whose method the title then names."""
        return len(self.findings) == 1

    @property
    def subject(self) -> str:
        """Who wins and loses."""
        return self.findings[0][0].method if self.single else "the first method of the row"

    @property
    def corner(self) -> tuple[str, ...]:
        """Headings of the label columns."""
        return ("Against",) if self.single else ("Method", "Against")

    @property
    def every(self) -> list[Finding]:
        """All findings."""
        return [finding for _, findings in self.findings for finding in findings]

    def table(self, name: str, title: str, cell: CellOf, totals: Sequence[TableRow] = ()) -> Table:
        """Return a table with a cell for each finding, without bold cells, notes and records."""
        metrics = [metric for metric, _ in self.columns]
        rows = [
            TableRow(
                (other,) if self.single else (comparison.method, other),
                tuple(map(cell, self.row((comparison, other)), metrics, repeat(comparison))),
            )
            for comparison, other in self.pairs
        ]
        subject, whom = (
            (self.subject, f"{self.subject} against the others")
            if self.single
            else ("pairs", "pairs of methods")
        )
        return Table(
            name=slug(f"compare-{subject}-{name}"),
            title=f"{title}: {whom}",
            corner=self.corner,
            columns=tuple(Column(dataset, group=m.heading) for m, dataset in self.columns),
            rows=tuple(map(self._sourced, (*rows, *totals))),
        )

    def _sourced(self, row: TableRow) -> TableRow:
        """Link each cell of a row to the scores it was computed from."""
        pairs = zip(row.cells, self.columns, strict=True)
        sources = [(cell, Source(dataset, metric.name)) for cell, (metric, dataset) in pairs]
        return replace(row, cells=tuple(replace(cell, source=each) for cell, each in sources))


def wide_tables(
    found: Found, metrics: Sequence[MetricColumn], formats: Mapping[str, ScoreFormat]
) -> list[Table]:
    """Return a table per test and per effect size.

    A row is a pair of methods, and a column a data set. The last row counts wins, ties and losses.
    If p-values are corrected for the number of methods, there is such a row for plain and for
    corrected p-values. `formats`, by metric, are for differences.
    """
    findings = [finding for _, each in found for finding in each]
    tests = dict.fromkeys(name for finding in findings for name in finding.tests)
    effects = dict.fromkeys(name for finding in findings for name in finding.effects)
    return [
        *(_test_table(test, found, metrics) for test in tests),
        *(_effect_table(effect, found, metrics, formats) for effect in effects),
    ]


def _test_table(test: str, found: Found, metrics: Sequence[MetricColumn]) -> Table:
    grid = WideGrid.of(found, metrics, lambda finding: test in finding.tests)
    corrected = any(comparison.is_corrected for comparison, _ in grid.findings)
    columns = zip(*(grid.row(pair) for pair in grid.pairs), strict=True)
    by_column = [(m, column) for (m, _), column in zip(grid.columns, columns, strict=True)]
    plain = [_plain_totals(column, metric, test) for metric, column in by_column]
    final = [_totals(column, metric, test) for metric, column in by_column]
    kinds = {f"{TOTALS}, plain": plain, f"{TOTALS}, Holm": final} if corrected else {TOTALS: plain}
    filler = ("",) * (len(grid.corner) - 1)
    totals = [TableRow((kind, *filler), tuple(cells), True) for kind, cells in kinds.items()]
    return replace(
        grid.table(test, TITLES[test], partial(_test_cell, test), totals),
        bold_means=meaning_of_bold(corrected, *grid.alphas),
        bold_mark=SIGNIFICANT,
        notes=tuple(_notes(test, grid, corrected)),
        records=tuple(
            record
            for finding in grid.every
            for record in records_of(finding)
            if record.get("test") == test
        ),
    )


def _test_cell(
    test: str, finding: Finding | None, metric: MetricColumn, comparison: Comparison
) -> TableCell:
    if finding is None:
        return TableCell(NOTHING, marks=(ODD,))
    fewer = [FEWER] if finding.tests[test].n < finding.n_splits else []
    if math.isnan(finding.adjusted[test]):
        return TableCell(NOTHING, marks=(*fewer, ODD))
    sign = finding.decision(test)
    marks = [(TIE, WIN, LOSS)[sign], *fewer]
    marks += [ODD] if finding.tests[test].note else []
    final = p_value(finding.adjusted[test])
    printed = (
        f"{p_value(finding.tests[test].p_value)} / {final}" if comparison.is_corrected else final
    )
    return TableCell(printed, bold=sign != 0, marks=tuple(marks))


def _totals(column: Sequence[Finding | None], metric: MetricColumn, test: str) -> TableCell:
    made = [each for each in column if each and not math.isnan(each.adjusted[test])]
    return TableCell(win_tie_loss_counts([each.decision(test) for each in made]))


def _plain_totals(column: Sequence[Finding | None], metric: MetricColumn, test: str) -> TableCell:
    results = [(each.tests[test], each.alpha) for each in column if each]
    better = metric.greater_is_better
    return TableCell(
        win_tie_loss_counts(
            [
                decided(result.p_value, result.direction, better, alpha)
                for result, alpha in results
                if not math.isnan(result.p_value)
            ]
        )
    )


def _notes(test: str, grid: WideGrid, corrected: bool) -> list[str]:
    numbers = sorted({len(comparison.others) for comparison, _ in grid.findings})
    holm = f": plain / corrected by Holm for {' or '.join(map(str, numbers))} methods"
    other = "the method of the row" if grid.single else "the second"
    notes = [
        f"p-values, two-sided{f'{holm} on one data set' if corrected else ''}. "
        f"{WIN} / {TIE} / {LOSS}: {grid.subject} is significantly better than {other} / neither / "
        f"significantly worse at {levels(grid.alphas)}{' after correction' if corrected else ''}."
    ]
    if test in OPTIMISTIC:
        notes.append(
            "Splits share samples, which this test ignores: decide by the corrected t-test (Nadeau "
            "and Bengio)."
        )
    if test == "two_sample_t":
        notes.append("It also ignores that scores come in pairs.")
    if test in RANK_TESTS:
        notes += dict.fromkeys(
            note
            for comparison, findings in grid.findings
            for note in notes_on_wilcoxon([f.tests[test] for f in findings], comparison.n_corrected)
        )
    tested = {finding.dataset for finding in grid.every}
    lacking = [name for name in dict.fromkeys(d for _, d in grid.columns) if name not in tested]
    if lacking and test != "jackknife_t":
        notes.append(
            f"{ODD} No {TITLES[test]} on {listed(lacking)}: the sizes of the splits are not known."
        )
    if test == "corrected_t":
        for comparison, findings in grid.findings:
            notes += notes_on_jackknife(findings, comparison)
    return notes + notes_on_oddities(grid.every, [test])


def _effect_table(
    effect: str,
    found: Found,
    metrics: Sequence[MetricColumn],
    formats: Mapping[str, ScoreFormat],
) -> Table:
    grid = WideGrid.of(found, metrics, lambda finding: effect in finding.effects)
    return replace(
        grid.table(
            effect, _effect_title(effect, grid.alphas), partial(_effect_cell, effect, formats)
        ),
        notes=(
            *_note_on_direction(effect, grid, metrics),
            *notes_on_effects(
                [effect],
                grid.subject,
                [each.rope for each, _ in found],
                grid.alphas,
                [name for finding in grid.every for name in finding.tests],
            ),
            *notes_on_oddities(grid.every, [], [effect]),
        ),
        records=tuple(
            record
            for finding in grid.every
            for record in effect_records(finding)
            if record["effect"] == effect
        ),
    )


def _effect_title(effect: str, alphas: Sequence[float]) -> str:
    heading = effect_heading(effect, *alphas)
    return f"Difference with {heading}" if effect == "difference" else heading


def _effect_cell(
    effect: str,
    formats: Mapping[str, ScoreFormat],
    finding: Finding | None,
    metric: MetricColumn,
    _: Comparison,
) -> TableCell:
    if finding is None:
        return TableCell(NOTHING, marks=(ODD,))
    found, style = finding.effects[effect], formats[metric.name]
    cell = effect_cell(found, style)
    if effect == "difference" and found.n:
        cell = replace(cell, printed=f"{style.signed(found.value)} ({interval(found, style)})")
    return cell.marked(FEWER) if found.n < finding.n_splits else cell


def _note_on_direction(effect: str, grid: WideGrid, metrics: Sequence[MetricColumn]) -> list[str]:
    if effect not in ("difference", "cohen_d"):
        return []
    less = [metric.title for metric in metrics if not metric.greater_is_better]
    but = f", in {listed(less)} negative" if less else ""
    subject = grid.subject if grid.single else grid.subject.capitalize()
    return [f"{subject} minus the other: positive favors it{but}."]
