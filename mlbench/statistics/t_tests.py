"""The paired t-test, plain and corrected for splits that share their samples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import MlbenchError
from mlbench.statistics.pairs import differences
from mlbench.statistics.result import TestResult


def paired_t(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Paired t-test: t = mean(d) / (s / sqrt(J)), J - 1 degrees of freedom.

    It takes the J splits for independent samples. Repeated random splits overlap, so its
    p-values are too small; `corrected_t` is the one to believe.

    Parameters
    ----------
    a, b : array of shape (J,)
        Scores of two methods on the same splits.

    Raises
    ------
    mlbench.errors.MlbenchError
        When lengths differ or a score is not finite.
    """
    return _t("t", a, b, 0.0, "Student t")


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
        When lengths differ, a score is not finite, or a size is not positive.
    """
    sizes_fit = 0 < n_train < math.inf and 0 < n_test < math.inf
    if not sizes_fit:
        raise MlbenchError(
            f"the corrected t-test needs positive split sizes, not {n_train} and {n_test}"
        )
    ratio = n_test / n_train
    return _t("corrected_t", a, b, ratio, f"Nadeau-Bengio t, n_test/n_train = {ratio:.4g}")


def _t(name: str, a: ArrayLike, b: ArrayLike, overlap: float, method: str) -> TestResult:
    import scipy
    from scipy.special import stdtr

    pairs = differences(a, b)
    statistic, note = math.nan, ""
    if pairs.trivial:
        p_value, note = pairs.trivial
    else:
        spread = float(pairs.values.std(ddof=1))
        if np.ptp(pairs.values) == 0:
            statistic, p_value = math.copysign(math.inf, pairs.mean), 0.0
            note = "all differences equal"
        else:
            statistic = pairs.mean / (spread * math.sqrt(1 / pairs.n + overlap))
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
