"""A t-test for splits whose test parts are much larger than their training parts.

Let row i have the effect a_i on a difference when it is trained on, and b_i when it is tested:
d_j = mean over training rows of a_i + mean over test rows of b_i + a rest. With q = n_test/n_train,
x = sd(a)/sqrt(n), y = sd(b)/sqrt(n), and c the correlation of both effects,

- the mean over all splits of the same n rows has the variance x^2 + y^2 + 2 c x y,
- scores have the variance s^2 = q x^2 + y^2 / q - 2 c x y over splits,
- y^2 is the variance by rows of the test parts, models being given. A jackknife over blocks of
  rows estimates it from predictions; scores alone do not show it.

The variance taken here is (s/sqrt(q) + y)^2. It is enough if c^2 <= 1/2 - 1/(4 q): for every x and
y if c is at most .61 for q = 2, and at most .71 for large q. A mean over J splits varies by
s^2 / J more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import MlbenchError
from mlbench.statistics.effects import Effect
from mlbench.statistics.pairs import Differences, differences
from mlbench.statistics.result import TestResult
from mlbench.statistics.t_tests import test_train_ratio

N_BLOCKS = 20
"""Blocks of rows: few enough for any metric, many enough for the variance."""


@dataclass(frozen=True)
class RowVariance:
    """The variance of a mean difference by the rows of the test parts, for given models."""

    value: float
    n_blocks: int

    def __post_init__(self) -> None:
        """Refuse what is no variance."""
        if not self.value >= 0 or self.n_blocks < 2:
            raise MlbenchError(
                "a variance by rows is at least 0 and from two or more blocks, not "
                f"{self.value:g} from {self.n_blocks}"
            )

    @classmethod
    def of(cls, a_without: ArrayLike, b_without: ArrayLike) -> RowVariance:
        """Estimate it from scores without each block of rows, by a jackknife.

        With m_g the mean difference over splits without block g of G, it is
        (G - 1)/G sum_g (m_g - mean(m))^2.

        Parameters
        ----------
        a_without, b_without : array of shape (J, G)
            Scores of both methods on each split, without the test rows of each block. The blocks
            are the same rows for all splits and methods.

        Raises
        ------
        mlbench.errors.MlbenchError
            If the shapes differ, there are fewer than two blocks, or a score is not finite.
        """
        a, b = np.asarray(a_without, dtype=float), np.asarray(b_without, dtype=float)
        if a.ndim != 2 or a.shape != b.shape or a.shape[1] < 2 or not np.isfinite(a - b).all():
            raise MlbenchError(
                "a jackknife needs two finite arrays of the same shape (splits, blocks), with two "
                f"or more blocks, not arrays of shapes {a.shape} and {b.shape}"
            )
        n_blocks = a.shape[1]
        means = (a - b).mean(axis=0)
        return cls((n_blocks - 1) * float(means.var()), n_blocks)


def jackknife_t(
    a: ArrayLike, b: ArrayLike, n_train: float, n_test: float, rows: RowVariance
) -> TestResult:
    """t-test with t = mean(d) / sqrt(s^2/J + (s sqrt(n_train/n_test) + sqrt(R))^2).

    R is the variance by rows, and the rest is explained above. Degrees of freedom are those of
    Satterthwaite, for s^2 with J - 1 and R with G - 1. It is meant for test parts more than twice
    as large as training parts, where :func:`corrected_t` rejects far too seldom. Elsewhere that
    has more power.

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores on the splits.
    n_train, n_test : float
        Sizes of the two parts of a split; only their ratio matters.
    rows : RowVariance

    Raises
    ------
    mlbench.errors.MlbenchError
        If the lengths differ, a score is not finite, or a size is not positive.
    """
    from scipy.special import stdtr

    pairs, ratio = differences(a, b), test_train_ratio(n_train, n_test)
    method = f"t with jackknife of {rows.n_blocks} blocks, n_test/n_train = {ratio:.4g}"
    if pairs.degenerate:
        return TestResult.of("jackknife_t", pairs, math.nan, *pairs.degenerate, method=method)
    variance, freedom = _variance(pairs, ratio, rows)
    if variance == 0:
        infinite = math.copysign(math.inf, pairs.mean)
        return TestResult.of("jackknife_t", pairs, infinite, 0.0, NO_VARIANCE, method=method)
    t = pairs.mean / math.sqrt(variance)
    p = min(1.0, 2.0 * float(stdtr(freedom, -abs(t))))
    return TestResult.of("jackknife_t", pairs, t, p, method=f"{method}, {freedom:.1f} df")


def jackknife_difference(
    a: ArrayLike,
    b: ArrayLike,
    n_train: float,
    n_test: float,
    rows: RowVariance,
    confidence: float = 0.95,
) -> Effect:
    """Mean of a - b, with the confidence interval of :func:`jackknife_t`; same parameters."""
    from scipy.special import stdtrit

    pairs, ratio = differences(a, b), test_train_ratio(n_train, n_test)
    if pairs.degenerate:
        return Effect("difference", pairs.mean, pairs.n, note=pairs.degenerate[1])
    variance, freedom = _variance(pairs, ratio, rows)
    if variance == 0:
        return Effect("difference", pairs.mean, pairs.n, note=NO_VARIANCE)
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * math.sqrt(variance)
    return Effect("difference", pairs.mean, pairs.n, pairs.mean - half, pairs.mean + half)


NO_VARIANCE = "differences vary neither over splits nor over rows"


def _variance(pairs: Differences, ratio: float, rows: RowVariance) -> tuple[float, float]:
    """Return the variance of the mean difference, and its degrees of freedom."""
    by_split = pairs.std**2
    shared = math.sqrt(by_split / ratio * rows.value)
    of_splits = by_split * (1 / pairs.n + 1 / ratio) + shared
    of_rows = rows.value + shared
    variance = of_splits + of_rows
    if variance == 0:
        return 0.0, 1.0
    spread = (of_splits / variance) ** 2 / (pairs.n - 1) + (of_rows / variance) ** 2 / (
        rows.n_blocks - 1
    )
    return variance, 1 / spread
