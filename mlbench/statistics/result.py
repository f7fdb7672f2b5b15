"""The result of a paired test, with everything needed to reproduce it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mlbench.statistics.pairs import Differences


@dataclass(frozen=True)
class TestResult:
    """A two-sided paired test of ``a`` against ``b``."""

    name: str
    """``t``, ``corrected_t``, ``two_sample_t`` or ``wilcoxon``."""
    statistic: float
    """t, or the smaller of the two rank sums."""
    p_value: float
    """Two-sided; NaN if the test is undefined, then `note` says why."""
    n: int
    mean_difference: float
    """Mean of a - b."""
    direction: int
    """1 if the statistic favors a, -1 if it favors b, 0 for neither. A rank test may disagree with
    the sign of the mean difference.
    """
    method: str
    """How the p-value was computed."""
    n_zero: int
    """Number of pairs that do not differ."""
    scipy_version: str
    """The version of scipy whose distribution functions were used."""
    note: str = ""
    """Anything unusual, such as why there is no p-value."""

    @classmethod
    def of(
        cls,
        name: str,
        pairs: Differences,
        statistic: float,
        p_value: float,
        note: str = "",
        *,
        method: str,
        direction: int | None = None,
    ) -> TestResult:
        """Return the result of a test of pairs, by default in the direction of the statistic."""
        import scipy

        if direction is None:
            direction = 0 if math.isnan(statistic) else int(np.sign(statistic))
        return cls(
            name=name,
            statistic=statistic,
            p_value=p_value,
            n=pairs.n,
            mean_difference=pairs.mean,
            direction=direction,
            method=method,
            n_zero=pairs.n_zero,
            scipy_version=scipy.__version__,
            note=note,
        )
