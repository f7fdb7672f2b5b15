"""What a paired test found, with everything needed to find it again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TestResult:
    """A two-sided paired test of ``a`` against ``b``.

    Attributes
    ----------
    name : str
        ``t``, ``corrected_t``, ``two_sample_t`` or ``wilcoxon``.
    statistic : float
        t, or the smaller of the two rank sums.
    p_value : float
        Two-sided; nan where the test is undefined, and `note` says why.
    n : int
        Pairs.
    mean_difference : float
        Mean of a - b.
    direction : int
        1 if the statistic speaks for larger scores of a, -1 for larger ones of b, 0 for neither.
        A rank test may speak against the sign of the mean difference.
    method : str
        How the p-value was computed.
    zero_method : str
        What was done with pairs that do not differ; empty for t-tests, which keep them.
    n_zero : int
        Pairs that do not differ.
    scipy_version : str
        Release whose distribution functions were used.
    note : str
        Anything unusual, in words.
    """

    name: str
    statistic: float
    p_value: float
    n: int
    mean_difference: float
    direction: int
    method: str
    zero_method: str
    n_zero: int
    scipy_version: str
    note: str = ""
