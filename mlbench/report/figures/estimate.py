"""Means over splits with their intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from mlbench.options import FigureSpread
from mlbench.report.numbers import counted

LEVEL = 0.95

Floats = npt.NDArray[np.float64]

Spread = FigureSpread | Literal["range"]

SPREAD_NAMES: dict[Spread, str] = {
    "interval": "95 % interval of the mean",
    "std": "standard deviation",
    "range": "smallest to largest",
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
        One per split; at least one.
    spread : {"interval", "std", "range"}
        The 95 % interval of the mean by Student's t, plus and minus one standard deviation
        (ddof = 1), or the range.
    test_train_ratio : float, optional
        Size of the test part over that of the training part, for splits that share samples. The
        interval is then widened by Nadeau and Bengio's correction, as in the corrected t-test.
    """
    numbers = np.asarray(list(values), dtype=float)
    n = len(numbers)
    mean = float(numbers.mean())
    if n < 2 or spread == "range":
        return Estimate(mean, float(numbers.min()), float(numbers.max()), n)
    half = float(numbers.std(ddof=1))
    if spread == "interval":
        quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
        half *= quantile * float(np.sqrt(1 / n + (test_train_ratio or 0.0)))
    return Estimate(mean, mean - half, mean + half, n)


def bars(estimates: Sequence[Estimate | None]) -> tuple[Floats, Floats]:
    """Return means and the lengths of their error bars; NaN and 0 for a missing estimate."""
    known = [Estimate(np.nan, np.nan, np.nan, 0) if each is None else each for each in estimates]
    mean, low, high = np.array([(each.mean, each.low, each.high) for each in known]).T
    return mean, np.nan_to_num(np.array([mean - low, high - mean]))


def split_count(estimates: Collection[Estimate]) -> str:
    """Return ``10 splits``, or ``3 to 10 splits`` if the numbers of splits differ."""
    counts = sorted({each.n for each in estimates})
    if len(counts) > 1:
        return f"{counts[0]} to {counts[-1]} splits"
    return counted(counts[0], "split")
