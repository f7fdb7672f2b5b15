"""Metrics of the k labels that score best for a sample; labels that are tied share their ranks."""

from __future__ import annotations

import numpy as np

from mlbench.metrics.conventions import SKLEARN, Convention, mean_of_defined, mean_with
from mlbench.metrics.outcome import Outcome
from mlbench.metrics.ties import Floats

NAN = float("nan")


def precision_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of the share of positives among the k top labels (or all, if fewer)."""
    return NAN if outcome.has_tasks else float(outcome.sample_groups.top(k).mean())


def ndcg_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of the gain of positives at ranks 1..k over the largest possible gain."""
    if outcome.has_tasks:
        return NAN
    groups, discounts = outcome.sample_groups, _discounts(k)
    largest = np.append(0.0, np.cumsum(discounts))[np.minimum(groups.positives, k)]
    defined = groups.positives > 0
    values = groups.gain(discounts) / np.where(defined, largest, 1.0)
    if convention.drops:
        return mean_of_defined(values, defined)
    return mean_with(values, defined, 0.0 if convention is SKLEARN else NAN)


def psp_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Weight of the positives among the k top labels over the largest possible, rare ones more."""
    return _propensity_scored(outcome, np.ones(k))


def psndcg_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Discounted weight of the positives at ranks 1..k over the largest possible."""
    return _propensity_scored(outcome, _discounts(k))


def _discounts(k: int) -> Floats:
    return np.asarray(1 / np.log2(np.arange(2, k + 2)))


def _propensity_scored(outcome: Outcome, by_rank: Floats) -> float:
    """Weight positives by inverse propensities; gains are summed over samples, then divided."""
    if outcome.has_tasks:
        return NAN
    gain = outcome.sample_groups.gain(by_rank, outcome.inverse_propensities).sum()
    weights, ranks = outcome.rarest_first
    top = ranks < by_rank.size
    largest = (weights[top] * by_rank[ranks[top]]).sum()
    return float(gain / largest) if largest > 0 else NAN
