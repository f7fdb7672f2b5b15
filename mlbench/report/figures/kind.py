"""What a figure module declares about its kind of figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mlbench.report.figures.style import Plot

if TYPE_CHECKING:
    from mlbench.report.figures.request import FigureRequest

MAX_ON_PAGE = 200
"""Data sets times methods of a figure with a mark for each that the HTML page shows."""

Option = Literal["seconds", "x", "spread"]


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure."""

    make_plot: Callable[..., Plot]
    """Makes a `Plot` from a `FigureRequest`; raises MlbenchError if the results do not suit. Its
    keyword-only parameters are settings of this kind: ``mlbench figure --set KEY=VALUE``.
    """
    uses: tuple[Option, ...] = ()
    """The options it uses in addition to the metric, data sets, methods and width."""
    on_page: Callable[[FigureRequest], bool] = lambda request: False
    """Whether the HTML page of a report shows it; by default never."""
    per_metric: bool = False
    """Whether the page shows it for every metric or only for the first."""
