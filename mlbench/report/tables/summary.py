"""The tables of an experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import import_module

from mlbench.report.results import Results, Status, Value
from mlbench.report.settings import ReportSettings
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.table import Table

TABLES = {
    "scores": "mlbench.report.tables.score_layout:score_tables",
    "tests": "mlbench.report.tables.comparison_layout:comparison_tables",
}
"""What makes the tables of a report from its `ReportData`, in their order: ``module:function``."""


def experiment_tables(
    values: Iterable[Value],
    statuses: Iterable[Status],
    settings: ReportSettings,
    notes: Sequence[str] = (),
) -> list[Table]:
    """Return the tables of an experiment: scores first, then those of each comparison.

    Parameters
    ----------
    values : iterable of (data set, method, split, metric, value)
    statuses : iterable of (data set, method, split, status)
        A status is "ok" or a kind of failure; a split without one is missing.
    settings : ReportSettings
        What to show.
    notes : sequence of str
        More notes for the tables of scores.

    Raises
    ------
    mlbench.errors.MlbenchError
        If the settings do not fit the results.
    """
    return tables_of(
        ReportData(Results(values, statuses, settings.n_splits), settings, tuple(notes))
    )


def tables_of(data: ReportData) -> list[Table]:
    """Return all tables of a report but its verdict."""
    tables = []
    for target in TABLES.values():
        module, _, name = target.partition(":")
        tables += getattr(import_module(module), name)(data)
    return list(_with_distinct_names(tables))


def _with_distinct_names(tables: Iterable[Table]) -> Iterable[Table]:
    seen: Counter[str] = Counter()
    for table in tables:
        seen[table.name] += 1
        number = seen[table.name]
        yield table if number == 1 else replace(table, name=f"{table.name}-{number}")
