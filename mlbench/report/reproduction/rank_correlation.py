"""Agreement of two orders of methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

MIN_METHODS = 3


@dataclass(frozen=True)
class RankCorrelation:
    """Agreement of our order of methods with the paper's, on one data set in one metric."""

    table: str
    dataset: str
    metric: str
    interpretation: str
    """Where; data set and interpretation in our words, the rest in the paper's."""
    n: int
    """Methods with a value on both sides."""
    kendall: float
    spearman: float
    """Kendall's tau-b and Spearman's rho: 1 for the same order, -1 for the reverse; NaN if all
    values of a side are equal.
    """


def rank_correlation(
    table: str,
    dataset: str,
    metric: str,
    interpretation: str,
    ours: Sequence[float],
    theirs: Sequence[float],
) -> RankCorrelation | None:
    """Correlate two orders; None with fewer than three methods."""
    if len(ours) < MIN_METHODS:
        return None
    if len(set(ours)) == 1 or len(set(theirs)) == 1:
        kendall = spearman = float("nan")
    else:
        kendall = float(stats.kendalltau(ours, theirs, variant="b").statistic)
        spearman = float(stats.spearmanr(ours, theirs).statistic)
    return RankCorrelation(table, dataset, metric, interpretation, len(ours), kendall, spearman)
