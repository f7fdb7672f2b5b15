"""Kinds of figures, and a request for one of a results folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, Literal

from mlbench.comparisons.settings import report_settings
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.options import FIGURE_KINDS, FigureSpread, TimedStep
from mlbench.report.figures.axis import stated_axes
from mlbench.report.figures.plot import Plot
from mlbench.report.figures.quantity import Quantity, score_quantity, time_quantity
from mlbench.report.figures.taken_over import with_marks
from mlbench.report.tables.origin import marks_of
from mlbench.results.results import Results
from mlbench.spelling import chosen, refuse_unknown

MAX_ON_PAGE = 200
"""The HTML page leaves out a figure with more marks, one per data set and method."""

Option = Literal["metric", "seconds", "x", "spread"]


@dataclass
class FigureRequest:
    """What a figure of a results folder should show.

    Raises
    ------
    MlbenchError
        If a name is not in the results.
    """

    folder: Results
    metric: str | None = None
    """By default the experiment's first metric."""
    seconds: TimedStep | None = None
    """Lines and bars show the time of this step instead of the metric. Figures of score against
    time show it on the time axis. Their default is "fit", because of the cells that share a search
    only one has its time.
    """
    along: str | None = None
    """The parameter on the x-axis of lines; by default the first that varies."""
    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    """The data sets and methods to show, by default all."""
    spread: FigureSpread | None = None
    """What error bars and bands of scores show, by default intervals. For times they show the
    range.
    """

    def __post_init__(self) -> None:
        plan = self.folder.plan
        self.datasets = chosen("data set", self.datasets, [*plan.datasets])
        self.methods = chosen("method", self.methods, plan.methods)
        shown = get_metric(self.metric or plan.experiment.metrics[0]).name
        self.results = self.folder.scores_of([shown])
        self.score = self.quantity_of(shown)
        self.quantity = time_quantity(self.seconds) if self.seconds else self.score

    @property
    def title(self) -> str:
        """The experiment's title."""
        experiment = self.folder.plan.experiment
        return experiment.title or experiment.name

    @property
    def selection(self) -> tuple[str, Sequence[str], Sequence[str]]:
        """The title, the data sets and the methods of the figure."""
        return self.title, self.datasets, self.methods

    @property
    def usual(self) -> str:
        """The default kind for the experiment."""
        varies = self.along is not None or stated_axes(self.folder.plan)
        return "lines" if varies else "bars"

    def plot(self, kind: str | None = None, **settings: Any) -> Plot:
        """Return the figure of a kind.

        Parameters
        ----------
        kind : str, optional
            One of ``mlbench.options.FIGURE_KINDS``; by default the one that suits the experiment.
        **settings
            Settings of the kind.

        Raises
        ------
        MlbenchError
            If there is no such kind, if it does not support an option, or if the results do not
            suit it.
        """
        name = kind or self.usual
        refuse_unknown("there is no figure", name, FIGURE_KINDS)
        found = get_kind(name)
        self._check_options(name, found)
        if found.judges and (self.metric or not self.seconds):
            (column,) = report_settings(self.folder, [self.score.name]).metrics
            column.check_quality()
        parameters = signature(found.make_plot).parameters.values()
        known = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
        for key in settings:
            refuse_unknown(f"the figure {name!r} has no setting", key, known)
        return with_marks(found.make_plot(self, **settings), marks_of(self.folder))

    def quantity_of(self, metric: str) -> Quantity:
        """Return a metric as a quantity to draw."""
        settings = report_settings(self.folder, [metric])
        spread = self.spread or "interval"
        (column,) = settings.metrics
        return score_quantity(column, settings.percent, spread, settings.test_train_ratio)

    def _check_options(self, name: str, kind: "FigureKind") -> None:
        given: dict[Option, str | None] = {
            "metric": self.metric,
            "seconds": self.seconds,
            "x": self.along,
            "spread": self.spread,
        }
        for option, value in given.items():
            if value is not None and option not in kind.uses:
                users = [other for other in FIGURE_KINDS if option in get_kind(other).uses]
                raise MlbenchError(
                    f"the figure {name!r} does not use --{option}; {', '.join(users)} can"
                )


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure."""

    make_plot: Callable[..., Plot]
    """Makes a `Plot` from a `FigureRequest`, or raises MlbenchError if the results do not suit.
    Keyword-only parameters are settings of this kind: ``mlbench figure --option NAME=VALUE``.
    """
    uses: tuple[Option, ...] = ()
    """The options that it uses, besides data sets, methods and width."""
    judges: bool = False
    """Whether it says who is better by the metric, or the time, that it shows."""
    of_one_dataset: bool = False
    """Whether it shows the first of the data sets alone."""
    on_page: Callable[[FigureRequest], bool] = lambda request: False
    """Whether the HTML page of a report shows it; by default never."""
    per_metric: bool = False
    """Whether the page shows it for every metric or only for the first."""


@cache
def get_kind(name: str) -> FigureKind:
    """Return a kind of figure: the ``KIND`` of the module with its name."""
    kind = import_module(f"mlbench.report.figures.{name.replace('-', '_')}").KIND
    assert isinstance(kind, FigureKind)
    return kind
