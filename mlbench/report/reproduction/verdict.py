"""When a value counts as reproduced.

Ours and the paper's are two means over random splits of the same data. If the methods are the
same, both estimate the same number, and their difference comes from the drawing of splits alone:
Welch's interval for two means with their own spreads and numbers of runs, widened by the
rounding of the printed mean. The splits of one data set overlap, but as draws from all its
possible splits they are independent, so the interval needs no correction for shared samples.
"""

from enum import StrEnum

from mlbench.published import PrintedValue
from mlbench.statistics import Sample, welch

LEVEL = 0.95
MARGIN = 0.01
"""One point: about what one split differs from another by in the papers' tables."""

SHARE = 0.1
"""The largest share of the distance to 0 and 1: near an AUC of 0.99, a point is a lot."""

TIME_FACTOR = 2.0
"""How far a ratio of times may be from the typical one."""

MIN_TIMES = 3


class PrintVerdict(StrEnum):
    """Whether a value of ours reproduces the printed one."""

    REPRODUCED = "reproduced"
    CLOSE = "close"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"
    NOT_RUN = "not run"


def allowed_difference(ours: Sample, printed: Sample, rounding: float = 0.0) -> float:
    """Return how far two means may be apart by chance, in 95 of 100 cases.

    Parameters
    ----------
    ours, printed : Sample
    rounding : float
        Largest error of one of the means from its printed digits.

    Returns
    -------
    float
        The rounding alone if both deviations are unknown.
    """
    return welch(ours, printed).half_width(LEVEL) + rounding


def margin(score: float) -> float:
    """Return how far from a printed score, as a fraction, is still close.

    One point, but not more than a tenth of the score or of its distance to 1.
    """
    return min(MARGIN, SHARE * max(0.0, min(score, 1 - score)))


def judge_score(ours: Sample, printed: PrintedValue) -> tuple[float, PrintVerdict]:
    """Return how far our mean may be from a printed score, and the verdict.

    Parameters
    ----------
    ours : Sample
        In the unit of the printed score.
    printed : PrintedValue
        Its splits are as many as ours where the paper does not say.
    """
    theirs = Sample(printed.mean, printed.std, printed.n_splits or ours.n)
    allowed = allowed_difference(ours, theirs, printed.rounding)
    return allowed, verdict_on_score(ours.mean, printed.mean, allowed, printed.scale)


def verdict_on_score(ours: float, printed: float, allowed: float, scale: float) -> PrintVerdict:
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
        return PrintVerdict.REPRODUCED
    if difference <= scale * margin(printed / scale):
        return PrintVerdict.CLOSE
    return PrintVerdict.DIFFERS


def verdict_on_time(relative: float) -> PrintVerdict:
    """Judge the paper's time over ours, relative to the table's median ratio."""
    return (
        PrintVerdict.CLOSE if 1 / TIME_FACTOR <= relative <= TIME_FACTOR else PrintVerdict.DIFFERS
    )
