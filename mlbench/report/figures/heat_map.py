"""Scores of all methods on all data sets, shaded by how far each is behind the best there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from mlbench.number_text import counted
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.quantity import Estimate, Quantity
from mlbench.report.figures.request import FigureKind
from mlbench.report.figures.style import GREY, LIGHT, short_name
from mlbench.results.scores import Scores
from mlbench.solvers.arrays import Floats

_ROW, _MARGIN, _LETTER = 0.145, 0.55, 0.05
"""Inches of a row, around the map, and of a letter of a data set's name, which is upright."""
"""Characters of a data set's name."""
_TOP = 90
"""The percentile of the distances from which on cells have the darkest shade."""
_DARK = 0.55
"""The part of the darkest shade from which on numbers are white."""


@dataclass(frozen=True)
class HeatMap(Plot):
    """A row for each method, the best mean rank first, and a column for each data set."""

    caption_format = "{quantity.label} on each data set"

    quantity: Quantity
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    means: tuple[tuple[Estimate | None, ...], ...]
    """One row per method, one entry per data set; None for a missing value."""

    @property
    def values(self) -> Floats:
        """The means, NaN where one is missing."""
        return np.array(
            [[np.nan if each is None else each.mean for each in row] for row in self.means]
        )

    @property
    def behind(self) -> Floats:
        """How far each mean is behind the best one on the data set."""
        values = self.values if self.quantity.greater_is_better else -self.values
        gaps: Floats = np.nanmax(values, axis=0) - values
        return gaps

    @property
    def height(self) -> float:
        """The height of the rows and of the names of data sets."""
        letters = max(len(short_name(name)) for name in self.datasets)
        return _MARGIN + _LETTER * letters + _ROW * len(self.methods)

    @property
    def note(self) -> str:
        """What the marks mean."""
        n_missing = int(np.isnan(self.values).sum())
        missing = f" {counted(n_missing, 'value')} missing." if n_missing else ""
        return (
            "The darker, the further behind the best method on the data set. From the best mean "
            f"rank to the worst; where values are missing, methods share the last ranks.{missing}"
        )

    def lines(self) -> list[str]:
        """Return the cells, one per line."""
        return [
            f"{dataset}\t{method}\t{'no value' if mean is None else mean.text}"
            for method, row in zip(self.methods, self.means, strict=True)
            for dataset, mean in zip(self.datasets, row, strict=True)
        ]

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw the cells with their numbers, and the scale of the shades."""
        (axes,) = panels
        values, behind = self.values, self.behind
        most = float(np.nanpercentile(behind, _TOP)) or 1.0
        axes.grid(visible=False)
        axes.set_facecolor(LIGHT)
        mesh = axes.pcolormesh(
            np.ma.masked_invalid(behind), cmap="Blues", vmin=0.0, vmax=most, edgecolors="none"
        )
        shades = axes.figure.colorbar(
            mesh, ax=axes, location="bottom", pad=0.02, aspect=40, extend="max"
        )
        shades.set_label(f"behind the best: {self.quantity.difference_label}")
        shades.outline.set_linewidth(0.4)
        decimals = 0 if np.nanmax(np.abs(values)) >= 10 else 2
        for (row, column), value in np.ndenumerate(values):
            is_known = np.isfinite(value)
            axes.text(
                column + 0.5,
                row + 0.5,
                f"{value:.{decimals}f}" if is_known else "–",
                ha="center",
                va="center",
                fontsize=5.5,
                fontweight="bold" if behind[row, column] == 0 else "normal",
                color="white" if is_known and behind[row, column] > _DARK * most else "black",
            )
        axes.set_yticks(np.arange(len(self.methods)) + 0.5, self.methods)
        axes.set_xticks(
            np.arange(len(self.datasets)) + 0.5, map(short_name, self.datasets), rotation=90
        )
        axes.tick_params(length=0, colors=GREY, labelcolor="black")
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.invert_yaxis()


def heat_map_figure(
    results: Scores,
    quantity: Quantity,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
) -> HeatMap:
    """Return all means, with the method of the best mean rank first.

    Raises
    ------
    MlbenchError
        If the results contain no value of the quantity.
    """
    quantity.check(results)
    rows = {
        method: [quantity.of(results, dataset, method) for dataset in datasets]
        for method in methods
    }
    known = [name for k, name in enumerate(datasets) if any(row[k] for row in rows.values())]
    kept = {
        method: tuple(each for name, each in zip(datasets, row, strict=True) if name in known)
        for method, row in rows.items()
    }
    order = np.argsort(_mean_ranks(list(kept.values()), quantity), kind="stable")
    ordered = tuple(methods[k] for k in order)
    return HeatMap(title, quantity, tuple(known), ordered, tuple(kept[name] for name in ordered))


def _mean_ranks(rows: Sequence[Sequence[Estimate | None]], quantity: Quantity) -> Floats:
    """Return mean ranks over data sets; methods without a value share the last ranks."""
    sign = -1.0 if quantity.greater_is_better else 1.0
    losses = [[np.inf if each is None else sign * each.mean for each in row] for row in rows]
    return np.asarray(rankdata(losses, axis=0).mean(axis=1))


KIND = FigureKind(
    lambda request: heat_map_figure(request.results, request.quantity, *request.selection),
    uses=("metric", "seconds"),
    judges=True,
)
