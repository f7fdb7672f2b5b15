"""Score against time, to see which methods are better only because they take longer."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from mlbench.comparisons.over_datasets import common_means
from mlbench.errors import MlbenchError
from mlbench.number_text import counted
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.quantity import Estimate, Quantity, error_bars, time_quantity
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import GREY, make_logarithmic, method_style
from mlbench.results.scores import Scores
from mlbench.statistics import ranks_of

RANK = "rank"


@dataclass(frozen=True)
class ParetoPoint:
    """A method's time and score on one data set."""

    method: str
    seconds: Estimate
    score: Estimate
    on_front: bool
    """Whether no faster method is as good."""
    number: int
    """Determines the style of the method."""


@dataclass(frozen=True)
class Pareto(Plot):
    """Methods by time and score, a panel for each data set."""

    caption_format = "{quantity.label} against {seconds.label}"

    seconds: Quantity
    """On the x-axis."""
    quantity: Quantity
    """On the y-axis."""
    panels: tuple[tuple[str, tuple[ParetoPoint, ...]], ...]

    @property
    def note(self) -> str:
        """What the marks mean."""
        scores = [point.score for _, points in self.panels for point in points]
        if self.quantity.name == RANK:
            return (
                "Mean ranks, 1 is best, and geometric means of times over the data sets on which "
                "every method has a score. Line: no faster method is as good."
            )
        return f"{self.quantity.describe(scores, 'bar')} Line: no faster method is as good."

    def lines(self) -> list[str]:
        """Return the points, one per line."""
        return [
            f"{dataset}\t{point.method}\t{point.seconds.mean:.3g} s\t"
            + (f"{point.score.mean:.5g}" if self.quantity.name == RANK else point.score.text)
            + ("\tfront" if point.on_front else "")
            for dataset, points in self.panels
            for point in points
        ]

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw all panels."""
        for axes, (dataset, points) in zip(panels, self.panels, strict=True):
            axes.set_title(dataset)
            for point in sorted(points, key=attrgetter("number")):
                mean, error = error_bars([point.score])
                axes.errorbar(
                    [point.seconds.mean],
                    mean,
                    yerr=error,
                    label=point.method,
                    elinewidth=0.6,
                    zorder=3,
                    **method_style(point.number).point,
                )
            axes.set_xscale("log")
            axes.margins(x=0.12, y=0.12)
            make_logarithmic(axes, "x")
            self.quantity.frame(axes)
            self._draw_front(axes, [point for point in points if point.on_front])
            axes.set_xlabel(self.seconds.label)
            if self.quantity.name == RANK:
                axes.invert_yaxis()  # the best rank is at the top, as the best score is

    def _draw_front(self, axes: Axes, front: Sequence[ParetoPoint]) -> None:
        """Draw the best score within each time: a step at each method on the front."""
        x = [point.seconds.mean for point in front]
        y = [point.score.mean for point in front]
        left, right = axes.get_xlim()
        axes.step([*x, right], [*y, y[-1]], where="post", color=GREY, linewidth=0.8, zorder=1.5)
        axes.set_xlim(left, right)


def pareto_figure(
    results: Scores,
    quantity: Quantity,
    seconds: Quantity,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
) -> Pareto:
    """Return scores against times; raise MlbenchError if either has no value."""
    quantity.check(results)
    seconds.check(results)
    panels = []
    for dataset in datasets:
        known = []
        for number, method in enumerate(methods):
            time = seconds.of(results, dataset, method)
            score = quantity.of(results, dataset, method)
            if time is not None and score is not None:
                known.append((method, time, score, number))
        if known:
            panels.append((dataset, _points(known, 1.0 if quantity.greater_is_better else -1.0)))
    if not panels:
        raise MlbenchError(
            f"no cell of the results has both {quantity.name!r} and {seconds.name!r}"
        )
    return Pareto(title, seconds, quantity, tuple(panels))


def _points(
    known: Sequence[tuple[str, Estimate, Estimate, int]], sign: float
) -> tuple[ParetoPoint, ...]:
    """Sort methods by time; one that beats all faster methods is on the front."""
    best = -np.inf
    points = []
    for method, time, score, number in sorted(
        known, key=lambda item: (item[1].mean, -sign * item[2].mean)
    ):
        points.append(ParetoPoint(method, time, score, sign * score.mean > best, number))
        best = max(best, sign * score.mean)
    return tuple(points)


def rank_figure(
    results: Scores,
    quantity: Quantity,
    seconds: Quantity,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
) -> Pareto:
    """Return mean ranks against geometric means of times, over data sets that all methods have.

    Raises
    ------
    MlbenchError
        If there is no such data set.
    """
    quantity.check(results)
    seconds.check(results)
    common = common_means(results, methods, datasets, quantity.name)
    if not common.rows:
        raise MlbenchError(
            f"there is no data set on which every method has a value of {quantity.name!r}"
        )
    ranks = ranks_of(np.array(common.rows), quantity.greater_is_better).mean(axis=0)
    times = [
        [seconds.of(results, dataset, method) for dataset in common.datasets] for method in methods
    ]
    known = [
        (method, _one(float(np.exp(np.mean(np.log(each))))), _one(float(rank)), number)
        for number, (method, rank, found) in enumerate(zip(methods, ranks, times, strict=True))
        if len(each := [time.mean for time in found if time is not None]) == len(found)
    ]
    if not known:
        raise MlbenchError(
            f"no method has {seconds.name!r} on all {len(common.datasets)} data sets"
        )
    heading = counted(len(common.datasets), "data set")
    rank = Quantity(
        RANK, f"mean rank by {quantity.label.partition(' (')[0]}", greater_is_better=False
    )
    return Pareto(title, seconds, rank, ((heading, _points(known, -1.0)),))


def _one(value: float) -> Estimate:
    return Estimate(value, value, value, 1)


def _make_plot(request: FigureRequest, *, over: str = "") -> Pareto:
    if over not in ("", "datasets"):
        raise MlbenchError(f"the setting over must be datasets, not {over!r}")
    make = rank_figure if over else pareto_figure
    seconds = time_quantity(request.seconds or "fit")
    return make(request.results, request.score, seconds, *request.selection)


KIND = FigureKind(
    _make_plot,
    uses=("metric", "seconds", "spread"),
    judges=True,
    on_page=lambda request: True,
)
