"""The tables of an experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module

import pandas as pd

from mlbench.report.results import Results
from mlbench.report.settings import ReportSettings
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.table import Table

TABLES = {
    "scores": "mlbench.report.tables.score_layout:score_tables",
    "tests": "mlbench.report.tables.comparison_layout:comparison_tables",
}
"""What makes the tables of a report from its `ReportData`, in their order: ``module:function``."""


def experiment_tables(
    values: pd.DataFrame,
    statuses: pd.DataFrame,
    settings: ReportSettings,
    notes: Sequence[str] = (),
) -> list[Table]:
    """Return the tables of an experiment: scores first, then those of each comparison.

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
    data = ReportData(results, settings, tuple(notes))
    return _with_distinct_names(list(_all_tables(data)))


def _all_tables(data: ReportData) -> Iterator[Table]:
    for target in TABLES.values():
        module, _, name = target.partition(":")
        yield from getattr(import_module(module), name)(data)


def _with_distinct_names(tables: list[Table]) -> list[Table]:
    seen: Counter[str] = Counter()
    distinct = []
    for table in tables:
        seen[table.name] += 1
        number = seen[table.name]
        distinct.append(table if number == 1 else replace(table, name=f"{table.name}-{number}"))
    return distinct
