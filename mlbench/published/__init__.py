"""Figures as the five papers print them, for comparison; never a result of ours.

``scores.csv``, ``times.csv`` and ``pvalues.csv`` hold tables, ``protocols.csv`` and
``datasets.csv`` what the papers say of their experiments. ``conventions.csv`` says which of our
quantities a printed one is, and over how many splits it was taken. ``oddities.csv`` says which
figures cannot be taken as they stand: ``not comparable`` for those that are no target at all,
``note`` for the others; an empty field fits everything.

:func:`printed` returns the scores and times of a paper with all of this attached.
"""

from __future__ import annotations

from mlbench.published.figures import SECONDS, Printed, printed
from mlbench.published.lines import PAPERS, published

__all__ = ["PAPERS", "SECONDS", "Printed", "printed", "published"]
