"""A quantity on an axis: its unit, and its means over splits with their intervals."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy import stats

from mlbench.comparisons.settings import MetricColumn
from mlbench.errors import MlbenchError
from mlbench.number_text import counted
from mlbench.options import FigureSpread
from mlbench.report.figures.plot import Axes
from mlbench.report.figures.style import wrap_name
from mlbench.results.scores import Scores
from mlbench.solvers.arrays import Floats

LEVEL = 0.95

Spread = FigureSpread | Literal["range"]

SPREAD_NAMES: dict[Spread, str] = {
    "interval": "95 % interval of the mean",
    "std": "standard deviation",
    "range": "smallest to largest",
}

_LABEL = 30
"""Characters of a line of an axis label."""

TIME_LABELS = {
    "tune": "time to tune",
    "fit": "time to fit",
    "predict": "time to predict",
    "total": "time of a cell",
    "cpu": "CPU time of a cell",
}


@dataclass(frozen=True)
class Estimate:
    """A mean over splits with an error bar."""

    mean: float
    low: float
    high: float
    """The ends of the error bar; equal to the mean if there is one split."""
    n: int

    @property
    def text(self) -> str:
        """The mean, the ends of its error bar and the number of splits, separated by tabs."""
        bar = "" if self.n < 2 else f"{self.low:.5g} to {self.high:.5g}"
        return f"{self.mean:.5g}\t{bar}\t{counted(self.n, 'split')}"


def estimate(
    values: Collection[float], spread: Spread = "interval", test_train_ratio: float | None = None
) -> Estimate:
    """Return the mean over splits with its spread.

    Parameters
    ----------
    values : collection of float
        One value per split, at least one.
    spread : {"interval", "std", "range"}
        The 95 % interval of the mean by Student's t, plus and minus one standard deviation
        (ddof = 1), or the range.
    test_train_ratio : float, optional
        Size of the test part over size of the training part, for splits that share samples.
        Nadeau and Bengio's correction then widens the interval, as in the corrected t-test.
    """
    numbers = np.asarray(list(values), dtype=float)
    n = len(numbers)
    mean = float(numbers.mean())
    if n < 2 or spread == "range":
        return Estimate(mean, float(numbers.min()), float(numbers.max()), n)
    half = float(numbers.std(ddof=1))
    if spread == "interval":
        # t_{n-1} s sqrt(1/n + n_test/n_train); without the ratio, Student's interval
        quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
        half *= quantile * float(np.sqrt(1 / n + (test_train_ratio or 0.0)))
    return Estimate(mean, mean - half, mean + half, n)


def error_bars(estimates: Sequence[Estimate | None]) -> tuple[Floats, Floats]:
    """Return means and the lengths of their error bars, for missing estimates NaN and 0."""
    known = [Estimate(np.nan, np.nan, np.nan, 0) if each is None else each for each in estimates]
    mean, low, high = np.array([(each.mean, each.low, each.high) for each in known]).T
    return mean, np.nan_to_num(np.array([mean - low, high - mean]))


def split_count(estimates: Collection[Estimate]) -> str:
    """Return ``10 splits``, or ``3 to 10 splits`` if the numbers of splits differ."""
    counts = sorted({each.n for each in estimates})
    if len(counts) > 1:
        return f"{counts[0]} to {counts[-1]} splits"
    return counted(counts[0], "split")


@dataclass(frozen=True)
class Quantity:
    """A score or a time."""

    name: str
    """Its name in the column ``metric``."""
    label: str
    """The axis label, with the unit."""
    factor: float = 1.0
    """Multiplies stored values for drawing."""
    greater_is_better: bool = True
    bounds: tuple[float, float] | None = None
    """Smallest and largest possible value, as drawn."""
    is_time: bool = False
    """Whether it is a time, which is drawn on a logarithmic axis."""
    spread: Spread = "interval"
    """What error bars and bands show."""
    ratios: Mapping[str, float] = field(default_factory=dict)
    """Size of the test part over size of the training part, for corrected intervals."""

    def of(self, results: Scores, dataset: str, method: str) -> Estimate | None:
        """Return the mean over splits of a method on a data set, or None without values."""
        scores = results.scores(dataset, method, self.name)
        if not scores:
            return None
        values = [self.factor * value for value in scores.values()]
        return estimate(values, self.spread, self.ratios.get(dataset))

    @property
    def difference_label(self) -> str:
        """The label of a difference, with percentage points instead of percent."""
        return self.label.replace("(%)", "(percentage points)")

    def describe(self, estimates: Collection[Estimate], mark: str) -> str:
        """Return a sentence that explains the means and the mark (bar, band) around them."""
        splits = split_count(estimates)
        if max(each.n for each in estimates) < 2:
            return f"One value each: {splits}."
        words = SPREAD_NAMES[self.spread]
        if self.spread == "interval" and self.ratios:
            words += ", corrected for splits that share samples"
        return f"Mean over {splits}; {mark}: {words}."

    def frame(self, axes: Axes, name: Literal["x", "y"] = "y") -> None:
        """Label an axis, and limit it to possible values, with a margin for marks at its end."""
        axes.set(**{f"{name}label": "\n".join(wrap_name(self.label, _LABEL))})
        if self.bounds is not None:
            low, high = getattr(axes, f"get_{name}lim")()
            least, most = self.bounds
            margin = 0.02 * (min(high, most) - max(low, least))
            axes.set(**{f"{name}lim": (max(low, least), min(high, most + margin))})

    def check(self, results: Scores) -> None:
        """Check that the results contain values of the quantity.

        Raises
        ------
        MlbenchError
            If they do not.
        """
        if self.name not in results.metrics:
            raise MlbenchError(f"the results contain no value of {self.name!r}")


def score_quantity(
    metric: MetricColumn,
    percent: bool = True,
    spread: Spread = "interval",
    ratios: Mapping[str, float] | None = None,
) -> Quantity:
    """Return a metric as a quantity, by default with fractions in percent."""
    factor = 100.0 if metric.is_fraction and percent else 1.0
    return Quantity(
        metric.name,
        f"{metric.heading} (%)" if factor > 1 else metric.heading,
        factor,
        metric.greater_is_better,
        bounds=(0.0, factor) if metric.is_fraction else None,
        spread=spread,
        ratios=ratios or {},
    )


def time_quantity(step: str) -> Quantity:
    """Return the time of a step (tune, fit, predict or total) as a quantity."""
    return Quantity(
        f"seconds_{step}",
        f"{TIME_LABELS[step]} (s)",
        greater_is_better=False,
        is_time=True,
        spread="range",
    )
