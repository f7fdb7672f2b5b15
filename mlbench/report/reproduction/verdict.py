"""When a value counts as reproduced.

Ours and the paper's are two means over random splits of the same data. If the methods are the
same, both estimate the same number, and their difference comes from the drawing of splits alone:
Welch's interval for two means with their own spreads and numbers of runs, widened by the
rounding of the printed mean. The splits of one data set overlap, but as draws from all its
possible splits they are independent, so the interval needs no correction for shared samples.
"""

import math
from enum import StrEnum
from typing import NamedTuple

from scipy import stats

LEVEL = 0.95
MARGIN = 0.01
"""One point: about what one split differs from another by in the papers' tables."""

SHARE = 0.1
"""The largest share of the distance to 0 and 1: near an AUC of 0.99, a point is a lot."""

TIME_FACTOR = 2.0
"""How far a ratio of times may be from the typical one."""

MIN_TIMES = 3


class Verdict(StrEnum):
    """Whether a value of ours reproduces the printed one."""

    REPRODUCED = "reproduced"
    CLOSE = "close"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"
    NOT_RUN = "not run"


class Error(NamedTuple):
    """The standard error of a difference of two means, and its degrees of freedom."""

    size: float
    freedom: float


def error_of_difference(std_a: float, n_a: int, std_b: float, n_b: int) -> Error | None:
    """Return the standard error of the difference of two means (Welch).

    Parameters
    ----------
    std_a, std_b : float
        Standard deviations over runs; NaN if unknown or of a single run. An unknown one is
        assumed to equal the other.
    n_a, n_b : int
        Numbers of runs.

    Returns
    -------
    Error or None
        None if both deviations are unknown; infinite freedom if the error is 0.
    """
    known_a, known_b = not math.isnan(std_a) and n_a > 1, not math.isnan(std_b) and n_b > 1
    if known_a and known_b:
        part_a, part_b = std_a**2 / n_a, std_b**2 / n_b
        if part_a + part_b == 0:
            return Error(0.0, math.inf)
        weight_a, weight_b = part_a / (part_a + part_b), part_b / (part_a + part_b)
        freedom = 1 / (weight_a**2 / (n_a - 1) + weight_b**2 / (n_b - 1))
        return Error(math.sqrt(part_a + part_b), freedom)
    if known_a or known_b:
        std, freedom = (std_a, n_a - 1) if known_a else (std_b, n_b - 1)
        return Error(std * math.sqrt(1 / n_a + 1 / n_b), freedom)
    return None


def allowed_difference(
    std_a: float, n_a: int, std_b: float, n_b: int, rounding: float = 0.0
) -> float:
    """Return how far two means may be apart by chance, in 95 of 100 cases.

    Parameters
    ----------
    std_a, n_a, std_b, n_b
        As for :func:`error_of_difference`.
    rounding : float
        Largest error of one of the means from its printed digits.

    Returns
    -------
    float
        The rounding alone if both deviations are unknown.
    """
    error = error_of_difference(std_a, n_a, std_b, n_b)
    if error is None or error.size == 0:
        return rounding
    return float(stats.t.ppf((1 + LEVEL) / 2, error.freedom)) * error.size + rounding


def margin(score: float) -> float:
    """Return how far from a printed score, as a fraction, is still close.

    One point, but not more than a tenth of the score or of its distance to 1.
    """
    return min(MARGIN, SHARE * max(0.0, min(score, 1 - score)))


def verdict_on_score(ours: float, printed: float, allowed: float, scale: float) -> Verdict:
    """Judge a mean.

    Parameters
    ----------
    ours, printed : float
        The means.
    allowed : float
        As :func:`allowed_difference` returns it.
    scale : float
        The value of 1 in the unit of the means: 100 for percent.
    """
    difference = abs(ours - printed) * (1 - 1e-9)
    if difference <= allowed:
        return Verdict.REPRODUCED
    if difference <= scale * margin(printed / scale):
        return Verdict.CLOSE
    return Verdict.DIFFERS


def verdict_on_time(relative: float) -> Verdict:
    """Judge the paper's time over ours, relative to the table's median ratio."""
    return Verdict.CLOSE if 1 / TIME_FACTOR <= relative <= TIME_FACTOR else Verdict.DIFFERS
