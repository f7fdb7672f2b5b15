"""The leaderboard: methods by their mean rank over data sets, or by their mean on one data set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mlbench.comparisons.over_datasets import common_means
from mlbench.comparisons.settings import MetricColumn
from mlbench.number_text import NOTHING, counted, listed
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.scores import goodness_of
from mlbench.report.tables.table import Column, Table, TableCell, TableRow
from mlbench.statistics import ranks_of


@dataclass(frozen=True)
class Standing:
    """A method in one metric, over the splits that all ranked methods share."""

    mean_rank: float
    """Over data sets; 1 is best."""
    n_best: int
    """Data sets on which no other method is better."""
    n_datasets: int
    """Data sets with a split that all ranked methods share."""
    mean: float
    """The mean score on the first of them."""


def leaderboard(data: ReportData) -> Table | None:
    """Return the methods, best first in the first metric; None if fewer than two can be ranked.

    A method without a score on some data set is not ranked and comes last.
    """
    metrics = data.settings.metrics
    standings = {metric.name: _standings(data, metric) for metric in metrics}
    first = standings[metrics[0].name]
    if len(first) < 2:
        return None
    single = len(data.datasets) == 1
    order = sorted(
        data.methods, key=lambda name: first[name].mean_rank if name in first else np.inf
    )
    ranks = [first[name].mean_rank for name in order if name in first]
    positions = [str(1 + sum(other < rank for other in ranks)) for rank in ranks]
    positions += [NOTHING] * (len(order) - len(ranks))
    by_column = [
        column
        for metric in metrics
        for column in _cells(data, metric, [standings[metric.name].get(name) for name in order])
    ]
    columns = [
        Column(
            title, metric.heading, title != "Mean rank" and (not single or metric.greater_is_better)
        )
        for metric in metrics
        for title in (("Mean",) if single else ("Mean rank", "Best on"))
    ]
    return Table(
        name="leaderboard",
        title="Leaderboard",
        corner=("Rank", "Method"),
        columns=tuple(columns),
        rows=tuple(
            TableRow((position, name), tuple(column[i] for column in by_column))
            for i, (position, name) in enumerate(zip(positions, order, strict=True))
        ),
        notes=(
            _note(metrics[0], 0 if single else first[order[0]].n_datasets),
            *_note_on_unranked([name for name in order if name not in first]),
        ),
    )


def _standings(data: ReportData, metric: MetricColumn) -> dict[str, Standing]:
    """Return the standings of methods that have scores on every data set with any scores."""
    scored = [
        dataset
        for dataset in data.datasets
        if any(data.results.scores(dataset, name, metric.name) for name in data.methods)
    ]
    ranked = [
        name
        for name in data.methods
        if scored and all(data.results.scores(each, name, metric.name) for each in scored)
    ]
    means = common_means(data.results, ranked, scored, metric.name) if ranked else None
    if means is None or not means.rows:
        return {}
    ranks = ranks_of(np.array(means.rows), metric.greater_is_better)
    best = ranks == ranks.min(axis=1, keepdims=True)
    return {
        name: Standing(
            mean_rank=float(ranks[:, i].mean()),
            n_best=int(best[:, i].sum()),
            n_datasets=len(means.rows),
            mean=means.rows[0][i],
        )
        for i, name in enumerate(ranked)
    }


def _cells(
    data: ReportData, metric: MetricColumn, standings: Sequence[Standing | None]
) -> list[list[TableCell]]:
    """Return the columns of a metric."""
    if len(data.datasets) == 1:
        means = [None if each is None else each.mean for each in standings]
        number = data.formats[metric.name].number
        return [_column(means, [NOTHING if m is None else number(m) for m in means], metric)]
    ranks = [None if each is None else each.mean_rank for each in standings]
    lower = replace(metric, greater_is_better=False)
    return [
        _column(ranks, [NOTHING if rank is None else f"{rank:.2f}" for rank in ranks], lower),
        [TableCell(NOTHING if each is None else str(each.n_best)) for each in standings],
    ]


def _column(
    values: Sequence[float | None], printed: Sequence[str], metric: MetricColumn
) -> list[TableCell]:
    goodness = goodness_of(values, metric.greater_is_better)
    return [
        TableCell(text, value=value, goodness=good)
        for text, value, good in zip(printed, values, goodness, strict=True)
    ]


def _note(metric: MetricColumn, n_datasets: int) -> str:
    if not n_datasets:
        return f"By {metric.title}: means over the splits that all ranked methods share."
    return (
        f"By the mean rank in {metric.title} over {counted(n_datasets, 'data set')}; 1 is best. "
        "Ranks compare means over the splits that all ranked methods share. They do not say how "
        "much better a method is, nor how certain that is; the verdict does."
    )


def _note_on_unranked(names: list[str]) -> list[str]:
    return [f"Not ranked for lack of a score on some data set: {listed(names)}."] if names else []
