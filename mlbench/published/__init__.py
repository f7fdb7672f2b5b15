"""Numbers that a paper prints, to compare results with."""

from mlbench.published.values import SECONDS, PrintedValue, PublishedPaper

__all__ = ["SECONDS", "PrintedValue", "PublishedPaper"]
