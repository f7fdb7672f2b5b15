"""The tables of an experiment."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module

from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.table import Table

TABLES = {
    "scores": "mlbench.report.tables.score_tables:score_tables",
    "tests": "mlbench.report.tables.comparison_layout:comparison_tables",
}
"""The functions that make tables from `ReportData`, in order, as ``module:function``."""


def tables_of(data: ReportData, kinds: Iterable[str] = TABLES) -> list[Table]:
    """Return the tables of a report except its verdict, by default all."""
    tables = []
    notes = data.notes_on_shown
    for target in map(TABLES.__getitem__, kinds):
        module, _, name = target.partition(":")
        made = getattr(import_module(module), name)(data)
        tables += [replace(table, notes=(*table.notes, *notes)) for table in made]
    return list(_with_distinct_names(tables))


def _with_distinct_names(tables: Iterable[Table]) -> Iterable[Table]:
    seen: Counter[str] = Counter()
    for table in tables:
        seen[table.name] += 1
        number = seen[table.name]
        yield table if number == 1 else replace(table, name=f"{table.name}-{number}")
