"""Wilcoxon's signed-rank test, independent of scipy's changing defaults."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.spelling import refuse_unknown
from mlbench.statistics.pairs import differences
from mlbench.statistics.result import TestResult

PValueMethod = Literal["auto", "exact", "approx"]

METHODS = ("auto", "exact", "approx")
EXACT_UP_TO = 50


def wilcoxon(a: ArrayLike, b: ArrayLike, method: PValueMethod = "auto") -> TestResult:
    """Wilcoxon's signed-rank test, two-sided; the statistic is the smaller rank sum.

    Pairs that do not differ are dropped before ranking.

    Parameters
    ----------
    a, b : array of shape (n,)
        Scores of two methods on the same splits or data sets.
    method : {"auto", "exact", "approx"}
        ``exact``: the distribution over all sign flips of the observed ranks, exact with ties too.
        ``approx``: normal, with the variance corrected for ties and no continuity correction.
        ``auto``: exact for up to 50 pairs that differ. The result names the method that was used.

    Raises
    ------
    mlbench.errors.MlbenchError
        If the lengths differ, a score is not finite, or there is no such method.
    """
    refuse_unknown("wilcoxon has no method", method, METHODS)
    pairs = differences(a, b)
    n_ranked = pairs.n - pairs.n_zero
    used = method if method != "auto" else "exact" if n_ranked <= EXACT_UP_TO else "approx"
    statistic, direction, note = math.nan, 0, ""
    if pairs.degenerate:
        p_value, note = pairs.degenerate
    else:
        statistic, direction, p_value = _test(pairs.values, exact=used == "exact")
    return TestResult.of(
        "wilcoxon", pairs, statistic, p_value, note, method=used, direction=direction
    )


def smallest_p(n: int, method: Literal["exact", "approx"]) -> float:
    """Return the smallest p-value that n pairs can give: all differences of one sign, no ties."""
    refuse_unknown("wilcoxon has no distribution", method, ("exact", "approx"))
    if n < 2:
        return math.nan
    return _test(np.arange(1.0, n + 1.0), exact=method == "exact")[2]


def _test(values: NDArray[np.float64], *, exact: bool) -> tuple[float, int, float]:
    """Return statistic, direction and p-value of differences that are not all zero."""
    values = values[values != 0]
    ranks = _average_ranks(np.abs(values))
    plus, minus = ranks[values > 0].sum(), ranks[values < 0].sum()
    statistic, direction = float(min(plus, minus)), int(np.sign(plus - minus))
    if exact:
        return statistic, direction, _exact_p(ranks, statistic)
    return statistic, direction, _normal_p(statistic, (plus + minus) / 2, ranks)


def _exact_p(ranks: NDArray[np.float64], lower: float) -> float:
    """Return the share of sign flips whose smaller rank sum is at most `lower`.

    Ranks are multiples of one half. The distribution of the doubled rank sum is built one rank
    at a time: each rank is added to the positive sum or not.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    share = np.zeros(int(doubled.sum()) + 1)
    share[0] = 1.0
    for rank in doubled:
        joined = np.zeros_like(share)
        joined[rank:] = share[:-rank]
        share = (share + joined) / 2
    return min(1.0, 2.0 * float(share[: round(2 * lower) + 1].sum()))


def _normal_p(statistic: float, mean: float, ranks: NDArray[np.float64]) -> float:
    """Return the normal p-value; the variance from squared ranks corrects for ties."""
    from scipy.special import ndtr

    z = (statistic - mean) / math.sqrt(float(np.square(ranks).sum()) / 4)
    return min(1.0, 2.0 * float(ndtr(z)))


def _average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    return np.asarray((last - (size - 1) / 2)[group], dtype=np.float64)
