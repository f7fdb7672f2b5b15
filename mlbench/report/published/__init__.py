"""Results beside the figures that a paper prints.

One function does it, and reads nothing but the folder and the package's own figures::

    from mlbench.report.published import beside
    comparison = beside(Path("results/ke/table-4-emotions"))      # or beside(folder, "ke")

``beside(folder, paper=None, table=None)`` takes a path or an open ``ResultsFolder`` and returns a
:class:`Comparison`: ``lines`` (a printed figure, ours, the verdict), ``orders`` (rank
correlations), ``counts(table, reading)`` and ``differing``. It has no lines where no printed figure
belongs to the results. :func:`comparison_tables` lays it out as tables for every renderer (the
first counts the verdicts, the second has the rank correlations), and :func:`as_plain` is its JSON.
"""

from __future__ import annotations

from mlbench.report.published.comparison import Comparison, Line, beside, compared
from mlbench.report.published.plain import as_plain
from mlbench.report.published.rank_correlation import Order
from mlbench.report.published.tables import comparison_tables
from mlbench.report.published.verdict import Verdict

__all__ = [
    "Comparison",
    "Line",
    "Order",
    "Verdict",
    "as_plain",
    "beside",
    "compared",
    "comparison_tables",
]
