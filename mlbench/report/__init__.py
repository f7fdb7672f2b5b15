"""Reports: tables of an experiment from plain values, printed in four forms."""

from __future__ import annotations

from mlbench.report.render import RENDERERS, to_csv, to_latex, to_markdown, to_text
from mlbench.report.settings import Comparison, MetricColumn, ReportSettings
from mlbench.report.tables.summary import experiment_tables
from mlbench.report.tables.table import (
    Column,
    ScoreCell,
    Source,
    Table,
    TableCell,
    TableRow,
    with_notes_once,
)

__all__ = [
    "RENDERERS",
    "Column",
    "Comparison",
    "MetricColumn",
    "ReportSettings",
    "ScoreCell",
    "Source",
    "Table",
    "TableCell",
    "TableRow",
    "experiment_tables",
    "to_csv",
    "to_latex",
    "to_markdown",
    "to_text",
    "with_notes_once",
]
