"""Means of several methods on the data sets where all of them have scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.comparisons.settings import MetricColumn
from mlbench.options import AllPairs
from mlbench.results.scores import MISSING, Scores
from mlbench.statistics import ALPHA, RankTest, against_control, holm, rank_test


@dataclass(frozen=True)
class CommonMeans:
    """The mean score of every method on every data set, over the splits that all share."""

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    """Columns, and the rows that have a mean of every method."""
    rows: tuple[tuple[float, ...], ...]
    left_out: tuple[str, ...]
    """Data sets without a split on which all methods have a score."""
    fewer: tuple[str, ...]
    """``emotions: 7 of 10`` if fewer splits are shared than the experiment has."""


def common_means(
    results: Scores, methods: Sequence[str], datasets: Sequence[str], metric: str
) -> CommonMeans:
    """Return the means of methods over the splits on which all of them have a score."""
    kept, rows, left_out, fewer = [], [], [], []
    for dataset in datasets:
        scores = [results.scores(dataset, method, metric) for method in methods]
        shared = [s for s in scores[0] if all(math.isfinite(e.get(s, math.nan)) for e in scores)]
        if not shared:
            left_out.append(dataset)
            continue
        kept.append(dataset)
        rows.append(tuple(math.fsum(e[s] for s in shared) / len(shared) for e in scores))
        if len(shared) < results.n_splits(dataset):
            fewer.append(f"{dataset}: {len(shared)} of {results.n_splits(dataset)}")
    return CommonMeans(tuple(methods), tuple(kept), tuple(rows), tuple(left_out), tuple(fewer))


def is_scored(results: Scores, dataset: str, method: str, metric: str) -> bool:
    """Tell whether a method has scores on a data set, and has not failed on most of its splits.

    The few splits of one that was given up are too few to compare all others on.
    """
    lost = sum(n for why, n in results.failures(dataset, method, metric) if why != MISSING)
    has_scores = bool(results.scores(dataset, method, metric))
    return has_scores and lost <= results.n_splits(dataset) / 2


def ranked_methods(
    results: Scores, methods: Sequence[str], datasets: Sequence[str], metric: str, always: str = ""
) -> tuple[list[str], list[str]]:
    """Return the methods that mean ranks are of, and the data sets that they are over.

    These are the data sets on which some method has scores, and the methods with scores on all of
    them. A method that failed on one of them leaves the ranks of the others as they are.

    Parameters
    ----------
    results : Scores
    methods, datasets : sequence of str
    metric : str
    always : str, optional
        A method to rank whatever it lacks: then over the data sets on which it has scores.
    """
    judges = [always] if always else methods
    kept = [
        dataset
        for dataset in datasets
        if any(is_scored(results, dataset, name, metric) for name in judges)
    ]
    complete = [
        name
        for name in methods
        if all(is_scored(results, dataset, name, metric) for dataset in kept)
    ]
    return complete, kept


@dataclass(frozen=True)
class MeanRanks:
    """The mean ranks of the methods that have scores on all data sets."""

    methods: tuple[str, ...]
    test: RankTest

    @property
    def first(self) -> list[str]:
        """The methods of the best mean rank."""
        ranks = self.test.mean_ranks
        return [name for name, rank in zip(self.methods, ranks, strict=True) if rank == min(ranks)]

    @property
    def beaten(self) -> list[str]:
        """The methods that the first is significantly ahead of; none without a test."""
        if not self.test.significant:
            return []
        p = self.test.pairwise_p[self._first]
        return [
            name
            for i, name in enumerate(self.methods)
            if p[i] < self.test.alpha and i != self._first
        ]

    def unlike(self, name: str) -> list[str]:
        """Return the methods that one differs from, by Friedman's test and then Holm's."""
        if not self.test.significant:
            return []
        p = holm(against_control(self.test, self.methods.index(name)))
        return [
            other
            for other, p_value in zip(self.methods, p, strict=True)
            if other != name and p_value < self.test.alpha
        ]

    @property
    def _first(self) -> int:
        return min(range(len(self.methods)), key=self.test.mean_ranks.__getitem__)


def mean_ranks(
    results: Scores,
    methods: Sequence[str],
    datasets: Sequence[str],
    metric: MetricColumn,
    alpha: float = ALPHA,
    all_pairs: AllPairs = "nemenyi",
) -> MeanRanks | None:
    """Return mean ranks over data sets; None with fewer than two methods or data sets."""
    complete, kept = ranked_methods(results, methods, datasets, metric.name)
    if len(complete) < 2:
        return None
    rows = common_means(results, complete, kept, metric.name).rows
    if len(rows) < 2:
        return None
    test = rank_test(np.array(rows), metric.greater_is_better, alpha, all_pairs)
    return MeanRanks(tuple(complete), test)


def best_first(
    results: Scores, methods: Sequence[str], dataset: str, metric: MetricColumn
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the means of the methods that are scored, over the splits that all of them share.

    And how many these are, if they are fewer than the experiment has.
    """
    scored = [name for name in methods if is_scored(results, dataset, name, metric.name)]
    if not scored:
        return {}, ()
    means = common_means(results, scored, [dataset], metric.name)
    if not means.rows:
        return {}, ()
    sign = -1 if metric.greater_is_better else 1
    by_mean = dict(zip(scored, means.rows[0], strict=True))
    ranked = sorted(scored, key=lambda name: sign * by_mean[name])
    return {name: by_mean[name] for name in ranked}, means.fewer
