"""Corrections for all pairs of methods, against their definitions and printed tables."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from mlbench.errors import MlbenchError
from mlbench.statistics import bergmann_hommel, holm, rank_test, shaffer
from mlbench.statistics.ranks import _uncorrected


def all_pairs(k):
    return list(combinations(range(k), 2))


def sets_that_can_be_true(k):
    """Return every set of hypotheses that some labeling of the methods as equal makes true."""
    return {
        frozenset(pair for pair in all_pairs(k) if labels[pair[0]] == labels[pair[1]])
        for labels in product(range(k), repeat=k)
    } - {frozenset()}


def random_p(k, seed):
    p = np.ones((k, k))
    above = np.triu_indices(k, 1)
    p[above] = np.random.default_rng(seed).beta(0.3, 2.0, size=above[0].size)
    return np.minimum(p, p.T)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_bergmann_hommel_rejects_what_is_in_no_acceptable_set(k, seed):
    p = random_p(k, seed)
    adjusted = bergmann_hommel(p)
    for alpha in (0.001, 0.01, 0.05, 0.2, 0.7):
        accepted = set().union(
            *(
                true
                for true in sets_that_can_be_true(k)
                if min(p[i] for i in true) > alpha / len(true)
            )
        )
        assert {pair for pair in all_pairs(k) if adjusted[pair] > alpha} == accepted


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_shaffer_steps_down_by_the_number_that_can_still_be_true(k, seed):
    p = random_p(k, seed)
    sizes = {len(true) for true in sets_that_can_be_true(k)}
    adjusted, largest = shaffer(p), 0.0
    order = sorted(all_pairs(k), key=lambda pair: p[pair])
    for rejected, pair in enumerate(order):
        factor = max(size for size in sizes if size <= len(order) - rejected)
        largest = max(largest, factor * p[pair])
        assert adjusted[pair] == adjusted[pair[::-1]] == pytest.approx(min(1.0, largest))


@pytest.mark.parametrize("seed", range(5))
def test_each_finds_at_least_what_the_one_before_finds(seed):
    p = random_p(6, seed)
    above = np.triu_indices(6, 1)
    by_holm = holm(p[above])
    assert (shaffer(p)[above] <= by_holm + 1e-12).all()
    assert (bergmann_hommel(p)[above] <= shaffer(p)[above] + 1e-12).all()


def test_shaffer_is_that_of_a_printed_example():
    """Garcia and Herrera (2008): C4.5, 1-NN, naive Bayes, kernel and CN2 on 30 data sets."""
    p = _uncorrected(np.array([2.100, 3.250, 2.200, 4.333, 3.117]), 30)
    adjusted = shaffer(p)
    printed = {(3, 4): 0.0174, (0, 1): 0.0291, (1, 3): 0.0479, (0, 4): 0.0509, (2, 4): 0.0741}
    for pair, value in printed.items():
        assert adjusted[pair] == pytest.approx(value, abs=2e-4)


def test_groups_of_methods_follow_the_procedure():
    scores = np.random.default_rng(3).normal((0.6, 0.64, 0.7, 0.75), 0.04, size=(12, 4))
    for procedure in ("shaffer", "bergmann_hommel"):
        found = rank_test(scores, all_pairs=procedure)
        for pair in all_pairs(4):
            together = any(set(pair) <= set(group) for group in found.cliques)
            assert together == (found.pairwise_p[pair] >= 0.05)


def test_too_many_methods_for_bergmann_and_hommel_are_refused():
    with pytest.raises(MlbenchError, match="up to 10 methods, not 11; Shaffer"):
        bergmann_hommel(np.ones((11, 11)))
