"""t-tests: paired, corrected for splits that share samples, and two-sample.

All tests take the scores of two methods on the same J splits, arrays of shape (J,), and raise
`mlbench.errors.MlbenchError` if the lengths differ or a score is not finite.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import MlbenchError
from mlbench.statistics.pairs import (
    ALL_EQUAL,
    NEARLY,
    NEARLY_EQUAL,
    SMALL,
    differences,
    rounded_pair,
    sample_std,
)
from mlbench.statistics.result import TestResult

BOTH_CONSTANT = "the scores of both methods are constant"


def paired_t(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Paired t-test: t = mean(d) / (s / sqrt(J)), J - 1 degrees of freedom.

    It treats the J splits as independent samples. Repeated random splits overlap, so its p-values
    are too small; prefer `corrected_t`.
    """
    return _paired_test("t", a, b, 0.0, "Student t")


def corrected_t(a: ArrayLike, b: ArrayLike, n_train: float, n_test: float) -> TestResult:
    """Corrected resampled t-test: t = mean(d) / sqrt((1/J + n_test/n_train) s^2), J - 1 df.

    Source: Nadeau & Bengio, Inference for the generalization error, Machine Learning 52 (2003).
    Only the ratio of the sizes of the two parts of a split matters; both must be positive.
    """
    ratio = test_train_ratio(n_train, n_test)
    method = f"Nadeau-Bengio t, n_test/n_train = {ratio:.4g}"
    return _paired_test("corrected_t", a, b, ratio, method)


def two_sample_t(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Two-sample t-test with pooled variance, 2 J - 2 degrees of freedom.

    It ignores that scores are paired and that splits overlap. Some papers report it.
    """
    pairs = differences(a, b)
    name, method = "two_sample_t", "Student t of two samples, pooled variance"
    if pairs.degenerate:
        return TestResult.of(name, pairs, math.nan, *pairs.degenerate, method=method)
    first, second = rounded_pair(a, b)
    if np.ptp(first) == np.ptp(second) == 0:
        infinite = math.copysign(math.inf, pairs.mean)
        return TestResult.of(name, pairs, infinite, 0.0, BOTH_CONSTANT, method=method)
    pooled = math.hypot(sample_std(first), sample_std(second))
    t = pairs.mean / (pooled / math.sqrt(pairs.n))
    return TestResult.of(name, pairs, t, _two_sided(t, 2 * pairs.n - 2), method=method)


def test_train_ratio(n_train: float, n_test: float) -> float:
    """Return n_test / n_train, Nadeau and Bengio's correction of the variance of the mean.

    Raises
    ------
    mlbench.errors.MlbenchError
        If a size is not positive.
    """
    if not (0 < n_train < math.inf and 0 < n_test < math.inf):
        raise MlbenchError(
            f"the corrected t-test needs positive split sizes, not {n_train} and {n_test}"
        )
    return n_test / n_train


def _paired_test(
    name: str, a: ArrayLike, b: ArrayLike, correction: float, method: str
) -> TestResult:
    pairs = differences(a, b)
    if pairs.degenerate:
        return TestResult.of(name, pairs, math.nan, *pairs.degenerate, method=method)
    if np.ptp(pairs.values) == 0:
        infinite = math.copysign(math.inf, pairs.mean)
        return TestResult.of(name, pairs, infinite, 0.0, ALL_EQUAL, method=method)
    t = pairs.mean / (pairs.std * math.sqrt(1 / pairs.n + correction))
    is_nearly_equal = pairs.std < NEARLY * abs(pairs.mean) and abs(pairs.mean) < SMALL
    note = NEARLY_EQUAL if is_nearly_equal else ""
    return TestResult.of(name, pairs, t, _two_sided(t, pairs.n - 1), note, method=method)


def _two_sided(t: float, freedom: int) -> float:
    from scipy.special import stdtr

    return min(1.0, 2.0 * float(stdtr(freedom, -abs(t))))
