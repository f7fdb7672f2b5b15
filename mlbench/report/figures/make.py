"""From a results folder to its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.options import FigureKind, FigureSpread, TimedStep
from mlbench.report.figures.axis import find_axis, stated_axes
from mlbench.report.figures.bars import bars_figure
from mlbench.report.figures.critical_difference import critical_difference_figure
from mlbench.report.figures.gap import gap_figure
from mlbench.report.figures.lines import lines_figure
from mlbench.report.figures.pareto import pareto_figure
from mlbench.report.figures.quantity import Quantity, score_of, seconds_of
from mlbench.report.figures.style import Picture
from mlbench.report.figures.tuning import searches_of, tuning_figure
from mlbench.report.folder import ResultsFolder
from mlbench.report.frames import result_frames
from mlbench.report.results import Results
from mlbench.spelling import did_you_mean


class Album:
    """The figures of a results folder, each a method without parameters.

    Parameters
    ----------
    folder : ResultsFolder
    metric : str, optional
        By default the experiment's first.
    seconds : {"tune", "fit", "predict", "total"}, optional
        Lines and bars show this time instead of the metric; beside a score, times are of this
        step (by default "fit": a search that cells share counts in one of them only).
    along : str, optional
        The number along which lines go; by default the first in which anything differs.
    datasets, methods : sequence of str
        By default all.
    spread : {"interval", "std"}
        What bars and bands of scores are; those of times go from the smallest to the largest.

    Raises
    ------
    MlbenchError
        If a name is not in the results.
    """

    def __init__(
        self,
        folder: ResultsFolder,
        metric: str | None = None,
        seconds: TimedStep | None = None,
        along: str | None = None,
        datasets: Sequence[str] = (),
        methods: Sequence[str] = (),
        spread: FigureSpread = "interval",
    ) -> None:
        plan = folder.plan
        self._folder, self._along, self._step = folder, along, seconds
        self._datasets = _chosen("data set", datasets, list(plan["datasets"]))
        self._methods = _chosen("method", methods, list(plan["methods"]))
        self._title = str(plan["experiment"].get("title") or plan["experiment"]["name"])
        shown = get_metric(metric or plan["experiment"]["metrics"][0]).name
        frames = result_frames(folder.cells, folder.scan.rows, [shown])
        self._results = Results(*frames, plan["n_splits"])
        self._settings, self._spread = folder.settings(), spread
        self._score = self._quantity(shown)

    @property
    def usual(self) -> FigureKind:
        """The kind that suits the experiment."""
        asked = self._along is not None
        return "lines" if asked or stated_axes(self._folder.plan) else "bars"

    def lines(self) -> Picture:
        """Return lines over a number."""
        axis = find_axis(self._folder.plan, self._along)
        places = (self._title, self._datasets, self._methods)
        return lines_figure(self._results, self._shown, axis, *places)

    def bars(self) -> Picture:
        """Return bars, a group for each data set."""
        places = (self._title, self._datasets, self._methods)
        return bars_figure(self._results, self._shown, *places)

    def tuning(self) -> Picture:
        """Return the searches on the first of the data sets."""
        dataset = self._datasets[0]
        found = searches_of(self._folder.cells, self._folder.scan.rows, dataset, self._methods)
        return tuning_figure(found, self._quantity, self._title, dataset)

    def pareto(self) -> Picture:
        """Return scores against times."""
        seconds = seconds_of(self._step or "fit")
        places = (self._title, self._datasets, self._methods)
        return pareto_figure(self._results, self._score, seconds, *places)

    def critical_difference(self) -> Picture:
        """Return mean ranks over data sets."""
        places = (self._title, self._datasets, self._methods)
        return critical_difference_figure(self._results, self._score, *places)

    def gap(self) -> Picture:
        """Return objectives and bounds on the first of the data sets."""
        cells, rows = self._folder.cells, self._folder.scan.rows
        return gap_figure(cells, rows, self._title, self._datasets[0], self._methods)

    @property
    def _shown(self) -> Quantity:
        return seconds_of(self._step) if self._step else self._score

    def _quantity(self, name: str) -> Quantity:
        metric = get_metric(name)
        (column,) = self._folder.settings([metric.name]).metrics
        settings = self._settings
        return score_of(column, settings.percent, self._spread, settings.test_train_ratio)


KINDS: dict[FigureKind, Callable[[Album], Picture]] = {
    "lines": Album.lines,
    "bars": Album.bars,
    "tuning": Album.tuning,
    "pareto": Album.pareto,
    "critical-difference": Album.critical_difference,
    "gap": Album.gap,
}
"""By the words of the command line."""


def _chosen(kind: str, wanted: Sequence[str], known: list[str]) -> list[str]:
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known)
            raise MlbenchError(f"there is no {kind} {name!r} in the results{hint}")
    return [name for name in known if name in wanted] if wanted else known
