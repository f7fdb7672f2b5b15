"""What is asked of a results folder, and the figure that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.options import FIGURE_KINDS, FigureSpread, TimedStep
from mlbench.report.figures.axis import stated_axes
from mlbench.report.figures.kind import Kind, Option
from mlbench.report.figures.quantity import Quantity, score_of, seconds_of
from mlbench.report.figures.style import Picture
from mlbench.report.folder import ResultsFolder
from mlbench.report.frames import result_frames
from mlbench.report.results import Results
from mlbench.spelling import did_you_mean


@cache
def get_kind(name: str) -> Kind:
    """Return a kind of figure: ``KIND`` of the module that has its name."""
    kind = import_module(f"mlbench.report.figures.{name.replace('-', '_')}").KIND
    assert isinstance(kind, Kind)
    return kind


class FigureRequest:
    """What figures of a results folder show.

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
    spread : {"interval", "std"}, optional
        What bars and bands of scores are, by default intervals; those of times go from the
        smallest to the largest.

    Attributes
    ----------
    folder, along
        As above.
    seconds : {"tune", "fit", "predict", "total"} or None
    title : str
        That of the experiment.
    datasets, methods : list of str
        What is shown.
    results : Results
    score, quantity : Quantity
        The metric; and what is shown, which is the metric or a time.

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
        spread: FigureSpread | None = None,
    ) -> None:
        plan = folder.plan
        self.folder, self.along, self.seconds = folder, along, seconds
        self.datasets = _chosen("data set", datasets, list(plan["datasets"]))
        self.methods = _chosen("method", methods, list(plan["methods"]))
        self.title = str(plan["experiment"].get("title") or plan["experiment"]["name"])
        shown = get_metric(metric or plan["experiment"]["metrics"][0]).name
        frames = result_frames(folder.cells, folder.scan.rows, [shown])
        self.results = Results(*frames, plan["n_splits"])
        self._settings, self._spread = folder.settings(), spread
        self.score = self.quantity_of(shown)
        self.quantity = seconds_of(seconds) if seconds else self.score

    @property
    def usual(self) -> str:
        """The kind that suits the experiment."""
        asked = self.along is not None
        return "lines" if asked or stated_axes(self.folder.plan) else "bars"

    def picture(self, kind: str | None = None, **settings: Any) -> Picture:
        """Return the figure of a kind, by default the usual one.

        Parameters
        ----------
        kind : str, optional
            One of ``mlbench.options.FIGURE_KINDS``.
        **settings
            Those of the kind.

        Raises
        ------
        MlbenchError
            If there is no such kind, if it does not heed what was asked, or if the results do
            not suit it.
        """
        name = kind or self.usual
        if name not in FIGURE_KINDS:
            raise MlbenchError(
                f"there is no figure {name!r}{did_you_mean(name, FIGURE_KINDS)}; "
                f"known: {', '.join(FIGURE_KINDS)}"
            )
        found = get_kind(name)
        self._check_options(name, found)
        parameters = signature(found.arrange).parameters.values()
        known = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
        for key in settings:
            if key not in known:
                raise MlbenchError(
                    f"the figure {name!r} has no setting {key!r}{did_you_mean(key, known)}; "
                    f"known: {', '.join(known) or 'it has none'}"
                )
        return found.arrange(self, **settings)

    def quantity_of(self, metric: str) -> Quantity:
        """Return a metric as it is drawn."""
        (column,) = self.folder.settings([get_metric(metric).name]).metrics
        settings = self._settings
        spread = self._spread or "interval"
        return score_of(column, settings.percent, spread, settings.test_train_ratio)

    def _check_options(self, name: str, kind: Kind) -> None:
        given: dict[Option, str | None] = {
            "seconds": self.seconds,
            "x": self.along,
            "spread": self._spread,
        }
        for option, value in given.items():
            if value is not None and option not in kind.uses:
                users = [other for other in FIGURE_KINDS if option in get_kind(other).uses]
                raise MlbenchError(
                    f"the figure {name!r} does not use --{option}; {', '.join(users)} can"
                )


def _chosen(kind: str, wanted: Sequence[str], known: list[str]) -> list[str]:
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known)
            raise MlbenchError(f"there is no {kind} {name!r} in the results{hint}")
    return [name for name in known if name in wanted] if wanted else known
