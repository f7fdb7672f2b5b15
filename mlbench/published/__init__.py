"""Values as the five papers print them, for comparison; never a result of ours.

``scores.csv``, ``times.csv`` and ``pvalues.csv`` hold tables, ``protocols.csv`` and
``datasets.csv`` what the papers say of their experiments. ``conventions.csv`` says which of our
quantities a printed one is, and over how many splits it was taken. ``oddities.csv`` says which
values cannot be taken as they stand: ``not comparable`` for those that are no target at all,
``note`` for the others; an empty field fits everything.

:func:`printed_values` returns the scores and times of a paper with all of this attached.
"""

from __future__ import annotations

from mlbench.published.tables import PAPERS, published_table
from mlbench.published.values import SECONDS, PrintedValue, printed_values

__all__ = ["PAPERS", "SECONDS", "PrintedValue", "printed_values", "published_table"]
