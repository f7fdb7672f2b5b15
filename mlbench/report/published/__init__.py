"""Results next to the values that a paper prints.

::

    from mlbench.report.published import compare_with_paper
    comparison = compare_with_paper(Path("results/ke/table-4-emotions"))

:func:`comparison_tables` returns a comparison as tables, and :func:`as_plain` as JSON values.
"""

from __future__ import annotations

from mlbench.report.published.comparison import (
    ComparedValue,
    PaperComparison,
    compare_values,
    compare_with_paper,
)
from mlbench.report.published.rank_correlation import RankCorrelation
from mlbench.report.published.records import as_plain
from mlbench.report.published.tables import comparison_tables
from mlbench.report.published.verdict import Verdict

__all__ = [
    "ComparedValue",
    "PaperComparison",
    "RankCorrelation",
    "Verdict",
    "as_plain",
    "compare_values",
    "compare_with_paper",
    "comparison_tables",
]
