"""Effect sizes for two methods on the same splits.

All functions take the scores of the two methods on the same J splits, arrays of shape (J,), and
raise `mlbench.errors.MlbenchError` if the lengths differ or a score is not finite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import MlbenchError
from mlbench.statistics.pairs import ALL_EQUAL, ALL_ZERO, TOO_FEW, differences, rounded_pair
from mlbench.statistics.t_tests import test_train_ratio


@dataclass(frozen=True)
class Effect:
    """An effect size of ``a`` against ``b``."""

    name: str
    """``difference``, ``rope``, ``cohen_d``, ``a12`` or ``cliffs_delta``."""
    value: float
    """NaN if it is undefined; then `note` says why."""
    n: int
    low: float = math.nan
    high: float = math.nan
    """Ends of the confidence interval; NaN if there is none."""
    worse: float = math.nan
    same: float = math.nan
    """Of ``rope``: the other two probabilities; `value` is that of better."""
    note: str = ""
    """Why there is no value or interval; empty if there are both."""


def mean_difference(
    a: ArrayLike,
    b: ArrayLike,
    n_train: float | None = None,
    n_test: float | None = None,
    confidence: float = 0.95,
) -> Effect:
    """Mean of a - b, with the confidence interval of the corrected resampled t-test.

    The interval excludes zero exactly when :func:`corrected_t` gives p < 1 - confidence. If the
    sizes of the splits are unknown there is no interval: an uncorrected one is far too short.

    Parameters
    ----------
    a, b : array of shape (J,)
    n_train, n_test : float, optional
        Sizes of the two parts of a split; only their ratio matters.
    confidence : float
        Confidence level of the interval.

    Raises
    ------
    mlbench.errors.MlbenchError
        If a size is not positive, or the confidence level is not between 0 and 1.
    """
    from scipy.special import stdtrit

    if not 0 < confidence < 1:
        raise MlbenchError(f"the confidence level must be between 0 and 1, not {confidence}")
    pairs = differences(a, b)
    if pairs.degenerate:
        return Effect("difference", pairs.mean, pairs.n, note=pairs.degenerate[1])
    if np.ptp(pairs.values) == 0:
        return Effect("difference", pairs.mean, pairs.n, note=ALL_EQUAL)
    if n_train is None or n_test is None:
        return Effect(
            "difference", pairs.mean, pairs.n, note="no ratio of split sizes to correct by"
        )
    scale = math.sqrt(1 / pairs.n + test_train_ratio(n_train, n_test))
    quantile = float(stdtrit(pairs.n - 1, (1 + confidence) / 2))
    half = quantile * scale * pairs.std
    return Effect("difference", pairs.mean, pairs.n, pairs.mean - half, pairs.mean + half)


def practical_equivalence(
    a: ArrayLike,
    b: ArrayLike,
    n_train: float | None = None,
    n_test: float | None = None,
    rope: float = 0.01,
) -> Effect:
    """Probabilities that a is higher than b, the same for practical purposes, or lower.

    The Bayesian correlated t-test: with a flat prior, the mean difference has a Student t
    distribution with J - 1 degrees of freedom around mean(d), and the scale of the corrected
    resampled t-test, sqrt((1/J + n_test/n_train) s^2). The probabilities are those of a difference
    above `rope`, between -`rope` and `rope`, and below -`rope`.
    Sources: Corani & Benavoli, Machine Learning 100 (2015); Benavoli, Corani, Demšar & Zaffalon,
    J. Mach. Learn. Res. 18 (2017).

    Parameters
    ----------
    a, b : array of shape (J,)
    n_train, n_test : float, optional
        Sizes of the two parts of a split; only their ratio matters. Without them there are no
        probabilities.
    rope : float
        Half the width of the region of practical equivalence, in the unit of the scores.

    Raises
    ------
    mlbench.errors.MlbenchError
        If a size is not positive, or `rope` is negative.
    """
    from scipy.special import stdtr

    if not 0 <= rope < math.inf:
        raise MlbenchError(f"the region of practical equivalence must be 0 or more, not {rope}")
    pairs = differences(a, b)
    if pairs.n < 2:
        return Effect("rope", math.nan, pairs.n, note=TOO_FEW)
    if n_train is None or n_test is None:
        return Effect("rope", math.nan, pairs.n, note="no ratio of split sizes to correct by")
    scale = pairs.std * math.sqrt(1 / pairs.n + test_train_ratio(n_train, n_test))
    if scale == 0:
        better, worse = float(pairs.mean > rope), float(pairs.mean < -rope)
    else:
        better = float(stdtr(pairs.n - 1, (pairs.mean - rope) / scale))
        worse = float(stdtr(pairs.n - 1, (-rope - pairs.mean) / scale))
    return Effect("rope", better, pairs.n, worse=worse, same=max(0.0, 1 - better - worse))


def cohen_d(a: ArrayLike, b: ArrayLike) -> Effect:
    """Cohen's d of paired scores (d_z): mean(d) / s(d), with J - 1 in the variance.

    The difference of the means in standard deviations over splits. Splits that share samples
    vary less than independent samples, so d is larger than in independent experiments, and the
    usual thresholds for small and large effects do not apply.
    """
    pairs = differences(a, b)
    if pairs.n < 2:
        return Effect("cohen_d", math.nan, pairs.n, note=TOO_FEW)
    if pairs.n_zero == pairs.n:
        return Effect("cohen_d", 0.0, pairs.n, note=ALL_ZERO)
    if np.ptp(pairs.values) == 0:
        return Effect("cohen_d", math.nan, pairs.n, note=ALL_EQUAL)
    return Effect("cohen_d", pairs.mean / pairs.std, pairs.n)


def a12(a: ArrayLike, b: ArrayLike) -> Effect:
    """Vargha and Delaney's A: how often a score of a is above one of b; ties count half.

    All J x J pairs of scores count, not only those of the same split.
    Source: Vargha & Delaney, J. Educ. Behav. Stat. 25 (2000).
    """
    return _dominance("a12", a, b, lowest=0.0)


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> Effect:
    """Cliff's delta: the share of pairs with a above b minus the share with a below; 2 A - 1.

    Source: Cliff, Psychol. Bull. 114 (1993).
    """
    return _dominance("cliffs_delta", a, b, lowest=-1.0)


def _dominance(name: str, a: ArrayLike, b: ArrayLike, lowest: float) -> Effect:
    """Return the mean sign over all pairs, rescaled to the range from `lowest` to 1."""
    first, second = rounded_pair(a, b)
    if first.size < 2:
        return Effect(name, math.nan, first.size, note=TOO_FEW)
    delta = float(np.sign(first[:, None] - second[None, :]).mean())
    return Effect(name, lowest + (1 - lowest) * (1 + delta) / 2, first.size)
