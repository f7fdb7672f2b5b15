"""The tables of an experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from mlbench.errors import MlbenchError
from mlbench.names import did_you_mean
from mlbench.report.comparison import comparison_table
from mlbench.report.findings import Finding, compare
from mlbench.report.numbers import ScoreFormat, score_format
from mlbench.report.results import Results
from mlbench.report.scores import Place, score_table
from mlbench.report.settings import Comparison, MetricColumn, ReportSettings
from mlbench.report.table import Column, Table, slug, transposed
from mlbench.report.wide_comparison import wide_tables

MANY_DATASETS = 5
WIDE_TABLE = 6

Found = Sequence[tuple[Comparison, Sequence[Finding]]]


def experiment_tables(
    values: pd.DataFrame,
    statuses: pd.DataFrame,
    settings: ReportSettings,
    notes: Sequence[str] = (),
) -> list[Table]:
    """Return the tables of an experiment: scores first, then one per comparison and metric.

    A few data sets and metrics stand in one table, data set over metric; otherwise there is one
    table per metric. A single metric on many data sets has its data sets in rows.

    Parameters
    ----------
    values : DataFrame
        Columns dataset, method, split, metric, value.
    statuses : DataFrame
        Columns dataset, method, split, status ("ok" or a kind of failure). A split without a
        line counts as missing.
    settings : ReportSettings
        What to show.
    notes : sequence of str
        More notes for the tables of scores.

    Raises
    ------
    mlbench.errors.MlbenchError
        When the frames or the settings do not fit together.
    """
    results = Results(values, statuses, settings.n_splits)
    methods = settings.methods or results.methods
    datasets = settings.datasets or results.datasets
    _check_methods(settings.comparisons, methods)
    _check_metrics(settings.metrics, results)
    formats = {
        metric.name: score_format(metric, settings.percent, settings.decimals)
        for metric in settings.metrics
    }
    found = [
        (
            comparison,
            [
                finding
                for metric in settings.metrics
                for dataset in datasets
                for finding in compare(
                    results,
                    comparison,
                    dataset,
                    metric.name,
                    settings.test_train_ratio.get(dataset),
                )
            ],
        )
        for comparison in settings.comparisons
    ]
    tables = [
        replace(table, notes=(*table.notes, *notes))
        for table in _score_tables(results, methods, datasets, settings, formats, found)
    ]
    for comparison, findings in found:
        if comparison.layout == "wide":
            tables += wide_tables(findings, comparison, settings.metrics, settings.alpha)
            continue
        for metric in settings.metrics:
            here = [finding for finding in findings if finding.metric == metric.name]
            if here:
                style = formats[metric.name]
                tables.append(comparison_table(here, comparison, metric, style, settings.alpha))
    return _with_distinct_names(tables)


def _score_tables(
    results: Results,
    methods: Sequence[str],
    datasets: Sequence[str],
    settings: ReportSettings,
    formats: dict[str, ScoreFormat],
    found: Found,
) -> list[Table]:
    metrics = settings.metrics

    def build(places: list[Place], columns: list[Column], name: str, title: str) -> Table:
        return score_table(
            results, methods, places, columns, name, title, comparisons=found, alpha=settings.alpha
        )

    def place(dataset: str, metric: MetricColumn) -> Place:
        return Place(dataset, metric, formats[metric.name])

    if len(datasets) == 1:
        places = [place(datasets[0], metric) for metric in metrics]
        columns = [Column(metric.heading) for metric in metrics]
        return [build(places, columns, "scores", f"Scores on {datasets[0]}")]
    if len(metrics) > 1 and len(datasets) * len(metrics) <= WIDE_TABLE:
        pairs = [(dataset, metric) for dataset in datasets for metric in metrics]
        columns = [Column(metric.heading, group=dataset) for dataset, metric in pairs]
        return [build([place(*pair) for pair in pairs], columns, "scores", "Scores")]
    tables = []
    for metric in metrics:
        places = [place(dataset, metric) for dataset in datasets]
        columns = [Column(dataset) for dataset in datasets]
        table = build(places, columns, slug(f"scores-{metric.name}"), metric.heading)
        tall = len(datasets) > max(MANY_DATASETS, len(methods))
        tables.append(transposed(table, corner="Data set") if tall else table)
    return tables


def _check_methods(comparisons: Sequence[Comparison], methods: Sequence[str]) -> None:
    for comparison in comparisons:
        for name in (comparison.method, *comparison.against):
            if name not in methods:
                hint = did_you_mean(name, methods)
                raise MlbenchError(
                    f"a comparison names the method {name!r}, which is not in the results{hint}"
                )


def _check_metrics(metrics: Sequence[MetricColumn], results: Results) -> None:
    for metric in metrics:
        if results.metrics and metric.name not in results.metrics:
            hint = did_you_mean(metric.name, results.metrics)
            raise MlbenchError(f"the results hold no metric {metric.name!r}{hint}")


def _with_distinct_names(tables: list[Table]) -> list[Table]:
    seen: Counter[str] = Counter()
    distinct = []
    for table in tables:
        seen[table.name] += 1
        number = seen[table.name]
        distinct.append(table if number == 1 else replace(table, name=f"{table.name}-{number}"))
    return distinct
