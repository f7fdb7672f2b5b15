"""Tuning curves: the cross-validated score of every candidate, and which was chosen."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.number_text import listed
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.quantity import Quantity
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import COLORS, GREY, LIGHT, make_logarithmic
from mlbench.solvers.arrays import Floats
from mlbench.store import Plain, Row, TuningRecord
from mlbench.store.plain_values import in_python

GridValue = float | str
NO_SCORE = "no score"
"""Of a candidate that no search has reached, or whose metric was undefined."""


@dataclass(frozen=True)
class Search:
    """The searches of one method on one data set."""

    method: str
    parameters: tuple[str, ...]
    """The one or two parameters with the most values, which are drawn."""
    values: tuple[tuple[GridValue, ...], ...]
    """The values of each of these parameters, in the order of the grid."""
    scores: tuple[Any, ...]
    """For each search, one number per value (or a row per value of the first parameter): the mean
    over folds, the best over parameters that are not drawn; NaN where the search stopped earlier.
    """
    chosen: tuple[tuple[int, ...], ...]
    """For each search, the position of the chosen value of each parameter."""
    y_label: str
    """The metric that was optimized."""
    others: tuple[str, ...] = ()
    """Parameters that are not drawn."""

    @property
    def mean(self) -> Floats:
        """The mean over searches where all have a value, so that it does not jump."""
        return np.asarray(np.mean(self.scores, axis=0))


@dataclass(frozen=True)
class TuningCurves(Plot):
    """The searches of several methods on one data set, a panel for each."""

    caption_format = "candidates of tuning on {dataset}"

    dataset: str
    panels: tuple[Search, ...]

    @property
    def note(self) -> str:
        """What the marks mean."""
        number = max(len(search.scores) for search in self.panels)
        words = [f"{self.dataset}; mean over the folds of {number} searches."]
        if number == 1:
            return f"{self.dataset}; mean over the folds of 1 search. Dot or cross: chosen."
        if any(len(search.parameters) == 1 for search in self.panels):
            words.append("Thin: each search; thick: mean where all have values; dots: chosen.")
        if any(len(search.parameters) == 2 for search in self.panels):
            words.append("Numbers on a map: how often a candidate was chosen.")
        return " ".join(words)

    def lines(self) -> list[str]:
        """Return the candidates, one per line."""
        found = []
        for search in self.panels:
            mean = search.mean
            times = Counter(search.chosen)
            for index in np.ndindex(mean.shape):
                at = [values[i] for values, i in zip(search.values, index, strict=True)]
                point = ", ".join(
                    f"{name}={_text(value)}"
                    for name, value in zip(search.parameters, at, strict=True)
                )
                score = f"{mean[index]:.5g}"
                if np.isnan(mean[index]):
                    came = np.count_nonzero([~np.isnan(np.array(s)[index]) for s in search.scores])
                    score = f"reached by {came} of {len(search.scores)}" if came else NO_SCORE
                often = f"\tchosen {times[index]} of {len(search.chosen)}" if times[index] else ""
                found.append(f"{self.dataset}\t{search.method}\t{point}\t{score}{often}")
        return found

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw curves, and maps where two parameters were tuned."""
        for axes, search in zip(panels, self.panels, strict=True):
            others = f"\n(best {listed(list(search.others))})" if search.others else ""
            axes.set_title(search.method + others)
            if len(search.parameters) == 1:
                _draw_curves(axes, search)
                axes.set_ylabel(search.y_label)
            else:
                _draw_map(axes, search)


def tuning_figure(
    searches: Mapping[str, Sequence[TuningRecord]],
    quantity_of: Callable[[str], Quantity],
    title: str,
    dataset: str,
) -> TuningCurves:
    """Return the searches on one data set as curves and maps.

    Parameters
    ----------
    searches : mapping
        The searches of each method. Searches with another grid than the first are ignored.
    quantity_of : callable
        From the name of a metric.
    title, dataset : str

    Raises
    ------
    MlbenchError
        If nothing was tuned.
    """
    panels = [
        _search(method, found, quantity_of(found[0].metric))
        for method, found in searches.items()
        if found and any(point != found[0].grid[0] for point in found[0].grid)
    ]
    if not panels:
        raise MlbenchError(f"no method has been tuned on {dataset!r} yet")
    return TuningCurves(title, dataset, tuple(panels))


def searches_of(
    cells: Iterable[tuple[str, str, int, str]],
    rows: Mapping[str, Row],
    dataset: str,
    methods: Sequence[str],
    metric: str = "",
) -> dict[str, list[TuningRecord]]:
    """Return the searches on a data set by method; a shared one belongs to its first method.

    Where several metrics decided, each is that of `metric`, if it was one of them.
    """
    found: dict[str, list[TuningRecord]] = {}
    seen = set()
    for name, method, _, key in cells:
        row = rows.get(key)
        if name != dataset or method not in methods or row is None or row.tuning is None:
            continue
        if row.search not in seen:
            seen.add(row.search)
            found.setdefault(method, []).append(row.tuning.by(metric))
    return found


def _search(method: str, found: Sequence[TuningRecord], quantity: Quantity) -> Search:
    """Reduce a grid to the two parameters with the most values."""
    grid = found[0].grid
    found = [search for search in found if search.grid == grid]
    values: dict[str, list[GridValue]] = {}
    for point in grid:
        for name, value in point.items():
            known = values.setdefault(name, [])
            if (plain := _plain(value)) not in known:
                known.append(plain)
    tuned = [name for name in values if len(values[name]) > 1]
    drawn = sorted(sorted(tuned, key=lambda name: -len(values[name]))[:2], key=tuned.index)
    for name in drawn:
        if all(isinstance(value, float) for value in values[name]):
            values[name].sort(key=float)
    indices = [tuple(values[name].index(_plain(point[name])) for name in drawn) for point in grid]
    shape = tuple(len(values[name]) for name in drawn)
    sign = 1.0 if quantity.greater_is_better else -1.0
    scores = []
    for search in found:
        table = np.full(shape, np.nan)
        for index, folds in zip(indices, search.scores, strict=True):
            known_folds = [score for score in folds if score is not None]
            if known_folds:
                mean = quantity.factor * float(np.mean(known_folds))
                table[index] = sign * np.fmax(sign * table[index], sign * mean)
        scores.append(_nested(table.tolist()))
    return Search(
        method,
        tuple(drawn),
        tuple(tuple(values[name]) for name in drawn),
        tuple(scores),
        tuple(indices[search.best] for search in found),
        quantity.label,
        tuple(name for name in tuned if name not in drawn),
    )


def scale_of(values: Sequence[GridValue]) -> Literal["linear", "log", "even"]:
    """Choose the scale of an axis; "even" for texts, and for zero with powers."""
    if any(isinstance(value, str) for value in values):
        return "even"
    numbers = np.array(values, dtype=float)
    positive = numbers[numbers > 0]
    if len(positive) < 2 or np.any(numbers < 0) or not _is_geometric(positive):
        return "linear"
    return "log" if len(positive) == len(numbers) else "even"


def _is_geometric(numbers: Floats) -> bool:
    """Return whether the logarithms of ascending numbers are more evenly spaced."""

    def unevenness(values: Floats) -> float:
        gaps = np.diff(values)
        return float(gaps.std() / gaps.mean())

    return unevenness(np.log(numbers)) < unevenness(numbers)


def _draw_curves(axes: Axes, search: Search) -> None:
    (values,), (name,) = search.values, search.parameters
    scale = scale_of(values)
    x = np.arange(len(values)) if scale == "even" else np.array(values, dtype=float)
    if scale == "even":
        axes.set_xticks(x, [_text(value) for value in values])
    if len(search.scores) > 1:
        for scores in search.scores:
            axes.plot(x, scores, color=GREY, linewidth=0.5, alpha=0.6)
    axes.plot(x, search.mean, color=COLORS[0], linewidth=1.6, zorder=3)
    for scores, (index,) in zip(search.scores, search.chosen, strict=True):
        axes.plot(
            x[index], scores[index], "o", color=COLORS[1], markersize=3.2, zorder=4, alpha=0.8
        )
    if scale == "log":
        make_logarithmic(axes, "x")
    axes.set_xlabel(name)


def _draw_map(axes: Axes, search: Search) -> None:
    rows, columns = search.values
    mean = search.mean
    axes.grid(visible=False)
    axes.set_facecolor(LIGHT)
    mesh = axes.pcolormesh(np.ma.masked_invalid(mean), cmap="cividis", edgecolors="none")
    colors = axes.figure.colorbar(mesh, ax=axes, label=search.y_label, pad=0.02, aspect=25)
    colors.outline.set_linewidth(0.4)
    low, high = np.nanmin(mean), np.nanmax(mean)
    for (i, j), times in Counter(search.chosen).items():
        dark = mean[i, j] < (low + high) / 2
        axes.text(
            j + 0.5,
            i + 0.5,
            str(times) if len(search.chosen) > 1 else "×",
            ha="center",
            va="center",
            fontsize=7,
            fontweight="bold",
            color="white" if dark else "black",
        )
    for set_ticks, values in ((axes.set_yticks, rows), (axes.set_xticks, columns)):
        every = -(-len(values) // 8)
        shown = range(0, len(values), every)
        set_ticks([index + 0.5 for index in shown], [_text(values[index]) for index in shown])
    axes.tick_params(length=0)
    axes.set(xlabel=search.parameters[1], ylabel=search.parameters[0])


def _plain(value: Plain) -> GridValue:
    """Return a grid's value as a number, or else as text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        return value
    known = in_python(value)
    return json.dumps(value) if known == value else repr(known)


def _text(value: GridValue) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def _make_plot(request: FigureRequest) -> TuningCurves:
    folder, dataset = request.folder, request.datasets[0]
    found = searches_of(
        folder.cells, folder.whole_rows, dataset, request.methods, request.score.name
    )
    return tuning_figure(found, request.quantity_of, request.title, dataset)


KIND = FigureKind(_make_plot, uses=("metric",), of_one_dataset=True)
