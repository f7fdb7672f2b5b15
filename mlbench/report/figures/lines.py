"""Lines over a parameter of the data sets or of the methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.report.figures.axis import Axis, find_axis
from mlbench.report.figures.curve import Curve
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.quantity import Estimate, Quantity, error_bars
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import GREY, make_logarithmic, method_style, offset_transform
from mlbench.results.scores import Scores
from mlbench.spelling import check_name

MAX_BANDS = 4
"""More lines have error bars, because their bands would hide each other."""

_MIN_LABEL_GAP = 0.1
MAX_TICKS = 9

_OFFSET_POINTS = 1.3


@dataclass(frozen=True)
class Lines(Plot):
    """Lines in panels."""

    caption_format = "{quantity.label} by {x_label}"

    parameter: str
    """The name of x."""
    x_label: str
    quantity: Quantity
    logarithmic: bool
    """Whether both axes are logarithmic; the legend then shows slopes."""
    panels: tuple[tuple[str, tuple[Curve, ...]], ...]
    """The title and the curves of each panel."""
    joined: bool = True
    """Whether lines join the points; points of unrelated data sets stand alone."""
    is_paired: bool = False
    """Whether values are differences, so that 0 is marked."""
    is_linear: bool = False
    """Whether the x-axis is linear even if its range is wide."""

    @property
    def banded(self) -> bool:
        """Whether intervals are bands rather than bars."""
        return self.joined and self._n_lines <= MAX_BANDS

    @property
    def note(self) -> str:
        """What the marks mean."""
        points = [point for _, curves in self.panels for curve in curves for point in curve.y]
        return self.quantity.describe(points, "band" if self.banded else "bar")

    def lines(self) -> list[str]:
        """Return the points, one per line."""
        found = []
        for title, curves in self.panels:
            for curve in curves:
                name = f"{title}\t{curve.name}" if title else curve.name
                positions = [f"{self.parameter}={x:g}" for x in curve.x] or [
                    f"any {self.parameter}"
                ]
                for position, point in zip(positions, curve.y, strict=True):
                    found.append(f"{name}\t{position}\t{point.text}")
                if self.logarithmic and curve.x:
                    found.append(f"{name}\tslope {curve.slope:.2f} on logarithmic axes")
        return found

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw all panels."""
        for axes, (title, curves) in zip(panels, self.panels, strict=True):
            axes.set_title(title)
            ticks = sorted({x for curve in curves for x in curve.x})
            wide = not self.is_linear and min(ticks) > 0 and ticks[-1] >= 8 * ticks[0]
            for curve in curves:
                self._draw_curve(axes, curve, (ticks[0], ticks[-1]))
            if self.is_paired:
                axes.axhline(0, color=GREY, linewidth=0.8)
            if self.logarithmic or wide:
                make_logarithmic(axes, "x")
            if self.logarithmic:
                make_logarithmic(axes, "y")
            if len(ticks) <= MAX_TICKS:
                axes.set_xticks(ticks, _labels(ticks, self.logarithmic or wide))
                axes.set_xticks([], minor=True)
            axes.set_xlabel(self.x_label)
            self.quantity.frame(axes)

    def _draw_curve(self, axes: Axes, curve: Curve, ends: tuple[float, float]) -> None:
        x, y = (curve.x, curve.y) if curve.x else (ends, curve.y * 2)
        label = curve.name
        if self.logarithmic and curve.x:
            label += f" (slope {curve.slope:.2f})"
        mean, error = error_bars(y)
        low, high = mean - error[0], mean + error[1]
        style = method_style(curve.number).line
        if not curve.x:
            style["marker"] = ""
        elif not self.joined:
            style["linestyle"] = "none"
        if self.banded:
            axes.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
            axes.plot(x, mean, label=label, **style)
        else:
            offset = (curve.number - (self._n_lines - 1) / 2) * _OFFSET_POINTS
            axes.errorbar(
                x,
                mean,
                yerr=error,
                label=label,
                capsize=1.5,
                elinewidth=0.6,
                capthick=0.6,
                transform=offset_transform(axes, offset),
                **style,
            )
            axes.update_datalim(np.column_stack([[*x, *x], [*low, *high]]))
            axes.autoscale_view()

    @property
    def _n_lines(self) -> int:
        return max(len(curves) for _, curves in self.panels)


def lines_figure(
    results: Scores,
    quantity: Quantity,
    axis: Axis,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
) -> Lines:
    """Return a quantity as lines over a parameter.

    For a parameter of the data sets there is a line per method and a panel per group of data
    sets. For a parameter of the methods there is a line per group of methods, a horizontal line
    per method without the parameter, and a panel per data set.

    Raises
    ------
    MlbenchError
        If the quantity has no value.
    """
    quantity.check(results)
    if axis.of == "data sets":
        panels = [
            (title, _along_datasets(results, quantity, values, datasets, methods))
            for title, values in axis.groups.items()
        ]
    else:
        panels = [
            (dataset, _along_methods(results, quantity, axis, dataset, methods))
            for dataset in datasets
        ]
    panels = [panel for panel in panels if any(curve.x for curve in panel[1])]
    if not panels:
        raise MlbenchError(f"the results contain no value of {quantity.name!r} along {axis.name!r}")
    return Lines(
        title,
        axis.name,
        axis.label,
        quantity,
        quantity.is_time and axis.of == "data sets",
        tuple(panels),
        axis.is_stated,
    )


def _along_datasets(
    results: Scores,
    quantity: Quantity,
    values: Mapping[str, float],
    datasets: Sequence[str],
    methods: Sequence[str],
) -> tuple[Curve, ...]:
    here = {dataset: x for dataset, x in values.items() if dataset in datasets}
    curves = []
    for number, method in enumerate(methods):
        points = [(x, quantity.of(results, dataset, method)) for dataset, x in here.items()]
        curves.append(_curve(method, points, number))
    return tuple(curve for curve in curves if curve.x)


def _labels(ticks: Sequence[float], logarithmic: bool) -> list[str]:
    """Return tick labels, without those that would overlap the one before."""
    positions = np.log(ticks) if logarithmic else np.asarray(ticks)
    min_gap = _MIN_LABEL_GAP * (positions[-1] - positions[0])
    labels: list[str] = []
    last = -np.inf
    for tick, position in zip(ticks, positions, strict=True):
        is_free = position - last >= min_gap
        labels.append(f"{round(tick, 3):g}" if is_free else "")
        last = position if is_free else last
    return labels


def _along_methods(
    results: Scores, quantity: Quantity, axis: Axis, dataset: str, methods: Sequence[str]
) -> tuple[Curve, ...]:
    curves: list[Curve] = []
    for name, values in axis.groups.items():
        here = [
            (x, quantity.of(results, dataset, method))
            for method, x in values.items()
            if method in methods
        ]
        curve = _curve(name, here, len(curves))
        curves.append(replace(curve, methods=tuple(name for name in values if name in methods)))
    for method in methods:
        level = quantity.of(results, dataset, method)
        if level is not None and not any(method in values for values in axis.groups.values()):
            curves.append(Curve(method, (), (level,), len(curves)))
    return tuple(curve for curve in curves if curve.y)


def _curve(name: str, points: Sequence[tuple[float, Estimate | None]], number: int) -> Curve:
    known = [(x, point) for x, point in sorted(points, key=itemgetter(0)) if point is not None]
    return Curve(name, tuple(x for x, _ in known), tuple(point for _, point in known), number)


def paired(
    results: Scores,
    quantity: Quantity,
    datasets: Sequence[str],
    methods: Sequence[str],
    minus: str,
) -> tuple[Scores, Quantity]:
    """Subtract the value of one method from the value of each other method on the same split.

    Raises
    ------
    MlbenchError
        If there is no such method, or if it shares no split with another one.
    """
    check_name("method", minus, methods, where="figure")
    values = []
    for dataset in datasets:
        base = results.scores(dataset, minus, quantity.name)
        for method in methods:
            scores = results.scores(dataset, method, quantity.name) if method != minus else {}
            values += [
                (dataset, method, split, quantity.name, value - base[split])
                for split, value in scores.items()
                if split in base
            ]
    if not values:
        raise MlbenchError(f"{minus} shares no split with another method")
    n_splits = {dataset: results.n_splits(dataset) for dataset in datasets}
    return (
        Scores(values, (), n_splits),
        replace(quantity, label=f"{quantity.difference_label}, minus {minus}", bounds=None),
    )


def _make_plot(
    request: FigureRequest, *, line: str | None = None, minus: str | None = None
) -> Lines:
    """Draw lines.

    Parameters
    ----------
    request : FigureRequest
    line : str, optional
        A name for the methods that differ in the number alone, if they are one group.
    minus : str, optional
        A method whose value on the same split is subtracted from all others.
    """
    title, datasets, methods = request.selection
    results, quantity = request.results, request.quantity
    if minus is not None:
        results, quantity = paired(results, quantity, datasets, methods, minus)
    axis = find_axis(request.folder.plan, request.along)
    if line is not None and axis.of == "methods" and len(axis.groups) == 1:
        axis = replace(axis, groups={line: next(iter(axis.groups.values()))})
    figure = lines_figure(results, quantity, axis, title, datasets, methods)
    return replace(figure, is_paired=minus is not None)


KIND = FigureKind(
    _make_plot,
    uses=("metric", "seconds", "x", "spread"),
    on_page=lambda request: request.usual == "lines",
    per_metric=True,
)
