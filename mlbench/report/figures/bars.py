"""Scores or times by data set: a bar for each method, or a dot where bars would mislead."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.quantity import Estimate, Quantity, error_bars
from mlbench.report.figures.request import MAX_ON_PAGE, FigureKind
from mlbench.report.figures.style import LIGHT, make_logarithmic, method_style, wrap_name
from mlbench.report.render.layout import wrap_heading
from mlbench.results.scores import Scores

_NAME = 14
"""Characters of a line of a data set's name."""
_MAX_BARS = 40
_FEW, _FEW_DOT, _DOT = 5, 0.12, 0.075
_GROUP = 0.12
"""Inches between the dots of two methods, for few methods and for more, and between data sets."""


@dataclass(frozen=True)
class Bars(Plot):
    """Bars or dots in groups."""

    caption_format = "{quantity.label} by data set"

    quantity: Quantity
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    heights: tuple[tuple[Estimate | None, ...], ...]
    """One row per method, one entry per data set; None for a missing value."""

    @property
    def dotted(self) -> bool:
        """Whether there are dots instead of bars.

        Times have a logarithmic axis, which has no zero where bars could start. Bars look alike if
        the smallest is more than half of the largest. Very many bars are too thin.
        """
        means = [abs(each.mean) for row in self.heights for each in row if each is not None]
        many = len(self.datasets) * len(self.methods) > _MAX_BARS
        return self.quantity.is_time or many or min(means) > max(means) / 2

    @property
    def height(self) -> float:
        """The height for the number of dots, or for bars, whose names may be rotated."""
        if self.dotted:
            return 0.55 + len(self.datasets) * (self._dot * len(self.methods) + _GROUP)
        return super().height + (0.4 if self._steep else 0.0)

    @property
    def _dot(self) -> float:
        return _FEW_DOT if len(self.methods) <= _FEW else _DOT

    @property
    def _steep(self) -> bool:
        return len(self.datasets) > 4

    @property
    def note(self) -> str:
        """What the marks mean."""
        known = [each for row in self.heights for each in row if each is not None]
        return self.quantity.describe(known, "whisker")

    def lines(self) -> list[str]:
        """Return the bars, one per line."""
        return [
            f"{dataset}\t{method}\t{'no value' if height is None else height.text}"
            for method, row in zip(self.methods, self.heights, strict=True)
            for dataset, height in zip(self.datasets, row, strict=True)
        ]

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw all bars from zero, so that areas can be compared, or all dots."""
        (axes,) = panels
        if self.dotted:
            self._draw_dots(axes)
            return
        axes.grid(visible=False, axis="x")
        # Method k of n is (k - (n - 1) / 2) widths from the center of its data set.
        width = 0.82 / len(self.methods)
        centers = np.arange(len(self.datasets))
        for row, (method, heights) in enumerate(zip(self.methods, self.heights, strict=True)):
            style = method_style(row)
            mean, error = error_bars(heights)
            axes.bar(
                centers + (row - (len(self.methods) - 1) / 2) * width,
                mean,
                width,
                yerr=error,
                label=method,
                color=style.color if style.filled else "white",
                edgecolor="white" if style.filled else style.color,
                hatch=style.hatch,
                linewidth=0.4,
                error_kw={"elinewidth": 0.6, "capsize": min(2.0, 20 * width), "capthick": 0.6},
            )
        axes.set_xticks(
            centers,
            ["\n".join(wrap_heading(name, _NAME)) for name in self.datasets],
            rotation=35 if self._steep else 0,
            ha="right" if self._steep else "center",
            rotation_mode="anchor" if self._steep else "default",
        )
        axes.tick_params(axis="x", length=0)
        self.quantity.frame(axes)

    def _draw_dots(self, axes: Axes) -> None:
        """Draw a line of dots for each data set, from the first method down to the last."""
        axes.grid(visible=False, axis="y")
        centers = np.arange(len(self.datasets))
        step = self._dot / (self._dot * len(self.methods) + _GROUP)
        for row, (method, values) in enumerate(zip(self.methods, self.heights, strict=True)):
            mean, error = error_bars(values)
            axes.errorbar(
                mean,
                centers + (row - (len(self.methods) - 1) / 2) * step,
                xerr=error,
                label=method,
                elinewidth=0.6,
                **{**method_style(row).point, "markersize": 3.6},
            )
        for center in centers[1:]:
            axes.axhline(center - 0.5, color=LIGHT, linewidth=0.5)
        if self.quantity.is_time:
            make_logarithmic(axes, "x")
        axes.set_yticks(centers, ["\n".join(wrap_name(name)) for name in self.datasets])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(self.datasets) - 0.5, -0.5)
        self.quantity.frame(axes, "x")


def bars_figure(
    results: Scores,
    quantity: Quantity,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
) -> Bars:
    """Return a quantity as bars or dots; raise MlbenchError if it has no value."""
    quantity.check(results)
    heights = tuple(
        tuple(quantity.of(results, dataset, method) for dataset in datasets) for method in methods
    )
    return Bars(title, quantity, tuple(datasets), tuple(methods), heights)


KIND = FigureKind(
    lambda request: bars_figure(request.results, request.quantity, *request.selection),
    uses=("metric", "seconds", "spread"),
    on_page=lambda request: (
        request.usual == "bars" and len(request.datasets) * len(request.methods) <= MAX_ON_PAGE
    ),
    per_metric=True,
)
