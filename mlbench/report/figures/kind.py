"""What a module of figures states of its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mlbench.report.figures.style import Picture

if TYPE_CHECKING:
    from mlbench.report.figures.request import FigureRequest

Option = Literal["seconds", "x", "spread"]


@dataclass(frozen=True)
class Kind:
    """A kind of figure.

    Attributes
    ----------
    arrange : callable
        From a `FigureRequest` to a `Picture`; raises MlbenchError where the results do not suit.
        Its keyword-only parameters are settings of this kind: ``mlbench figure --set KEY=VALUE``.
    uses : tuple of str
        The options that it heeds, beside the metric, data sets, methods and width.
    on_page : callable
        Whether the HTML page of a report shows it. By default never.
    per_metric : bool
        Whether the page shows it for each metric, or for the first one only.
    """

    arrange: Callable[..., Picture]
    uses: tuple[Option, ...] = ()
    on_page: Callable[[FigureRequest], bool] = lambda request: False
    per_metric: bool = False
