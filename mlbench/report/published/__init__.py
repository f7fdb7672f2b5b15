"""Results beside the values that a paper prints.

One function does it, and reads nothing but the folder and the package's own values::

    from mlbench.report.published import compare_with_paper
    comparison = compare_with_paper(Path("results/ke/table-4-emotions"))

``compare_with_paper(folder, paper=None, table=None)`` takes a path or an open ``ResultsFolder``
and returns a :class:`PaperComparison`: ``lines`` (a printed value, ours, the verdict), ``orders``
(rank correlations), ``counts(table, reading)`` and ``differing``. It has no lines if no printed
value belongs to the results. :func:`comparison_tables` returns it as tables for every renderer
(the first counts the verdicts, the second has the rank correlations), and :func:`as_plain` as
JSON.
"""

from __future__ import annotations

from mlbench.report.published.comparison import (
    ComparedValue,
    PaperComparison,
    compare_values,
    compare_with_paper,
)
from mlbench.report.published.plain import as_plain
from mlbench.report.published.rank_correlation import RankCorrelation
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
