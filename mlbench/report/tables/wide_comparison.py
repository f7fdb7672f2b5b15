"""The tables of comparisons in wide form: one per test, as Ke et al. print them (V to VIII)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mlbench.report.numbers import NOTHING, listed, p_value
from mlbench.report.settings import Comparison, MetricColumn
from mlbench.report.tables.comparison import records_of
from mlbench.report.tables.comparison_notes import (
    FEWER,
    ODD,
    RANK_TESTS,
    is_corrected,
    notes_on_oddities,
    notes_on_wilcoxon,
    opponents,
)
from mlbench.report.tables.pairwise_tests import OPTIMISTIC, TITLES, Finding, decided, verdict
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow, slug

WIN, TIE, LOSS = "•", "=", "◦"
TOTALS = "win/tie/loss"

Found = Sequence[tuple[Comparison, Sequence[Finding]]]


@dataclass(frozen=True)
class Grid:
    """Rows and columns that tests and effect sizes share: pairs of methods, and places.

    Attributes
    ----------
    pairs : sequence of (Comparison, str)
        A comparison and one of the methods it compares with.
    places : sequence of (MetricColumn, str)
        A metric and a data set.
    findings : Found
        What was found, by comparison.
    """

    pairs: Sequence[tuple[Comparison, str]]
    places: Sequence[tuple[MetricColumn, str]]
    findings: Found

    @classmethod
    def of(
        cls, found: Found, metrics: Sequence[MetricColumn], wanted: Callable[[Finding], bool]
    ) -> Grid:
        """Lay out the findings that are wanted, on all data sets of any."""
        datasets = dict.fromkeys(finding.dataset for _, each in found for finding in each)
        chosen = [(comparison, [f for f in each if wanted(f)]) for comparison, each in found]
        kept = [(comparison, each) for comparison, each in chosen if each]
        return cls(
            pairs=[
                (comparison, other)
                for comparison, each in kept
                for other in dict.fromkeys(finding.against for finding in each)
            ],
            places=[(metric, dataset) for metric in metrics for dataset in datasets],
            findings=kept,
        )

    def row(self, pair: tuple[Comparison, str]) -> list[Finding | None]:
        """Return what was found of a pair, place by place."""
        own = {
            (finding.metric, finding.dataset): finding
            for comparison, findings in self.findings
            for finding in findings
            if comparison is pair[0] and finding.against == pair[1]
        }
        return [own.get((metric.name, dataset)) for metric, dataset in self.places]

    @property
    def single(self) -> bool:
        """Whether all rows belong to one comparison, which the title then names."""
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
    def columns(self) -> tuple[Column, ...]:
        """Data sets under metrics."""
        return tuple(Column(dataset, group=metric.heading) for metric, dataset in self.places)

    def labels(self, comparison: Comparison, other: str) -> tuple[str, ...]:
        """Return the headings of a row."""
        return (other,) if self.single else (comparison.method, other)

    def title(self, what: str) -> str:
        """Return a table's title."""
        against = "against the others"
        return f"{what}: {self.subject} {against}" if self.single else f"{what}: pairs of methods"

    def name(self, what: str) -> str:
        """Return a table's name."""
        return slug(f"compare-{self.subject if self.single else 'pairs'}-{what}")

    def sourced(self, labels: tuple[str, ...], cells: Sequence[TableCell]) -> TableRow:
        """Return a row whose entries lead to their scores."""
        pairs = zip(cells, self.places, strict=True)
        return TableRow(
            labels,
            tuple(replace(c, source=Source(dataset, m.name)) for c, (m, dataset) in pairs),
        )


def wide_tables(found: Found, metrics: Sequence[MetricColumn], alpha: float) -> list[Table]:
    """Lay out comparisons, a row per pair of methods and a column per data set.

    Parameters
    ----------
    found : sequence of (Comparison, findings)
        Of one comparison or of several that stand together, in all metrics and data sets.
    metrics : sequence of MetricColumn
        Groups of columns.
    alpha : float
        Level at which a p-value is a win or a loss.

    Returns
    -------
    list of Table
        One per test that was made anywhere. The last row counts wins, ties and losses; where
        p-values are corrected for the number of methods, there is one row for each kind.
    """
    tests = dict.fromkeys(name for _, each in found for finding in each for name in finding.tests)
    return [_table(test, Grid.of(found, metrics, partial(_has, test)), alpha) for test in tests]


def _has(test: str, finding: Finding) -> bool:
    return test in finding.tests


def _table(test: str, grid: Grid, alpha: float) -> Table:
    corrected = any(is_corrected(comparison) for comparison, _ in grid.findings)
    metrics = [metric for metric, _ in grid.places]
    by_pair = [grid.row(pair) for pair in grid.pairs]
    rows = [
        grid.sourced(
            grid.labels(comparison, other),
            [
                _cell(finding, metric, test, alpha, is_corrected(comparison))
                for finding, metric in zip(found, metrics, strict=True)
            ],
        )
        for (comparison, other), found in zip(grid.pairs, by_pair, strict=True)
    ]
    by_place = list(zip(metrics, zip(*by_pair, strict=True), strict=True))
    plain = [_plain_totals(column, metric, test, alpha) for metric, column in by_place]
    final = [_totals(column, metric, test, alpha) for metric, column in by_place]
    kinds = {f"{TOTALS}, plain": plain, f"{TOTALS}, Holm": final} if corrected else {TOTALS: plain}
    filler = ("",) * (len(grid.corner) - 1)
    totals = [grid.sourced((kind, *filler), cells) for kind, cells in kinds.items()]
    rows += [replace(row, is_total=True) for row in totals]
    return Table(
        name=grid.name(test),
        title=grid.title(TITLES[test]),
        corner=grid.corner,
        columns=grid.columns,
        rows=tuple(rows),
        bold_means=f"significant at {alpha:g}" + (" after Holm's correction" if corrected else ""),
        notes=tuple(_notes(test, grid, alpha, corrected)),
        records=tuple(
            record
            for _, findings in grid.findings
            for finding in findings
            for record in records_of(finding)
            if record.get("test") == test
        ),
    )


def _cell(
    finding: Finding | None, metric: MetricColumn, test: str, alpha: float, corrected: bool
) -> TableCell:
    if finding is None or math.isnan(finding.adjusted[test]):
        return TableCell(NOTHING, marks=(ODD,))
    sign = verdict(finding, metric, alpha, test)
    marks = [(TIE, WIN, LOSS)[sign]]
    marks += [FEWER] if finding.tests[test].n < finding.n_splits else []
    marks += [ODD] if finding.tests[test].note else []
    final = p_value(finding.adjusted[test])
    printed = f"{p_value(finding.tests[test].p_value)} / {final}" if corrected else final
    return TableCell(printed, bold=sign != 0, marks=tuple(marks))


def _totals(
    column: Sequence[Finding | None], metric: MetricColumn, test: str, alpha: float
) -> TableCell:
    made = [each for each in column if each and not math.isnan(each.adjusted[test])]
    return TableCell(counts([verdict(each, metric, alpha, test) for each in made]))


def _plain_totals(
    column: Sequence[Finding | None], metric: MetricColumn, test: str, alpha: float
) -> TableCell:
    results = [each.tests[test] for each in column if each]
    made = [result for result in results if not math.isnan(result.p_value)]
    return TableCell(counts([decided(r.p_value, r.direction, metric, alpha) for r in made]))


def counts(signs: Sequence[int]) -> str:
    """Return ``wins/ties/losses``."""
    return "/".join(str(signs.count(sign)) for sign in (1, 0, -1))


def _notes(test: str, grid: Grid, alpha: float, corrected: bool) -> list[str]:
    numbers = sorted({opponents(comparison) for comparison, _ in grid.findings})
    holm = f": plain / corrected by Holm for {' or '.join(map(str, numbers))} methods"
    other = "the method of the row" if grid.single else "the second"
    notes = [
        f"p-values, two-sided{f'{holm} on one data set' if corrected else ''}. "
        f"{WIN} / {TIE} / {LOSS}: {grid.subject} is significantly better than {other} / neither / "
        f"significantly worse at {alpha:g}{' after correction' if corrected else ''}."
    ]
    if test in OPTIMISTIC:
        notes.append(
            "Splits share samples, which this test ignores: believe the corrected t-test (Nadeau "
            "and Bengio)."
        )
    if test == "two_sample_t":
        notes.append("It also ignores that scores come in pairs.")
    if test in RANK_TESTS:
        notes += dict.fromkeys(
            note
            for comparison, findings in grid.findings
            for note in notes_on_wilcoxon(findings, comparison, test)
        )
    every = [finding for _, findings in grid.findings for finding in findings]
    tested = {finding.dataset for finding in every}
    lacking = [name for name in dict.fromkeys(d for _, d in grid.places) if name not in tested]
    if lacking:
        notes.append(
            f"{ODD} No {TITLES[test]} on {listed(lacking)}: the sizes of the splits are not known."
        )
    return notes + notes_on_oddities(every, [test])
