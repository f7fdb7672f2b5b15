"""Results next to the values that a paper prints.

::

    from mlbench.report.published import compare_with_paper
    comparison = compare_with_paper(Path("results/ke/table-4-emotions"))

:func:`comparison_tables` returns a comparison as tables, and :func:`as_plain` as JSON values.
:func:`compare_readings` asks which of several readings of a protocol makes the values likely.
"""

from __future__ import annotations

from mlbench.report.published.causes import read_causes
from mlbench.report.published.comparison import (
    ComparedValue,
    PaperComparison,
    compare_values,
    compare_with_paper,
)
from mlbench.report.published.rank_correlation import RankCorrelation
from mlbench.report.published.reading_records import reading_records, readings_as_plain
from mlbench.report.published.reading_tables import reading_tables
from mlbench.report.published.readings import ComparedReadings, compare_readings, names_of_parts
from mlbench.report.published.records import as_plain
from mlbench.report.published.summary import PaperSummary, summarize
from mlbench.report.published.summary_tables import (
    summary_as_plain,
    summary_records,
    summary_tables,
)
from mlbench.report.published.tables import comparison_tables, record_table
from mlbench.report.published.verdict import Verdict

__all__ = [
    "ComparedReadings",
    "ComparedValue",
    "PaperComparison",
    "PaperSummary",
    "RankCorrelation",
    "Verdict",
    "as_plain",
    "compare_readings",
    "compare_values",
    "compare_with_paper",
    "comparison_tables",
    "names_of_parts",
    "read_causes",
    "reading_records",
    "reading_tables",
    "readings_as_plain",
    "record_table",
    "summarize",
    "summary_as_plain",
    "summary_records",
    "summary_tables",
]
