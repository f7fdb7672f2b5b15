"""The tables of a comparison in wide form: one per test, as Ke et al. print them (V to VIII)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlbench.report.comparison import (
    FEWER,
    ODD,
    notes_on_oddities,
    notes_on_wilcoxon,
    opponents,
    records_of,
)
from mlbench.report.findings import TITLES, Finding, verdict
from mlbench.report.numbers import NOTHING, p_value
from mlbench.report.settings import Comparison, MetricColumn
from mlbench.report.table import Column, Table, TableCell, TableRow, slug

WIN, TIE, LOSS = "•", "=", "◦"
TOTALS = "win/tie/loss"


def wide_tables(
    findings: Sequence[Finding],
    comparison: Comparison,
    metrics: Sequence[MetricColumn],
    alpha: float,
) -> list[Table]:
    """Lay out the findings of one comparison, a row per method and a column per data set.

    Parameters
    ----------
    findings : sequence of Finding
        In all metrics and data sets.
    comparison : Comparison
    metrics : sequence of MetricColumn
        Groups of columns.
    alpha : float
        Level at which a p-value is a win or a loss.

    Returns
    -------
    list of Table
        One per test that was made anywhere. The last row counts wins, ties and losses.
    """
    tests = dict.fromkeys(test for finding in findings for test in finding.tests)
    return [_table(test, findings, comparison, metrics, alpha) for test in tests]


def _table(
    test: str,
    findings: Sequence[Finding],
    comparison: Comparison,
    metrics: Sequence[MetricColumn],
    alpha: float,
) -> Table:
    made = [finding for finding in findings if test in finding.tests]
    found = {(each.metric, each.dataset, each.against): each for each in made}
    datasets = list(dict.fromkeys(finding.dataset for finding in findings))
    others = list(dict.fromkeys(finding.against for finding in findings))
    places = [(metric, dataset) for metric in metrics for dataset in datasets]
    by_place = [
        [_cell(found.get((metric.name, dataset, other)), metric, test, alpha) for other in others]
        for metric, dataset in places
    ]
    rows = [
        TableRow((other,), tuple(column[i] for column in by_place))
        for i, other in enumerate(others)
    ]
    rows.append(TableRow((TOTALS,), tuple(_totals(column) for column in by_place)))
    corrected = comparison.correction == "holm" and opponents(comparison) > 1
    return Table(
        name=slug(f"compare-{comparison.method}-{test}"),
        title=f"{TITLES[test]}: {comparison.method} against the others",
        corner=("Against",),
        columns=tuple(Column(dataset, group=metric.heading) for metric, dataset in places),
        rows=tuple(rows),
        bold_means=f"significant at {alpha:g}" + (" after Holm's correction" if corrected else ""),
        notes=tuple(_notes(test, made, comparison, alpha, corrected)),
        records=tuple(r for each in made for r in records_of(each) if r["test"] == test),
    )


def _cell(finding: Finding | None, metric: MetricColumn, test: str, alpha: float) -> TableCell:
    if finding is None or math.isnan(finding.adjusted[test]):
        odd = finding is not None and finding.tests[test].note
        return TableCell(NOTHING, marks=(ODD,) if odd else ())
    sign = verdict(finding, metric, alpha, test)
    marks = [(TIE, WIN, LOSS)[sign]]
    marks += [FEWER] if finding.tests[test].n < finding.n_splits else []
    marks += [ODD] if finding.tests[test].note else []
    return TableCell(p_value(finding.adjusted[test]), bold=sign != 0, marks=tuple(marks))


def _totals(column: Sequence[TableCell]) -> TableCell:
    counts = [sum(mark in cell.marks for cell in column) for mark in (WIN, TIE, LOSS)]
    return TableCell("/".join(map(str, counts)))


def _notes(
    test: str, findings: Sequence[Finding], comparison: Comparison, alpha: float, corrected: bool
) -> list[str]:
    holm = f", corrected by Holm for {opponents(comparison)} methods on one data set"
    notes = [
        f"p-values, two-sided{holm if corrected else ''}. {WIN} / {TIE} / {LOSS}: "
        f"{comparison.method} is significantly better than the method of the row / neither / "
        f"significantly worse at {alpha:g}."
    ]
    if test == "t":
        notes.append(
            "Splits share samples, which this test ignores: believe the corrected t-test (Nadeau "
            "and Bengio)."
        )
    if test == "wilcoxon":
        notes += notes_on_wilcoxon(findings, comparison)
    return notes + notes_on_oddities(findings, [test])
