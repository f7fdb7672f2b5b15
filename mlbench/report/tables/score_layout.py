"""How scores are arranged in tables."""

from __future__ import annotations

from dataclasses import replace

from mlbench.report.settings import MetricColumn
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.scores import Place, score_table
from mlbench.report.tables.table import Column, Table, slug, transposed

MANY_DATASETS = 5
WIDE_TABLE = 6


def score_tables(data: ReportData) -> list[Table]:
    """Return the tables of scores.

    A few data sets and metrics share one table, grouped by data set; otherwise there is one table
    per metric. A single metric on many data sets has its data sets in rows.
    """
    return [replace(table, notes=(*table.notes, *data.notes)) for table in _laid_out(data)]


def _laid_out(data: ReportData) -> list[Table]:
    datasets, metrics = data.datasets, data.settings.metrics

    def place(dataset: str, metric: MetricColumn) -> Place:
        return Place(dataset, metric, data.formats[metric.name])

    if len(datasets) == 1:
        places = [place(datasets[0], metric) for metric in metrics]
        columns = [_column(metric.heading, metric) for metric in metrics]
        return [score_table(data, places, columns, "scores", f"Scores on {datasets[0]}")]
    if len(metrics) > 1 and len(datasets) * len(metrics) <= WIDE_TABLE:
        pairs = [(dataset, metric) for dataset in datasets for metric in metrics]
        columns = [_column(metric.heading, metric, dataset) for dataset, metric in pairs]
        return [score_table(data, [place(*pair) for pair in pairs], columns, "scores", "Scores")]
    tables = []
    for metric in metrics:
        places = [place(dataset, metric) for dataset in datasets]
        columns = [_column(dataset, metric) for dataset in datasets]
        table = score_table(data, places, columns, slug(f"scores-{metric.name}"), metric.heading)
        tall = len(datasets) > max(MANY_DATASETS, len(data.methods))
        tables.append(transposed(table, corner="Data set") if tall else table)
    return tables


def _column(title: str, metric: MetricColumn, group: str = "") -> Column:
    return Column(title, group, metric.greater_is_better)
