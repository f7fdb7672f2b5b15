"""Curves over a property of the data sets: scores or times, with what stands behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mlbench.errors import MlbenchError

# Okabe and Ito's colours, distinct to colour-blind readers; markers keep them apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True)
class Curve:
    """One method's line.

    Attributes
    ----------
    method : str
    x, mean, std : tuple of float
        One entry per data set; std is nan where there is one split.
    n : tuple of int
        Splits behind each point.
    """

    method: str
    x: tuple[float, ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]
    n: tuple[int, ...]

    @property
    def slope(self) -> float:
        """Least-squares slope of log(mean) over log(x): the exponent of growth."""
        if len(self.x) < 2 or min(self.x) <= 0 or min(self.mean) <= 0:
            return float("nan")
        return float(np.polyfit(np.log(self.x), np.log(self.mean), 1)[0])


def curves(
    values: pd.DataFrame, quantity: str, methods: Sequence[str], x: Mapping[str, float]
) -> list[Curve]:
    """Arrange one quantity as a line per method.

    Parameters
    ----------
    values : DataFrame
        Columns dataset, method, split, metric, value.
    quantity : str
        The entry of the column ``metric``.
    methods : sequence of str
    x : mapping
        Where each data set stands on the horizontal axis.

    Raises
    ------
    MlbenchError
        If there is no value of the quantity.
    """
    chosen = values[(values["metric"] == quantity) & values["value"].notna()]
    if chosen.empty:
        raise MlbenchError(f"the results hold no value of {quantity!r}")
    found = []
    for method in methods:
        points = []
        for dataset, place in sorted(x.items(), key=lambda item: item[1]):
            here = chosen[(chosen["method"] == method) & (chosen["dataset"] == dataset)]["value"]
            if len(here):
                points.append((place, here.mean(), here.std(ddof=1), len(here)))
        if points:
            found.append(Curve(method, *(tuple(column) for column in zip(*points, strict=True))))
    return found


def draw(
    lines: Sequence[Curve],
    path: Path,
    x_label: str,
    y_label: str,
    title: str,
    logarithmic: bool = False,
) -> None:
    """Draw curves to a file; its suffix (svg, png, pdf) says in which form.

    Error bars are one standard deviation over splits. On logarithmic axes the legend states
    the slope of each line.

    Raises
    ------
    MlbenchError
        If matplotlib is not installed, or the suffix is not one that it knows.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MlbenchError(
            "figures need matplotlib: python -m pip install 'mlbench[plot]'"
        ) from None
    figure = Figure(figsize=(5.6, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for index, line in enumerate(lines):
        label = line.method
        if logarithmic:
            label += f" (slope {line.slope:.2f})"
        axes.errorbar(
            line.x,
            line.mean,
            yerr=np.nan_to_num(line.std),
            label=label,
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            linestyle="-" if index < len(COLOURS) else "--",
            markersize=4.5,
            linewidth=1.4,
            capsize=2.5,
        )
    places = sorted({place for line in lines for place in line.x})
    axes.set_xscale("log" if logarithmic or places[-1] >= 8 * max(places[0], 1e-300) else "linear")
    axes.set_yscale("log" if logarithmic else "linear")
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.minorticks_off()
    counts = sorted({n for line in lines for n in line.n})
    splits = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(f"{title}\nmean and standard deviation over {splits} splits", fontsize=9)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=8)
    try:
        with rc_context({"svg.hashsalt": "mlbench"}):  # the same figure is the same file
            metadata = {"Date": None} if path.suffix == ".svg" else None
            figure.savefig(path, dpi=160, metadata=metadata)
    except ValueError as error:
        raise MlbenchError(f"{path}: {error}") from None
