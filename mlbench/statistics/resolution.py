"""Resolution: how large a difference must be for J splits to show it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from mlbench.errors import MlbenchError

POWER = 0.8
"""The probability with which a difference is to be shown, where none is stated."""
MAX_RATIO = 2.0
"""The largest n_test/n_train for which the corrected t-test has about the size that it claims."""


@dataclass(frozen=True)
class Resolution:
    """What splits of one size can show, in the unit of the standard deviation; NaN if unknown."""

    detectable: float
    """The difference that the splits at hand show with the power asked for."""
    floor: float
    """The same for infinitely many splits: no number of them shows less."""


UNKNOWN = Resolution(math.nan, math.nan)


def resolution(
    std: float,
    n_splits: int,
    ratio: float | None,
    *,
    alpha: float = 0.05,
    power: float = POWER,
) -> Resolution:
    """Return the smallest difference that the corrected t-test shows with a given power.

    Its statistic is noncentral t with J - 1 degrees of freedom and the noncentrality
    difference / (s sqrt(1/J + n_test/n_train)). So the difference is
    s sqrt(1/J + n_test/n_train) delta(J), where delta(J) is the noncentrality at which the
    two-sided test rejects with probability `power`.

    Parameters
    ----------
    std : float
        Standard deviation s of the differences over splits (ddof = 1), in any unit.
    n_splits : int
        The number J of splits.
    ratio : float or None
        n_test/n_train. There is no resolution without it, nor above `MAX_RATIO`, where the test
        rejects far less often than the formula says.
    alpha : float
        Level of the two-sided test.
    power : float
        Above alpha, which is the power at no difference.

    Raises
    ------
    mlbench.errors.MlbenchError
        If a number is out of its range.
    """
    if not 0 < alpha < power < 1:
        raise MlbenchError(
            f"resolution needs 0 < alpha < power < 1, not alpha {alpha:g} and power {power:g}"
        )
    if ratio is not None and not 0 < ratio < math.inf:
        raise MlbenchError(f"n_test/n_train must be positive, not {ratio:g}")
    if not 0 <= std < math.inf:
        raise MlbenchError(f"a standard deviation must be 0 or more, not {std:g}")
    if ratio is None or ratio > MAX_RATIO or n_splits < 2:
        return UNKNOWN
    return Resolution(
        std * math.sqrt(1 / n_splits + ratio) * _noncentrality(n_splits - 1, alpha, power),
        std * math.sqrt(ratio) * _noncentrality(math.inf, alpha, power),
    )


@cache
def _noncentrality(freedom: float, alpha: float, power: float) -> float:
    """Return the noncentrality at which a two-sided t-test rejects with probability `power`."""
    from scipy.optimize import brentq
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit

    if math.isinf(freedom):
        critical = float(ndtri(1 - alpha / 2))

        def rejects(delta: float) -> float:
            return float(ndtr(delta - critical) + ndtr(-delta - critical))
    else:
        critical = float(stdtrit(freedom, 1 - alpha / 2))

        def rejects(delta: float) -> float:
            # SciPy has NaN for the far tail where its probability is below about 1e-14.
            below = float(nctdtr(freedom, delta, -critical))
            return 1 - float(nctdtr(freedom, delta, critical)) + (0 if math.isnan(below) else below)

    highest = critical
    while rejects(highest) < power:
        highest *= 2
    return float(brentq(lambda delta: rejects(delta) - power, 0.0, highest))
