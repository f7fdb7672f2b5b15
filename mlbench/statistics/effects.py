"""How large a difference is: effect sizes of two methods on the same splits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import MlbenchError
from mlbench.statistics.pairs import ALL_EQUAL, ALL_ZERO, TOO_FEW, comparable, differences
from mlbench.statistics.t_tests import overlap


@dataclass(frozen=True)
class Effect:
    """An effect size of ``a`` against ``b``.

    Attributes
    ----------
    name : str
        ``difference``, ``cohen_d``, ``a12`` or ``cliffs_delta``.
    value : float
        nan where it is undefined, and `note` says why.
    n : int
        Pairs.
    low, high : float
        Ends of its interval; nan where there is none.
    note : str
        Anything unusual, in words.
    """

    name: str
    value: float
    n: int
    low: float = math.nan
    high: float = math.nan
    note: str = ""


def mean_difference(
    a: ArrayLike,
    b: ArrayLike,
    n_train: float | None = None,
    n_test: float | None = None,
    confidence: float = 0.95,
) -> Effect:
    """Mean of a - b, with the interval that belongs to the corrected resampled t-test.

    The interval excludes zero exactly where :func:`corrected_t` has p < 1 - confidence. Without
    the sizes of the splits there is no interval: the plain one would be far too short.

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.
    n_train, n_test : float, optional
        Sizes of the two parts of a split; only their ratio matters.
    confidence : float
        Level of the interval.

    Raises
    ------
    mlbench.errors.MlbenchError
        When lengths differ, a score is not finite, a size is not positive, or the level is not
        between 0 and 1.
    """
    from scipy.special import stdtrit

    if not 0 < confidence < 1:
        raise MlbenchError(f"a confidence level lies between 0 and 1, not {confidence}")
    pairs = differences(a, b)
    if pairs.trivial:
        return Effect("difference", pairs.mean, pairs.n, note=pairs.trivial[1])
    if np.ptp(pairs.values) == 0:
        return Effect("difference", pairs.mean, pairs.n, note=ALL_EQUAL)
    if n_train is None or n_test is None:
        return Effect("difference", pairs.mean, pairs.n, note="sizes of the splits not known")
    scale = math.sqrt(1 / pairs.n + overlap(n_train, n_test))
    reach = float(stdtrit(pairs.n - 1, (1 + confidence) / 2))
    half = reach * scale * pairs.spread
    return Effect("difference", pairs.mean, pairs.n, pairs.mean - half, pairs.mean + half)


def cohen_d(a: ArrayLike, b: ArrayLike) -> Effect:
    """Cohen's d of paired scores (d_z): mean(d) / s(d), with J - 1 below the variance.

    It says by how many standard deviations over splits the means differ. Splits that share
    samples differ less than independent samples would, so it is larger than a d of independent
    experiments, and the usual words for small and large do not carry over.

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.

    Raises
    ------
    mlbench.errors.MlbenchError
        When lengths differ or a score is not finite.
    """
    pairs = differences(a, b)
    if pairs.n < 2:
        return Effect("cohen_d", math.nan, pairs.n, note=TOO_FEW)
    if pairs.n_zero == pairs.n:
        return Effect("cohen_d", 0.0, pairs.n, note=ALL_ZERO)
    if np.ptp(pairs.values) == 0:
        return Effect("cohen_d", math.nan, pairs.n, note=ALL_EQUAL)
    return Effect("cohen_d", pairs.mean / pairs.spread, pairs.n)


def a12(a: ArrayLike, b: ArrayLike) -> Effect:
    """Vargha and Delaney's A: how often a score of a is above one of b, ties counting half.

    All J x J pairs of scores are looked at, not only those of one split.
    Source: Vargha & Delaney, J. Educ. Behav. Stat. 25 (2000).

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.

    Raises
    ------
    mlbench.errors.MlbenchError
        When lengths differ or a score is not finite.
    """
    return _dominance("a12", a, b, lowest=0.0)


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> Effect:
    """Cliff's delta: share of pairs with a above b minus share with a below, 2 A - 1.

    Source: Cliff, Psychol. Bull. 114 (1993).

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.

    Raises
    ------
    mlbench.errors.MlbenchError
        When lengths differ or a score is not finite.
    """
    return _dominance("cliffs_delta", a, b, lowest=-1.0)


def _dominance(name: str, a: ArrayLike, b: ArrayLike, lowest: float) -> Effect:
    """Return the mean sign of all pairs, brought to the range from `lowest` to 1."""
    first, second = comparable(a, b)
    if first.size < 2:
        return Effect(name, math.nan, first.size, note=TOO_FEW)
    delta = float(np.sign(first[:, None] - second[None, :]).mean())
    return Effect(name, lowest + (1 - lowest) * (1 + delta) / 2, first.size)
