"""Differences of paired scores, rounded so that floating-point noise makes no difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MlbenchError

DIGITS = 12
MAX_DECIMALS = 300
ALL_ZERO = "all differences zero"
ALL_EQUAL = "all differences equal"
NEARLY_EQUAL = "differences small and nearly equal, as of a row on each split: p may be too small"
NEARLY, SMALL = 0.02, 0.05
"""Their deviation over their mean, and their mean, below which this is said."""
TOO_FEW = "fewer than 2 pairs"


@dataclass(frozen=True)
class Differences:
    """The differences a - b, with the statistics that all tests need."""

    values: NDArray[np.float64]
    mean: float
    n_zero: int

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.values.size

    @property
    def std(self) -> float:
        """Sample standard deviation (ddof = 1)."""
        return sample_std(self.values)

    @property
    def degenerate(self) -> tuple[float, str] | None:
        """The p-value and the note if no test is needed or possible."""
        if self.n < 2:
            return math.nan, TOO_FEW
        if self.n_zero == self.n:
            return 1.0, ALL_ZERO
        return None


def differences(a: ArrayLike, b: ArrayLike) -> Differences:
    """Return a - b and its mean, rounded to 12 digits of the largest score.

    Without rounding, .7 - .6 and .8 - .7 differ in the last bit, and rank tests see two ranks
    instead of a tie.

    Raises
    ------
    mlbench.errors.MlbenchError
        If the lengths differ or a score is not finite.
    """
    first, second, scale = _checked(a, b)
    values = rounded(first - second, scale)
    mean = float(values.mean()) if values.size else math.nan
    if rounded(np.array(mean), scale) == 0:
        mean = 0.0
    return Differences(values, mean, int(np.count_nonzero(values == 0)))


def rounded_pair(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both, rounded to 12 digits of the largest score, so that ties are exact."""
    first, second, scale = _checked(a, b)
    return rounded(first, scale), rounded(second, scale)


def sample_std(values: NDArray[np.float64]) -> float:
    """Return the sample standard deviation (ddof = 1), without underflow."""
    largest = float(np.abs(values).max())
    return largest * float((values / largest).std(ddof=1)) if largest else 0.0


def rounded(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return values rounded to 12 significant digits of `scale`."""
    decimals = DIGITS - 1 - math.floor(math.log10(scale)) if scale else MAX_DECIMALS + 1
    return values if decimals > MAX_DECIMALS else np.round(values, decimals)


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return numbers as an array.

    Raises
    ------
    MlbenchError
        If some are no numbers, or rows differ in length; the message begins with `what`.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise MlbenchError(f"{what} must be an array of numbers: {error}") from None


def _checked(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return both as arrays, and their largest absolute value."""
    first, second = numbers(a, "paired scores"), numbers(b, "paired scores")
    if first.ndim != 1 or first.shape != second.shape:
        raise MlbenchError(
            "paired scores must be two 1-D arrays of the same length, not of shapes "
            f"{first.shape} and {second.shape}"
        )
    both = np.concatenate((first, second))
    if not np.isfinite(both).all():
        raise MlbenchError(
            f"{np.count_nonzero(~np.isfinite(both))} of the paired scores are not finite; "
            "leave out the splits where either method has no score"
        )
    return first, second, float(np.abs(both).max(initial=0.0))
