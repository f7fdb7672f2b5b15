"""Figures of a results folder: what is drawn, as data and as text; and how it is drawn."""

from mlbench.report.figures.make import KINDS, Album
from mlbench.report.figures.plain import as_plain
from mlbench.report.figures.style import SUFFIXES, WIDTHS, Picture, save, svg

__all__ = ["KINDS", "SUFFIXES", "WIDTHS", "Album", "Picture", "as_plain", "save", "svg"]
