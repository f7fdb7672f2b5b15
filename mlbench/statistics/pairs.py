"""Differences of paired scores, freed of floating-point noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MlbenchError

DIGITS = 12
MOST_DECIMALS = 300
ALL_ZERO = "all differences zero"
ALL_EQUAL = "all differences equal"
TOO_FEW = "fewer than 2 pairs"


@dataclass(frozen=True)
class Differences:
    """The differences a - b and what every test needs to know of them."""

    values: NDArray[np.float64]
    mean: float
    n_zero: int

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.values.size

    @property
    def spread(self) -> float:
        """Standard deviation with n - 1."""
        return spread(self.values)

    @property
    def trivial(self) -> tuple[float, str] | None:
        """The p-value and the note where no test is needed or possible."""
        if self.n < 2:
            return math.nan, TOO_FEW
        if self.n_zero == self.n:
            return 1.0, ALL_ZERO
        return None


def differences(a: ArrayLike, b: ArrayLike) -> Differences:
    """Return a - b, rounded to 12 digits of the largest score, and a mean without such noise.

    Without rounding, .7 - .6 and .8 - .7 differ in the last bit, and rank tests see two ranks
    where there is a tie.

    Raises
    ------
    mlbench.errors.MlbenchError
        When the two have different lengths or hold a value that is not finite.
    """
    first, second, scale = _checked(a, b)
    values = without_noise(first - second, scale)
    mean = float(values.mean()) if values.size else math.nan
    if without_noise(np.array(mean), scale) == 0:
        mean = 0.0
    return Differences(values, mean, int(np.count_nonzero(values == 0)))


def comparable(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both, rounded to 12 digits of the largest score, so that equal scores are equal.

    Raises
    ------
    mlbench.errors.MlbenchError
        As :func:`differences`.
    """
    first, second, scale = _checked(a, b)
    return without_noise(first, scale), without_noise(second, scale)


def spread(values: NDArray[np.float64]) -> float:
    """Return the standard deviation with n - 1, of values of any size without underflow."""
    largest = float(np.abs(values).max())
    return largest * float((values / largest).std(ddof=1)) if largest else 0.0


def without_noise(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return values rounded to 12 digits of a score of the size `scale`."""
    decimals = DIGITS - 1 - math.floor(math.log10(scale)) if scale else MOST_DECIMALS + 1
    return values if decimals > MOST_DECIMALS else np.round(values, decimals)


def _checked(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return both as arrays, and their largest size."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise MlbenchError(
            f"paired scores must be two lists of one length, not {first.shape} and {second.shape}"
        )
    both = np.concatenate((first, second))
    if not np.isfinite(both).all():
        raise MlbenchError(
            f"paired scores hold {np.count_nonzero(~np.isfinite(both))} values that are not "
            "finite; leave out the splits where either method has no score"
        )
    return first, second, float(np.abs(both).max(initial=0.0))
