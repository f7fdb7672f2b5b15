"""Bayesian tests of a method against others over data sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlbench.comparisons.over_datasets import CommonMeans, common_means
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.number_text import NOTHING, counted
from mlbench.options import OverDatasets
from mlbench.report.tables.comparison_notes import ODD, SIGNIFICANT, notes_on_means
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.statistics import Regions, bayesian_sign, bayesian_signed_rank

TESTS: dict[OverDatasets, tuple[str, Callable[..., Regions]]] = {
    "bayesian_signed_rank": ("Bayesian signed-rank test", bayesian_signed_rank),
    "bayesian_sign": ("Bayesian sign test", bayesian_sign),
}


@dataclass(frozen=True)
class BayesianComparison:
    """A method against another one over all data sets, in one metric."""

    metric: MetricColumn
    against: str
    means: CommonMeans
    better: float
    same: float
    worse: float
    note: str


def bayesian_table(data: ReportData, comparison: Comparison, test: OverDatasets) -> Table:
    """Lay out how probable it is that a method is better, the same or worse over data sets."""
    title, judge = TESTS[test]
    metrics = data.settings.judged_metrics
    others = [name for name in comparison.others if name in data.methods]
    judged = [
        [_judged(data, comparison, metric, other, judge) for metric in metrics] for other in others
    ]
    flat = [each for row in judged for each in row]
    return Table(
        name=slug(f"{test}-{comparison.method}"),
        title=f"{comparison.method} against the others over data sets: {title}",
        corner=("Against",),
        columns=tuple(
            Column(word, group=metric.heading)
            for metric in metrics
            for word in ("Better", "Same", "Worse")
        ),
        rows=tuple(
            TableRow(
                (other,),
                tuple(cell for each in row for cell in _cells(each, comparison.alpha)),
            )
            for other, row in zip(others, judged, strict=True)
        ),
        bold_means=f"a probability above {1 - comparison.alpha:g}",
        bold_mark=SIGNIFICANT,
        notes=tuple(_notes(flat, comparison, title)),
        records=tuple(_record(each, comparison, test) for each in flat),
    )


def _judged(
    data: ReportData,
    comparison: Comparison,
    metric: MetricColumn,
    other: str,
    judge: Callable[..., Regions],
) -> BayesianComparison:
    pair = (comparison.method, other)
    means = common_means(data.results, pair, data.datasets, metric.name)
    a, b = np.array(means.rows).reshape(-1, 2).T
    found = judge(a, b, comparison.rope)
    better, worse = found.higher, found.lower
    if not metric.greater_is_better:
        better, worse = worse, better
    return BayesianComparison(metric, other, means, better, found.same, worse, found.note)


def _cells(judged: BayesianComparison, alpha: float) -> list[TableCell]:
    if judged.note:
        return [TableCell(NOTHING, marks=(ODD,))] * 3
    probabilities = (judged.better, judged.same, judged.worse)
    return [TableCell(f"{p:.3f}", bold=p > 1 - alpha) for p in probabilities]


def _notes(judged: list[BayesianComparison], comparison: Comparison, title: str) -> list[str]:
    counts = sorted({len(each.means.datasets) for each in judged})
    number = counted(counts[-1], "data set")
    number = number if len(counts) == 1 else f"{counts[0]} to {number}"
    rope = comparison.rope
    notes = [
        f"{title} on the means of {number}: the probability that, on another data set, "
        f"{comparison.method} is most likely better by more than {rope:g}, within {rope:g}, or "
        f"worse by more than {rope:g}."
    ]
    odd = dict.fromkeys(f"{e.metric.title}, {e.against}: {e.note}" for e in judged if e.note)
    if odd:
        notes.append(f"{ODD} {'; '.join(odd)}.")
    return notes + notes_on_means([(each.against, each.means) for each in judged])


def _record(
    judged: BayesianComparison, comparison: Comparison, test: OverDatasets
) -> dict[str, Scalar]:
    return {
        "metric": judged.metric.name,
        "method": comparison.method,
        "against": judged.against,
        "test": test,
        "rope": comparison.rope,
        "n_datasets": len(judged.means.datasets),
        "p_better": judged.better,
        "p_same": judged.same,
        "p_worse": judged.worse,
        "note": judged.note,
    }
