"""Mean ranks of several methods over data sets: Friedman's test and tests of all pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MlbenchError
from mlbench.options import ALL_PAIRS, AllPairs
from mlbench.spelling import refuse_unknown
from mlbench.statistics.all_pairs import bergmann_hommel, shaffer
from mlbench.statistics.pairs import numbers, rounded

MIN_COUNT = 3
RESOLUTION = 1e-12
ALL_TIED = "all methods tie on every data set"
SAME_RANKING = (
    "every data set ranks the methods the same: the p-value of F is the exact probability of this"
)
NO_DIFFERENCE = "Friedman's test finds no difference, so no pair of methods counts as different"


@dataclass(frozen=True)
class RankTest:
    """The tests on the ranks of k methods on n data sets."""

    n_datasets: int
    n_methods: int
    """Number of data sets with a score for every method, and number of methods."""
    alpha: float
    """Significance level of the critical difference and the cliques."""
    mean_ranks: tuple[float, ...]
    """One per method; 1 is best, ties get their mean rank. NaN without data sets."""
    statistic: float
    p: float
    """Friedman's chi-squared, corrected for ties, and its p-value with k - 1 degrees of freedom."""
    iman_davenport: float
    p_iman_davenport: float
    """Iman and Davenport's F of the same ranks, and its p-value with k - 1 and (k - 1)(n - 1)
    degrees of freedom. It is less conservative than the chi-squared, and it decides.
    """
    critical_difference: float
    """Nemenyi: two methods differ if their mean ranks differ by at least this much."""
    cliques: tuple[tuple[int, ...], ...]
    """The bars of a critical-difference diagram: maximal groups of two or more methods (as column
    numbers, best first) that do not differ significantly. All methods are one group if F is not
    significant.
    """
    pairwise_p: NDArray[np.float64]
    """p-values corrected for all pairs; 1 on the diagonal. Nemenyi's are 0 below 1e-12, where the
    studentized range is no longer accurate.
    """
    all_pairs: AllPairs
    """The procedure of `pairwise_p` and the cliques."""
    left_out: tuple[int, ...] = ()
    """Rows that lack a score."""
    note: str = ""
    """Why there are no values, or anything unusual. Values that are undefined are NaN; then there
    are no cliques.
    """

    @property
    def is_tested(self) -> bool:
        """Whether there were enough data sets and methods."""
        return not math.isnan(self.p)

    @property
    def significant(self) -> bool:
        """Whether Iman and Davenport's F finds any difference between the methods."""
        return self.p_iman_davenport < self.alpha


def rank_test(
    scores: ArrayLike,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    all_pairs: AllPairs = "nemenyi",
) -> RankTest:
    """Rank methods on each data set and test whether their mean ranks differ.

    Sources: Friedman, J. Am. Stat. Assoc. 32 (1937); Iman & Davenport, Commun. Stat. A 9 (1980);
    Nemenyi, Distribution-free multiple comparisons (1963); Demšar, J. Mach. Learn. Res. 7 (2006).

    Parameters
    ----------
    scores : array of shape (n_datasets, n_methods)
        One score per data set and method, usually a mean over splits. A data set with a NaN is
        left out.
    higher_is_better : bool
        Direction of the scores.
    alpha : float
        Significance level.
    all_pairs : {"nemenyi", "shaffer", "bergmann_hommel"}
        The procedure that tells which pairs of methods differ; see `mlbench.statistics.all_pairs`
        for the last two, which find more.

    Returns
    -------
    RankTest
        With fewer than 3 data sets or 3 methods, only mean ranks and a note.

    Raises
    ------
    mlbench.errors.MlbenchError
        If the scores are not 2-D, a score is infinite, alpha is not between 0 and 1, or there is
        no such procedure.
    """
    refuse_unknown("there is no procedure for all pairs", all_pairs, ALL_PAIRS)
    table = numbers(scores, "scores to be ranked")
    if table.ndim != 2:
        raise MlbenchError(f"scores must have the shape (n_datasets, n_methods), not {table.shape}")
    if np.isinf(table).any():
        raise MlbenchError("scores to be ranked must not be infinite")
    if not 0 < alpha < 1:
        raise MlbenchError(f"alpha must be between 0 and 1, not {alpha}")
    incomplete = np.isnan(table).any(axis=1)
    ranks = ranks_of(table[~incomplete], higher_is_better)
    n, k = ranks.shape
    mean_ranks = ranks.mean(axis=0) if n else np.full(k, np.nan)
    nan = math.nan
    found = RankTest(
        n_datasets=n,
        n_methods=k,
        alpha=alpha,
        mean_ranks=tuple(mean_ranks.tolist()),
        statistic=nan,
        p=nan,
        iman_davenport=nan,
        p_iman_davenport=nan,
        critical_difference=nan,
        cliques=(),
        pairwise_p=np.full((k, k), nan),
        all_pairs=all_pairs,
        left_out=tuple(np.flatnonzero(incomplete).tolist()),
    )
    if n < MIN_COUNT or k < MIN_COUNT:
        needed = "methods" if k < MIN_COUNT else "data sets with every score"
        return replace(found, note=f"fewer than {MIN_COUNT} {needed}")
    statistic, p, f, p_of_f, note = _friedman(ranks)
    difference, pairwise_p = _nemenyi(mean_ranks, n, alpha)
    different = np.abs(np.subtract.outer(mean_ranks, mean_ranks)) >= difference
    if all_pairs != "nemenyi":
        adjust = shaffer if all_pairs == "shaffer" else bergmann_hommel
        pairwise_p = adjust(_uncorrected(mean_ranks, n))
        different = pairwise_p < alpha
    if p_of_f < alpha:
        cliques = _cliques(mean_ranks, different)
    else:
        cliques = (tuple(np.argsort(mean_ranks, kind="stable").tolist()),)
        note = note if note == ALL_TIED else "; ".join(filter(None, [note, NO_DIFFERENCE]))
    return replace(
        found,
        statistic=statistic,
        p=p,
        iman_davenport=f,
        p_iman_davenport=p_of_f,
        critical_difference=difference,
        cliques=cliques,
        pairwise_p=pairwise_p,
        note=note,
    )


def against_control(found: RankTest, control: int) -> NDArray[np.float64]:
    """Return the uncorrected p-values of every method's mean rank against a control method's.

    z = (R_i - R_control) / sqrt(k (k + 1) / (6 n)), two-sided. With Holm's correction for the
    k - 1 comparisons this has more power than Nemenyi's test, which corrects for all pairs
    (Demšar 2006, section 3.2.2). NaN for the control itself, and if `found` is not tested.

    Parameters
    ----------
    found : RankTest
        The result of :func:`rank_test`.
    control : int
        The column of the control method.
    """
    p = np.full(found.n_methods, np.nan)
    if found.is_tested:
        p[:] = _uncorrected(np.array(found.mean_ranks), found.n_datasets)[control]
        p[control] = np.nan
    return p


def _uncorrected(mean_ranks: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the two-sided p-value of every pair, by the normal distribution."""
    from scipy.special import ndtr

    k = mean_ranks.size
    unit = math.sqrt(k * (k + 1) / (6 * n))
    z = np.subtract.outer(mean_ranks, mean_ranks) / unit
    return np.asarray(2 * ndtr(-np.abs(z)), dtype=np.float64)


def ranks_of(table: NDArray[np.float64], higher_is_better: bool) -> NDArray[np.float64]:
    """Return the rank of each column in its row: 1 is best, ties share their mean rank."""
    from scipy.stats import rankdata

    rows = np.array([rounded(row, np.abs(row).max(initial=0.0)) for row in table])
    signed = -rows if higher_is_better else rows
    return np.asarray(rankdata(signed.reshape(table.shape), axis=1), dtype=np.float64)


def _friedman(ranks: NDArray[np.float64]) -> tuple[float, float, float, float, str]:
    """Return chi-squared, its p, F, its p, and a note."""
    from scipy.special import chdtrc, fdtrc

    n, k = ranks.shape
    centered = ranks - (k + 1) / 2
    total = float(np.square(centered).sum())
    if total == 0:
        return 0.0, 1.0, 0.0, 1.0, ALL_TIED
    between = float(np.square(centered.sum(axis=0)).sum())
    statistic = (k - 1) * between / total
    p = float(chdtrc(k - 1, statistic))
    if (ranks == ranks[0]).all():
        return statistic, p, math.inf, _p_of_agreement(ranks[0], n), SAME_RANKING
    f = (n - 1) * statistic / (n * (k - 1) - statistic)
    return statistic, p, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f)), ""


def _p_of_agreement(ranks: NDArray[np.float64], n: int) -> float:
    """Return the probability that n random orders of the same ranks are all equal."""
    _, sizes = np.unique(ranks, return_counts=True)
    ties = math.prod(math.factorial(size) for size in sizes.tolist())
    return float((ties / math.factorial(ranks.size)) ** (n - 1))


def critical_range(k: int, alpha: float) -> float:
    """Return the studentized range of k methods at which Nemenyi's test rejects.

    Times sqrt(k (k + 1) / (12 n)) it is the critical difference of mean ranks over n data sets.

    Parameters
    ----------
    k : int
        Number of methods.
    alpha : float
        Significance level.
    """
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - alpha, k, np.inf))


def _nemenyi(
    mean_ranks: NDArray[np.float64], n: int, alpha: float
) -> tuple[float, NDArray[np.float64]]:
    """Return the critical difference, and the p-value of every pair."""
    from scipy.stats import studentized_range

    k = mean_ranks.size
    unit = math.sqrt(k * (k + 1) / (12 * n))
    difference = critical_range(k, alpha) * unit
    first, second = np.triu_indices(k, 1)
    q = np.abs(mean_ranks[first] - mean_ranks[second]) / unit
    tails = np.clip(studentized_range.sf(q, k, np.inf), 0, 1)
    p = np.ones((k, k))
    p[first, second] = p[second, first] = np.where(tails < RESOLUTION, 0.0, tails)
    return difference, p


def _cliques(
    mean_ranks: NDArray[np.float64], different: NDArray[np.bool_]
) -> tuple[tuple[int, ...], ...]:
    """Return the maximal runs of sorted methods of which no two differ."""
    order = np.argsort(mean_ranks, kind="stable")
    ordered = different[np.ix_(order, order)]
    cliques, reached = [], 0
    for start in range(order.size):
        end = start + 1
        while end < order.size and not ordered[start:end, end].any():
            end += 1
        if end > reached and end - start > 1:
            cliques.append(tuple(order[start:end].tolist()))
        reached = max(reached, end)
    return tuple(cliques)
