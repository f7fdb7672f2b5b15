"""The objective of a fit and the bound on its optimum, over iterations."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from mlbench.errors import MlbenchError
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import COLORS, DASHES, MARKERS, make_logarithmic, wrap_name
from mlbench.store import Plain, Summary

_TITLE = 30
"""Characters of a line of a panel's title."""

LOG_SCALE_FROM = 100
"""From this many iterations on, the iteration axis is logarithmic."""


@dataclass(frozen=True)
class History:
    """The progress of one fit."""

    method: str
    iteration: tuple[int, ...]
    """Ascending; long histories are thinned out."""
    objective: tuple[float, ...]
    """The objective at each iteration."""
    bound: tuple[float, ...]
    """A lower bound on the optimum, from a certificate."""

    @property
    def gap(self) -> float:
        """The smallest objective minus the largest bound, relative to the objective."""
        least = min(self.objective)
        return (least - max(self.bound)) / least if least else math.inf

    @property
    def best_bound(self) -> tuple[float, ...]:
        """The largest bound up to each iteration, which is a bound as well."""
        return tuple(accumulate(self.bound, max))

    @property
    def floor(self) -> float:
        """The lower end of the axis; bounds far below the largest one say little."""
        best = max(self.bound)
        return best - 0.5 * (max(self.objective) - best)


@dataclass(frozen=True)
class Gap(Plot):
    """Fits on one split of one data set, a panel for each method."""

    caption_format = "objective and bound on {dataset}"

    dataset: str
    split: int
    panels: tuple[History, ...]

    @property
    def note(self) -> str:
        """What the marks mean."""
        return (
            f"{self.dataset}, 1 split (number {self.split}), final fit. The optimum is between "
            "the smallest objective and the largest bound. Bound: the largest so far; much lower "
            "ones at the start are not shown."
        )

    def lines(self) -> list[str]:
        """Return the iterations, one per line."""
        found = []
        for each in self.panels:
            for step, objective, bound in zip(
                each.iteration, each.objective, each.bound, strict=True
            ):
                found.append(
                    f"{each.method}\titeration={step}\tobjective {objective:.8g}\tbound {bound:.8g}"
                )
            found.append(f"{each.method}\trelative gap {each.gap:.2g}")
        return found

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw all panels."""
        for axes, each in zip(panels, self.panels, strict=True):
            axes.set_title("\n".join(wrap_name(f"{each.method} (gap {each.gap:.2g})", _TITLE)))
            bound = [value if value >= each.floor else math.nan for value in each.best_bound]
            axes.fill_between(each.iteration, bound, each.objective, color="#eeeeee")
            for number, (label, values) in enumerate(
                [("objective", each.objective), ("bound", bound)]
            ):
                axes.plot(
                    each.iteration,
                    values,
                    label=label,
                    color=COLORS[number],
                    linestyle=DASHES[number],
                    marker=MARKERS[number] if len(values) <= 40 else "",
                    markersize=2.6,
                    linewidth=1.1,
                )
            axes.set_ylim(each.floor, 1.05 * (max(each.objective) - each.floor) + each.floor)
            if each.iteration[-1] >= LOG_SCALE_FROM:
                make_logarithmic(axes, "x")
            else:
                axes.locator_params(axis="x", integer=True)
            axes.set_xlabel("iterations")
            axes.set_ylabel("objective (no unit)")


def gap_figure(
    cells: Iterable[tuple[str, str, int, str]],
    rows: Mapping[str, Summary],
    title: str,
    dataset: str,
    methods: Sequence[str],
) -> Gap:
    """Return the histories of the first split for which a method has one.

    Parameters
    ----------
    cells : iterable of (data set, method, split, key)
    rows : mapping
        By key; a fit's report may hold a ``history`` with the lists ``iteration``,
        ``objective`` and ``bound``.
    title, dataset : str
    methods : sequence of str

    Raises
    ------
    MlbenchError
        If no fit on the data set has a history.
    """
    found: dict[int, list[History]] = {}
    for name, method, split, key in cells:
        if name == dataset and method in methods and key in rows:
            history = _history(method, (rows[key].fit or {}).get("history"))
            if history is not None:
                found.setdefault(split, []).append(history)
    if not found:
        raise MlbenchError(
            f"no fit on {dataset!r} has a history of its objective; mlsvm methods with "
            "solver: fw or solver: paper keep one, and so can your methods (fit_report_)"
        )
    split = min(found)
    return Gap(title, dataset, split, tuple(found[split]))


def _history(method: str, value: Plain) -> History | None:
    """Return the history in a fit's report, if it has one that can be drawn."""
    if not isinstance(value, dict):
        return None
    iterations, objectives, bounds = (
        _numbers(value.get(name)) for name in ("iteration", "objective", "bound")
    )
    if not 0 < len(iterations) == len(objectives) == len(bounds):
        return None
    return History(method, tuple(map(int, iterations)), objectives, bounds)


def _numbers(value: Plain) -> tuple[float, ...]:
    """Return the numbers of a list, or nothing if the value is anything else."""
    if not isinstance(value, list):
        return ()
    numbers = [each for each in value if isinstance(each, int | float)]
    return tuple(map(float, numbers)) if len(numbers) == len(value) else ()


def _make_plot(request: FigureRequest) -> Gap:
    folder = request.folder
    selection = (request.title, request.datasets[0], request.methods)
    return gap_figure(folder.cells, folder.rows, *selection)


KIND = FigureKind(_make_plot, of_one_dataset=True)
