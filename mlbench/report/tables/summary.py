"""The tables of an experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import pandas as pd

from mlbench.errors import MlbenchError
from mlbench.report.numbers import ScoreFormat, score_format
from mlbench.report.results import Results
from mlbench.report.settings import Comparison, MetricColumn, ReportSettings
from mlbench.report.tables.comparison import comparison_table
from mlbench.report.tables.comparison_notes import opponents
from mlbench.report.tables.mean_ranks import rank_table
from mlbench.report.tables.pairwise_tests import Finding, compare
from mlbench.report.tables.scores import Place, score_table
from mlbench.report.tables.table import Column, Table, slug, transposed
from mlbench.report.tables.wide_comparison import wide_tables
from mlbench.report.tables.wide_effects import wide_effects
from mlbench.report.tables.win_tie_loss import wins_table
from mlbench.spelling import did_you_mean

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
                    metric.greater_is_better,
                    settings.alpha,
                )
            ],
        )
        for comparison in settings.comparisons
    ]
    tables = [
        replace(table, notes=(*table.notes, *notes))
        for table in _score_tables(results, methods, datasets, settings, formats, found)
    ]
    for is_wide, group in groupby(found, key=lambda pair: pair[0].layout == "wide"):
        together = list(group)
        if is_wide:
            tables += wide_tables(together, settings.metrics, settings.alpha)
            tables += wide_effects(together, settings.metrics, formats, settings.alpha)
        for comparison, findings in together:
            if not is_wide:
                tables += _long_tables(comparison, findings, settings, formats)
            tables += _tables_over_datasets(results, comparison, findings, datasets, settings)
    return _with_distinct_names(tables)


def _long_tables(
    comparison: Comparison,
    findings: Sequence[Finding],
    settings: ReportSettings,
    formats: Mapping[str, ScoreFormat],
) -> list[Table]:
    by_metric = [(m, [f for f in findings if f.metric == m.name]) for m in settings.metrics]
    return [
        comparison_table(here, comparison, metric, formats[metric.name], settings.alpha)
        for metric, here in by_metric
        if here
    ]


def _tables_over_datasets(
    results: Results,
    comparison: Comparison,
    findings: Sequence[Finding],
    datasets: Sequence[str],
    settings: ReportSettings,
) -> list[Table]:
    metrics, alpha, tables = settings.metrics, settings.alpha, []
    if "friedman" in comparison.over_datasets:
        tables += [rank_table(results, comparison, datasets, m, alpha) for m in metrics]
    if "win_tie_loss" in comparison.over_datasets and opponents(comparison):
        tables.append(wins_table(results, comparison, datasets, metrics, findings, alpha))
    return tables


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
            raise MlbenchError(
                f"the results hold no metric {metric.name!r}{hint}; where predictions were kept, "
                "`mlbench rescore` computes it"
            )


def _with_distinct_names(tables: list[Table]) -> list[Table]:
    seen: Counter[str] = Counter()
    distinct = []
    for table in tables:
        seen[table.name] += 1
        number = seen[table.name]
        distinct.append(table if number == 1 else replace(table, name=f"{table.name}-{number}"))
    return distinct
