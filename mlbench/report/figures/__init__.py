"""Figures of a results folder: what is drawn, as data and as text; and how it is drawn."""

from mlbench.report.figures.plain import as_plain
from mlbench.report.figures.request import FigureRequest, get_kind
from mlbench.report.figures.style import SUFFIXES, WIDTHS, Picture, save, svg

__all__ = ["SUFFIXES", "WIDTHS", "FigureRequest", "Picture", "as_plain", "get_kind", "save", "svg"]
