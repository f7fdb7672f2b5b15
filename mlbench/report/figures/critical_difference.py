"""Mean ranks over data sets, and which do not differ significantly (Demšar's diagram)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.comparisons.over_datasets import common_means, ranked_methods
from mlbench.errors import MlbenchError
from mlbench.number_text import counted
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.quantity import Quantity
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import COLORS, GREY, wrap_name
from mlbench.results.scores import Scores
from mlbench.statistics import ALPHA, RankTest, rank_test

_STEP, _LINE = 0.17, 0.105
_BAR = 0.09
_LETTER = 0.058
_AXIS, _GAP = 0.4, 0.08
"""Inches of a row, another line of a name, a bar, a letter, the axis from the top, and a gap."""
_RANK = 8
"""Characters of a rank and the space around it."""
_SIDE = 0.34
"""The share of the width that names may take on either side."""


@dataclass(frozen=True)
class CriticalDifference(Plot):
    """Methods on an axis of mean ranks; a bar joins those that do not differ significantly."""

    caption_format = "mean ranks in {quantity}"

    quantity: str
    methods: tuple[str, ...]
    """In the order of the test's columns."""
    test: RankTest
    n_splits: int
    """Number of splits of each ranked mean, except where listed in `fewer`."""
    left_out: tuple[str, ...] = ()
    """Methods without a score on some data set, and data sets without a split of all others."""
    fewer: tuple[str, ...] = ()
    """Data sets with fewer such splits than the experiment has, and how many."""

    def height_at(self, width: float) -> float:
        """Return the height of the names, which may take several lines, and of the bars."""
        return 0.62 + sum(self._rows(width)) + _BAR * len(self.test.cliques)

    def _names(self, width: float) -> list[list[str]]:
        """Return the lines of each name."""
        letters = max(_RANK, int(_SIDE * width / _LETTER) - _RANK)
        return [wrap_name(name, letters, most=6) for name in self.methods]

    def _rows(self, width: float) -> list[float]:
        """Return the height of each row; the first row has the best and the worst method."""
        lines = [len(self._names(width)[i]) for i in self.order]
        pairs = zip(lines[: (len(lines) + 1) // 2], reversed(lines), strict=False)
        return [_STEP + _LINE * (max(pair) - 1) for pair in pairs]

    @property
    def note(self) -> str:
        """What the marks mean."""
        test = self.test
        splits = [counted(self.n_splits, "split"), *self.fewer]
        words = [
            f"Mean ranks by {self.quantity} (means over {', '.join(splits)}) on "
            f"{counted(test.n_datasets, 'data set')}; 1 is best."
        ]
        if self.left_out:
            words.append(f"Left out: {', '.join(self.left_out)}.")
        if not test.is_tested:
            return f"{' '.join(words)} No test: {test.note}."
        words.append(f"Friedman (Iman-Davenport F): p = {test.p_iman_davenport:.2g}.")
        if test.cliques:
            words.append(f"Joined: no significant difference (Nemenyi, {test.alpha:g}).")
        if test.note:
            words.append(f"{test.note[0].upper()}{test.note[1:]}.")
        return " ".join(words)

    @property
    def order(self) -> list[int]:
        """Columns of the test, best first."""
        return [int(each) for each in np.argsort(self.test.mean_ranks, kind="stable")]

    def lines(self) -> list[str]:
        """Return the ranks, one per line, then the critical difference and the groups."""
        test = self.test
        found = [f"{self.methods[i]}\tmean rank {test.mean_ranks[i]:.4g}" for i in self.order]
        if test.is_tested:
            found.append(f"critical difference {test.critical_difference:.4g} at {test.alpha:g}")
        else:
            found.append(f"no test\t{test.note}")
        for clique in test.cliques:
            found.append(
                "not significantly different\t" + "\t".join(self.methods[i] for i in clique)
            )
        return found

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw the axis of ranks, the critical difference above it, and names on both sides."""
        (axes,) = panels
        axes.set_axis_off()
        axes.grid(visible=False)
        figure = axes.get_figure(root=True)
        assert figure is not None
        width = float(figure.get_figwidth())
        names = self._names(width)
        last = len(self.methods)
        # The axis from rank 1 to the last takes what the names leave of the width, so an inch along
        # it is this many ranks:
        margin = _LETTER * (max(len(line) for name in names for line in name) + _RANK)
        inch = (last - 1) / (width - 2 * margin)
        axes.set(xlim=(1 - margin * inch, last + margin * inch), ylim=(self.height_at(width), 0.0))
        self._draw_axis(axes, every=int(np.ceil(0.2 * inch)))
        if self.test.is_tested:
            self._draw_difference(axes)
        for row, clique in enumerate(self.test.cliques):
            self._draw_clique(axes, clique, _AXIS + _GAP + row * _BAR)
        top = _AXIS + _GAP + _BAR * len(self.test.cliques) + _GAP
        rows = self._rows(width)
        left = (last + 1) // 2
        for rank, i in enumerate(self.order):
            row = rank if rank < left else last - 1 - rank
            y = top + sum(rows[:row]) + (rows[row] - _STEP) / 2
            self._draw_name(axes, i, names[i], y, inch, on_left=rank < left)

    def _draw_axis(self, axes: Axes, every: int) -> None:
        """Draw the axis of ranks, with a number at some of them."""
        last = len(self.methods)
        axes.plot([1, last], [_AXIS, _AXIS], color="black", linewidth=0.8)
        for rank in range(1, last + 1):
            axes.plot([rank, rank], [_AXIS - 0.05, _AXIS], color="black", linewidth=0.8)
            if (rank - 1) % every == 0:
                axes.text(rank, _AXIS - 0.07, str(rank), ha="center", va="bottom", fontsize=6.5)

    def _draw_clique(self, axes: Axes, clique: Sequence[int], y: float) -> None:
        """Draw a bar that joins methods."""
        ranks = [self.test.mean_ranks[i] for i in clique]
        overhang = 0.012 * (len(self.methods) - 1)
        axes.plot(
            [min(ranks) - overhang, max(ranks) + overhang],
            [y, y],
            color=COLORS[0],
            linewidth=2.4,
            solid_capstyle="butt",
        )

    def _draw_name(
        self, axes: Axes, i: int, name: Sequence[str], y: float, inch: float, on_left: bool
    ) -> None:
        """Draw a line from a method's rank to the side, then the rank and the name."""
        rank, last = self.test.mean_ranks[i], len(self.methods)
        outward = -1 if on_left else 1
        align = "right" if on_left else "left"
        end = (1 if on_left else last) + outward * 0.03 * (last - 1)
        axes.plot([rank, rank, end], [_AXIS, y, y], color=GREY, linewidth=0.6)
        axes.text(end, y, f"  {rank:.2f} ", ha=align, va="center", fontsize=7)
        axes.text(
            end + outward * 0.38 * inch,
            y,
            "\n".join(name),
            ha=align,
            va="center",
            fontsize=7,
            linespacing=0.95,
        )

    def _draw_difference(self, axes: Axes) -> None:
        y, end = 0.12, 1 + self.test.critical_difference
        axes.plot([1, end], [y, y], color="black", linewidth=0.8)
        for x in (1, end):
            axes.plot([x, x], [y - 0.03, y + 0.03], color="black", linewidth=0.8)
        label = f"critical difference {self.test.critical_difference:.2f}"
        axes.text(end, y, f"  {label}", ha="left", va="center", fontsize=6.5)


def critical_difference_figure(
    results: Scores,
    quantity: Quantity,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
    alpha: float = ALPHA,
) -> CriticalDifference:
    """Rank methods on each data set by their means over the splits that all of them share.

    Raises
    ------
    MlbenchError
        If no data set has a score of every method.
    """
    quantity.check(results)
    ranked, kept = ranked_methods(results, methods, datasets, quantity.name)
    means = common_means(results, ranked, kept if ranked else [], quantity.name)
    if not means.rows:
        raise MlbenchError(
            f"there is no data set on which every method has a value of {quantity.name!r}"
        )
    return CriticalDifference(
        title,
        quantity.label.partition(" (")[0],
        tuple(ranked),
        rank_test(means.rows, quantity.greater_is_better, alpha),
        max(results.n_splits(dataset) for dataset in means.datasets),
        (
            *(name for name in datasets if name not in means.datasets),
            *(name for name in methods if name not in ranked),
        ),
        means.fewer,
    )


MIN_ON_PAGE = 3
"""The fewest methods and data sets for which the HTML page shows the diagram."""


def _of_request(request: FigureRequest) -> CriticalDifference:
    """Rank at the level of the experiment's first test."""
    alpha = next((each.alpha for each in request.folder.plan.experiment.tests), ALPHA)
    return critical_difference_figure(request.results, request.score, *request.selection, alpha)


KIND = FigureKind(
    _of_request,
    uses=("metric",),
    judges=True,
    on_page=lambda request: min(len(request.datasets), len(request.methods)) >= MIN_ON_PAGE,
)
