"""Lines over a number: one in which the data sets differ, or a fixed parameter of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.report.figures.axis import Axis, find_axis
from mlbench.report.figures.estimate import Estimate, bars
from mlbench.report.figures.kind import Kind
from mlbench.report.figures.quantity import Quantity
from mlbench.report.figures.style import Picture, look, make_logarithmic, moved
from mlbench.report.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mlbench.report.figures.request import FigureRequest

MOST_BANDS = 4
"""Bands of more lines than these hide each other; bars are drawn instead."""

_LEAST_ROOM = 0.1
MOST_TICKS = 9

_APART = 1.3


@dataclass(frozen=True)
class Curve:
    """One line.

    Attributes
    ----------
    name : str
        A method, or what methods have in common.
    x : tuple of float
        Ascending; empty for a method without the number, which is a level line.
    y : tuple of Estimate
        One for each x; a single one for a level line.
    place : int
        Among the lines; the look goes by it.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[Estimate, ...]
    place: int

    @property
    def slope(self) -> float:
        """Least-squares slope of log(mean) over log(x): the exponent of growth."""
        means = [each.mean for each in self.y]
        if len(self.x) < 2 or min(self.x) <= 0 or min(means) <= 0:
            return float("nan")
        return float(np.polyfit(np.log(self.x), np.log(means), 1)[0])


@dataclass(frozen=True)
class Lines(Picture):
    """Lines in panels.

    Attributes
    ----------
    title : str
    number : str
        What x is.
    x_label : str
    quantity : Quantity
    logarithmic : bool
        Both axes; lines then say their slope.
    panels : tuple of (title, curves)
    """

    number: str
    x_label: str
    quantity: Quantity
    logarithmic: bool
    panels: tuple[tuple[str, tuple[Curve, ...]], ...]

    @property
    def n_panels(self) -> int:
        """One for each group of data sets."""
        return len(self.panels)

    @property
    def banded(self) -> bool:
        """Whether intervals are bands rather than bars."""
        return self._n_lines <= MOST_BANDS

    @property
    def note(self) -> str:
        """What the marks mean."""
        points = [point for _, curves in self.panels for curve in curves for point in curve.y]
        return self.quantity.describe(points, "band" if self.banded else "bar")

    def lines(self) -> list[str]:
        """Return the points, one to a line."""
        found = []
        for title, curves in self.panels:
            for curve in curves:
                name = f"{title}\t{curve.name}" if title else curve.name
                places = [f"{self.number}={x:g}" for x in curve.x] or [f"any {self.number}"]
                for place, point in zip(places, curve.y, strict=True):
                    found.append(f"{name}\t{place}\t{point.text}")
                if self.logarithmic and curve.x:
                    found.append(f"{name}\tslope {curve.slope:.2f} on logarithmic axes")
        return found

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw all panels."""
        for axes, (title, curves) in zip(panels, self.panels, strict=True):
            axes.set_title(title)
            places = sorted({x for curve in curves for x in curve.x})
            wide = min(places) > 0 and places[-1] >= 8 * places[0]
            for curve in curves:
                self._draw_curve(axes, curve, (places[0], places[-1]))
            if self.logarithmic or wide:
                make_logarithmic(axes, "x")
            if self.logarithmic:
                make_logarithmic(axes, "y")
            if len(places) <= MOST_TICKS:
                axes.set_xticks(places, _labels(places, self.logarithmic or wide))
                axes.set_xticks([], minor=True)
            axes.set_xlabel(self.x_label)
            self.quantity.frame(axes)

    def _draw_curve(self, axes: Axes, curve: Curve, ends: tuple[float, float]) -> None:
        x, y = (curve.x, curve.y) if curve.x else (ends, curve.y * 2)
        label = curve.name
        if self.logarithmic and curve.x:
            label += f" (slope {curve.slope:.2f})"
        mean, reach = bars(y)
        low, high = mean - reach[0], mean + reach[1]
        style = look(curve.place).line
        if not curve.x:
            style["marker"] = ""
        if self.banded:
            axes.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
            axes.plot(x, mean, label=label, **style)
        else:
            apart = (curve.place - (self._n_lines - 1) / 2) * _APART
            axes.errorbar(
                x,
                mean,
                yerr=reach,
                label=label,
                capsize=1.5,
                elinewidth=0.6,
                capthick=0.6,
                transform=moved(axes, apart),
                **style,
            )
            axes.update_datalim(np.column_stack([[*x, *x], [*low, *high]]))
            axes.autoscale_view()

    @property
    def _n_lines(self) -> int:
        return max(len(curves) for _, curves in self.panels)


def lines_figure(
    results: Results,
    quantity: Quantity,
    axis: Axis,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
) -> Lines:
    """Arrange a quantity as lines over a number.

    Parameters
    ----------
    results : Results
    quantity : Quantity
    axis : Axis
        Along a number of the data sets there is a line for each method, and a panel for each
        group of data sets. Along a number of the methods there is a line for each group of
        methods, a level line for each method that lacks the number, and a panel for each data
        set.
    title : str
    datasets, methods : sequence of str
        Those to show.

    Raises
    ------
    MlbenchError
        If there is no value of the quantity.
    """
    quantity.check(results)
    if axis.of == "data sets":
        panels = [
            (title, _along_datasets(results, quantity, places, datasets, methods))
            for title, places in axis.groups.items()
        ]
    else:
        panels = [
            (dataset, _along_methods(results, quantity, axis, dataset, methods))
            for dataset in datasets
        ]
    panels = [panel for panel in panels if any(curve.x for curve in panel[1])]
    if not panels:
        raise MlbenchError(f"the results hold no value of {quantity.name!r} along {axis.name!r}")
    return Lines(
        title,
        axis.name,
        axis.label,
        quantity,
        quantity.is_time and axis.of == "data sets",
        tuple(panels),
    )


def _along_datasets(
    results: Results,
    quantity: Quantity,
    places: Mapping[str, float],
    datasets: Sequence[str],
    methods: Sequence[str],
) -> tuple[Curve, ...]:
    here = {dataset: x for dataset, x in places.items() if dataset in datasets}
    curves = []
    for place, method in enumerate(methods):
        points = [(x, quantity.of(results, dataset, method)) for dataset, x in here.items()]
        curves.append(_curve(method, points, place))
    return tuple(curve for curve in curves if curve.x)


def _labels(places: Sequence[float], logarithmic: bool) -> list[str]:
    """Return labels of ticks, without those that would stand in the way of the one before."""
    where = np.log(places) if logarithmic else np.asarray(places)
    room = _LEAST_ROOM * (where[-1] - where[0])
    labels: list[str] = []
    last = -np.inf
    for place, at in zip(places, where, strict=True):
        is_free = at - last >= room
        labels.append(f"{round(place, 3):g}" if is_free else "")
        last = at if is_free else last
    return labels


def _along_methods(
    results: Results, quantity: Quantity, axis: Axis, dataset: str, methods: Sequence[str]
) -> tuple[Curve, ...]:
    curves: list[Curve] = []
    for name, places in axis.groups.items():
        here = [
            (x, quantity.of(results, dataset, method))
            for method, x in places.items()
            if method in methods
        ]
        curves.append(_curve(name, here, len(curves)))
    for method in methods:
        level = quantity.of(results, dataset, method)
        if level is not None and not any(method in places for places in axis.groups.values()):
            curves.append(Curve(method, (), (level,), len(curves)))
    return tuple(curve for curve in curves if curve.y)


def _curve(name: str, points: Sequence[tuple[float, Estimate | None]], place: int) -> Curve:
    known = [(x, point) for x, point in sorted(points, key=itemgetter(0)) if point is not None]
    return Curve(name, tuple(x for x, _ in known), tuple(point for _, point in known), place)


def _arrange(request: FigureRequest) -> Lines:
    axis = find_axis(request.folder.plan, request.along)
    places = (request.title, request.datasets, request.methods)
    return lines_figure(request.results, request.quantity, axis, *places)


KIND = Kind(
    _arrange,
    uses=("seconds", "x", "spread"),
    on_page=lambda request: request.usual == "lines",
    per_metric=True,
)
