"""Welch's comparison of two means that are not paired.

For scores on other splits of the same data, and for means that a paper prints without the scores
behind them. Random splits of a data set overlap, but as draws from all its possible splits they
are independent, so nothing needs a correction for shared samples.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Sample(NamedTuple):
    """The mean and the spread of scores over splits."""

    mean: float
    std: float
    """With n - 1 in the variance; NaN if it is unknown."""
    n: int

    @classmethod
    def of(cls, scores: Sequence[float], scale: float = 1.0) -> Sample:
        """Return those of some scores, times `scale`."""
        std = scale * statistics.stdev(scores) if len(scores) > 1 else math.nan
        return cls(scale * statistics.mean(scores), std, len(scores))


@dataclass(frozen=True)
class MeanDifference:
    """The difference of two means, and how sure it is."""

    value: float
    error: float
    """The standard error of the difference; NaN if both spreads are unknown."""
    freedom: float
    """Degrees of freedom; infinite if both spreads are 0."""

    @property
    def p_value(self) -> float:
        """Two-sided; NaN if the error is unknown or 0."""
        from scipy.special import stdtr

        if not self.error > 0:
            return math.nan
        return min(1.0, 2 * float(stdtr(self.freedom, -abs(self.value) / self.error)))

    def half_width(self, confidence: float = 0.95) -> float:
        """Return half the width of the confidence interval; 0 if the error is unknown or 0."""
        from scipy.special import stdtrit

        if not self.error > 0:
            return 0.0
        return float(stdtrit(self.freedom, (1 + confidence) / 2)) * self.error


def welch(a: Sample, b: Sample) -> MeanDifference:
    """Compare two means: t = (a - b) / sqrt(s_a²/n_a + s_b²/n_b), Satterthwaite's freedom.

    An unknown spread, or that of a single split, is taken to equal the other one.
    Source: Welch, Biometrika 34 (1947).
    """
    value = a.mean - b.mean
    known = [each for each in (a, b) if each.n > 1 and not math.isnan(each.std)]
    if not known:
        return MeanDifference(value, math.nan, math.nan)
    if len(known) == 1:
        ((_, std, n),) = known
        error = std * math.sqrt(1 / a.n + 1 / b.n)
        return MeanDifference(value, error, n - 1)
    part_a, part_b = (each.std**2 / each.n for each in (a, b))
    total = part_a + part_b
    if total == 0:
        return MeanDifference(value, 0.0, math.inf)
    share_a, share_b = part_a / total, part_b / total
    freedom = 1 / (share_a**2 / (a.n - 1) + share_b**2 / (b.n - 1))
    return MeanDifference(value, math.sqrt(total), freedom)
