"""Figures of a results folder, as data, as text and as drawings."""

from mlbench.report.figures.request import FigureRequest, get_kind
from mlbench.report.figures.style import SUFFIXES, WIDTHS, Plot, save, svg

__all__ = ["SUFFIXES", "WIDTHS", "FigureRequest", "Plot", "get_kind", "save", "svg"]
