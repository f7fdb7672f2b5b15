"""Figures of a results folder, as data, as text and as drawings.

Only `mlbench.report.figures.drawing` needs matplotlib.
"""

from mlbench.report.figures.plot import Plot
from mlbench.report.figures.request import FigureRequest, get_kind

__all__ = ["FigureRequest", "Plot", "get_kind"]
