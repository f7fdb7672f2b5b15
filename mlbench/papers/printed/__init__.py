"""Values as the five papers print them, for comparison.

``scores.csv``, ``times.csv`` and ``pvalues.csv`` contain tables, ``protocols.csv`` and
``datasets.csv`` the papers' descriptions of their experiments. ``conventions.csv`` maps a printed
quantity to ours and states its number of splits. ``caveats.csv`` lists values that need care:
``not comparable`` ones are no targets, others have a ``note``; an empty field matches everything.

:func:`printed_values` returns the scores and times of a paper with all of this attached.
"""

from __future__ import annotations

from mlbench.papers.printed.printed_values import known_paper, printed_values
from mlbench.papers.printed.tables import PAPERS, published_table

__all__ = ["PAPERS", "known_paper", "printed_values", "published_table"]
