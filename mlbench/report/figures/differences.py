"""A forest plot: how much a method differs from each of the others, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from mlbench.comparisons.pairwise_tests import compare_methods
from mlbench.config.comparison import Comparison
from mlbench.errors import MlbenchError
from mlbench.number_text import counted_from_to
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.quantity import Quantity
from mlbench.report.figures.request import MAX_ON_PAGE, FigureKind, FigureRequest
from mlbench.report.figures.style import COLORS, GREY, wrap_name
from mlbench.results.scores import Scores
from mlbench.spelling import check_name
from mlbench.statistics import ALPHA

_LINE = 0.17
_LABEL_WIDTH = 44


@dataclass(frozen=True)
class Difference:
    """The scores of the method minus the scores of another method on one data set."""

    dataset: str
    against: str
    mean: float
    low: float
    high: float
    """The corrected interval of the mean; NaN where the sizes of the splits are not known."""
    splits: tuple[float, ...]
    """The difference on each common split."""
    is_significant: bool


@dataclass(frozen=True)
class ForestPlot(Plot):
    """Differences on one axis, a line for each data set and other method."""

    caption_format = "difference of {method} from the others in {quantity}"

    quantity: str
    """What differs, and its unit."""
    method: str
    greater_is_better: bool
    rows: tuple[Difference, ...]
    alpha: float = ALPHA
    """The level of the tests."""
    n_corrected: frozenset[int] = frozenset({1})
    """The numbers of p-values that Holm's correction is for on data sets; 1 without one."""

    @property
    def height(self) -> float:
        """The height of a line for each difference and each data set."""
        return 0.55 + _LINE * (len(self.rows) + len(self._datasets))

    @property
    def _is_corrected(self) -> bool:
        return max(self.n_corrected) > 1

    @property
    def _datasets(self) -> list[str]:
        return list(dict.fromkeys(row.dataset for row in self.rows))

    @property
    def note(self) -> str:
        """What the marks mean."""
        sizes = sorted({len(row.splits) for row in self.rows})
        splits = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        side = "right" if self.greater_is_better else "left"
        words = [
            f"{self.method} minus the other, over {splits} common splits (small dots); {side} of 0 "
            f"{self.method} is better (blue), on the other side worse (orange)."
        ]
        unknown = [f"{row.dataset}, {row.against}" for row in self.rows if math.isnan(row.low)]
        if len(unknown) < len(self.rows):
            holm = f", Holm over {counted_from_to(self.n_corrected, 'method')}"
            words.append(
                f"Line: the mean's {100 * (1 - self.alpha):g} % interval, corrected for splits "
                "that share samples. Filled: significant (corrected t-test, "
                f"{self.alpha:g}{holm if self._is_corrected else ''})."
            )
        if unknown:
            words.append(f"No interval: {'; '.join(unknown)}.")
        return " ".join(words)

    def lines(self) -> list[str]:
        """Return the differences, one per line."""
        after = " after Holm" if self._is_corrected else ""
        return [
            f"{row.dataset}\t{row.against}\t{row.mean:.4g} [{row.low:.4g}, {row.high:.4g}], "
            f"{'significant' if row.is_significant else 'not significant'}{after}"
            for row in self.rows
        ]

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw all lines, data set by data set."""
        (axes,) = panels
        axes.grid(visible=False, axis="y")
        axes.axvline(0, color=GREY, linewidth=0.8)
        names: list[str] = []
        for dataset, rows in groupby(self.rows, key=lambda row: row.dataset):
            names.append(dataset)
            for row in rows:
                self._draw_row(axes, len(names), row)
                names.append(row.against)
        axes.set_yticks(range(len(names)), ["\n".join(wrap_name(name)) for name in names])
        for name, text in zip(names, axes.get_yticklabels(), strict=True):
            text.set_fontweight("bold" if name in self._datasets else "normal")
            text.set_linespacing(0.9)
            text.set_fontsize(7 if len(wrap_name(name)) == 1 else 4.5)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlabel("\n".join(wrap_name(f"difference in {self.quantity}", _LABEL_WIDTH)))

    def _draw_row(self, axes: Axes, y: int, row: Difference) -> None:
        better = (row.mean > 0) == self.greater_is_better
        color = COLORS[0] if better else COLORS[1]
        axes.plot(
            row.splits, [y + 0.3] * len(row.splits), "o", color=GREY, markersize=1.5, alpha=0.5
        )
        if not math.isnan(row.low):
            axes.plot([row.low, row.high], [y, y], color=color, linewidth=1.2)
        axes.plot(
            row.mean,
            y,
            "o",
            color=color,
            markerfacecolor=color if row.is_significant else "white",
            markersize=4.5,
        )


def differences_figure(
    results: Scores,
    quantity: Quantity,
    title: str,
    datasets: Sequence[str],
    methods: Sequence[str],
    entry: Comparison,
) -> ForestPlot:
    """Return the differences between the scores of a method and of others.

    `entry` names them, and says how they are tested; those in `methods` are shown.

    Raises
    ------
    MlbenchError
        If the method shares no split with another one.
    """
    quantity.check(results)
    method = entry.method
    asked = entry.model_copy(update={"test": ["corrected_t"]})
    rows, n_corrected = [], set[int]()
    for dataset in datasets:
        ratio = quantity.ratios.get(dataset)
        of_method = results.scores(dataset, method, quantity.name)
        found = compare_methods(
            results, asked, dataset, quantity.name, ratio, quantity.greater_is_better
        )
        tested = {finding.against: finding for finding in found}
        for other in (name for name in asked.others if name in methods):
            of_other = results.scores(dataset, other, quantity.name)
            splits = tuple(
                quantity.factor * (of_method[s] - of_other[s]) for s in of_method if s in of_other
            )
            if not splits:
                continue
            interval, decides = (math.nan, math.nan), False
            if other in tested:
                effect = tested[other].difference
                interval = quantity.factor * effect.low, quantity.factor * effect.high
                decides = tested[other].decision() != 0
                n_corrected.add(tested[other].n_corrected.get("corrected_t", 1))
            mean = sum(splits) / len(splits)
            rows.append(Difference(dataset, other, mean, *interval, splits, decides))
    if not rows:
        raise MlbenchError(f"{method} shares no split with another method")
    return ForestPlot(
        title,
        quantity.difference_label,
        method,
        quantity.greater_is_better,
        tuple(rows),
        asked.alpha,
        frozenset(n_corrected or {1}),
    )


def _of_request(request: FigureRequest, *, method: str | None = None) -> ForestPlot:
    """Compare a method as its entry of the experiment's tests says, by default as the first one.

    A method without an entry is compared with all others.
    """
    tests, known = request.folder.plan.experiment.tests, request.folder.plan.methods
    chosen = method or (tests[0].method if tests else known[0])
    check_name("method", chosen, known)
    entries = (each for each in tests if each.method == chosen)
    entry = next(entries, Comparison(method=chosen)).resolved(known)
    return differences_figure(request.results, request.score, *request.selection, entry)


KIND = FigureKind(
    _of_request,
    uses=("metric",),
    judges=True,
    on_page=lambda request: (
        bool(request.folder.plan.experiment.tests)
        and len(request.datasets) * len(request.methods) <= MAX_ON_PAGE
    ),
    per_metric=True,
)
