"""t-tests: paired, corrected for splits that share samples, and two-sample."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import MlbenchError
from mlbench.statistics.pairs import ALL_EQUAL, differences, rounded_pair, sample_std
from mlbench.statistics.result import TestResult

BOTH_CONSTANT = "the scores of both methods are constant"


def paired_t(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Paired t-test: t = mean(d) / (s / sqrt(J)), J - 1 degrees of freedom.

    It treats the J splits as independent samples. Repeated random splits test_train_ratio, so its
    p-values are too small; prefer `corrected_t`.

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.

    Raises
    ------
    mlbench.errors.MlbenchError
        If the lengths differ or a score is not finite.
    """
    return _paired_test("t", a, b, 0.0, "Student t")


def two_sample_t(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Two-sample t-test with pooled variance, 2 J - 2 degrees of freedom.

    It ignores that scores are paired and that splits test_train_ratio. Some papers report it.

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.

    Raises
    ------
    mlbench.errors.MlbenchError
        If the lengths differ or a score is not finite.
    """
    import scipy
    from scipy.special import stdtr

    pairs = differences(a, b)
    statistic, note = math.nan, ""
    if pairs.degenerate:
        p_value, note = pairs.degenerate
    else:
        first, second = rounded_pair(a, b)
        if np.ptp(first) == np.ptp(second) == 0:
            statistic, p_value, note = math.copysign(math.inf, pairs.mean), 0.0, BOTH_CONSTANT
        else:
            pooled = math.hypot(sample_std(first), sample_std(second))
            statistic = pairs.mean / (pooled / math.sqrt(pairs.n))
            p_value = min(1.0, 2.0 * float(stdtr(2 * pairs.n - 2, -abs(statistic))))
    return TestResult(
        name="two_sample_t",
        statistic=statistic,
        p_value=p_value,
        n=pairs.n,
        mean_difference=pairs.mean,
        direction=0 if math.isnan(statistic) else int(np.sign(statistic)),
        method="Student t of two samples, pooled variance",
        zero_method="",
        n_zero=pairs.n_zero,
        scipy_version=scipy.__version__,
        note=note,
    )


def corrected_t(a: ArrayLike, b: ArrayLike, n_train: float, n_test: float) -> TestResult:
    """Corrected resampled t-test: t = mean(d) / sqrt((1/J + n_test/n_train) s^2), J - 1 df.

    Source: Nadeau & Bengio, Inference for the generalization error, Machine Learning 52 (2003).

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.
    n_train, n_test : float
        Sizes of the two parts of a split; only their ratio matters.

    Raises
    ------
    mlbench.errors.MlbenchError
        If the lengths differ, a score is not finite, or a size is not positive.
    """
    ratio = test_train_ratio(n_train, n_test)
    method = f"Nadeau-Bengio t, n_test/n_train = {ratio:.4g}"
    return _paired_test("corrected_t", a, b, ratio, method)


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
    import scipy
    from scipy.special import stdtr

    pairs = differences(a, b)
    statistic, note = math.nan, ""
    if pairs.degenerate:
        p_value, note = pairs.degenerate
    else:
        if np.ptp(pairs.values) == 0:
            statistic, p_value = math.copysign(math.inf, pairs.mean), 0.0
            note = ALL_EQUAL
        else:
            statistic = pairs.mean / (pairs.std * math.sqrt(1 / pairs.n + correction))
            p_value = min(1.0, 2.0 * float(stdtr(pairs.n - 1, -abs(statistic))))
    return TestResult(
        name=name,
        statistic=statistic,
        p_value=p_value,
        n=pairs.n,
        mean_difference=pairs.mean,
        direction=0 if math.isnan(statistic) else int(np.sign(statistic)),
        method=method,
        zero_method="",
        n_zero=pairs.n_zero,
        scipy_version=scipy.__version__,
        note=note,
    )
