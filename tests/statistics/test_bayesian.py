"""Bayesian tests over data sets, against closed forms and baycomp."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

from mlbench.errors import MlbenchError
from mlbench.statistics import bayesian_sign, bayesian_signed_rank

BOTH = (bayesian_sign, bayesian_signed_rank)
ROPE = 0.01


def two_methods(seed, n=12, lead=0.005):
    a = np.random.default_rng(seed).normal(0.7, 0.1, n)
    return a, a - np.random.default_rng(seed + 100).normal(lead, 0.02, n)


def probabilities(found):
    return np.array([found.higher, found.same, found.lower])


def test_a_sign_test_without_a_rope_is_a_beta_distribution():
    found = bayesian_sign([3, 3, 3, 3, 3, 1, 2], [2, 2, 2, 2, 2, 2, 2])
    assert found.higher == pytest.approx(beta(5 + 1, 1 + 1).sf(0.5))
    assert found.lower == pytest.approx(beta(5 + 1, 1 + 1).cdf(0.5))
    assert (found.same, found.n) == (0, 7)


def test_a_sign_test_with_nothing_below_is_a_beta_distribution_of_the_other_two():
    found = bayesian_sign([0.7, 0.8, 0.9, 0.6], [0.6, 0.7, 0.895, 0.601], ROPE)
    assert found.higher == pytest.approx(beta(2, 2 + 1).sf(0.5))
    assert found.same == pytest.approx(beta(2, 2 + 1).cdf(0.5))
    assert found.lower == 0


def test_signed_ranks_of_two_equal_differences_are_a_beta_distribution():
    """Means of two differences of 1.5 ropes lie above, means with the prior's zero do not.

    So the share above is w^2, with w, the weight of both data sets, of Beta(2, 1/2).
    """
    assert bayesian_signed_rank([ROPE / 2] * 2, [0, 0], ROPE).same == 1
    found = bayesian_signed_rank([1.5 * ROPE] * 2, [0, 0], ROPE)
    assert found.higher == pytest.approx(beta(2, 0.5).sf(math.sqrt(0.5)), abs=0.01)
    assert found.lower == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("test", "name", "rope"),
    [
        (bayesian_sign, "SignTest", ROPE),
        (bayesian_signed_rank, "SignedRankTest", ROPE),
        (bayesian_signed_rank, "SignedRankTest", 0.0),
    ],
)
def test_as_in_baycomp(test, name, rope, seed):
    """But for a sign test without a rope, where it keeps zeros and the prior apart."""
    baycomp = pytest.importorskip("baycomp")
    a, b = two_methods(seed)
    theirs = getattr(baycomp, name)(b, a, rope, nsamples=20_000, random_state=1)
    lower, same, higher = theirs.probs()
    assert probabilities(test(a, b, rope)) == pytest.approx([higher, same, lower], abs=0.02)


@pytest.mark.parametrize("test", BOTH)
def test_probabilities_sum_to_one_and_turn_round_with_the_methods(test):
    a, b = two_methods(7)
    found = probabilities(test(a, b, ROPE))
    assert found.sum() == pytest.approx(1)
    assert probabilities(test(b, a, ROPE)) == pytest.approx(found[::-1], abs=0.01)


@pytest.mark.parametrize("test", BOTH)
def test_equal_scores_are_the_same_or_undecided(test):
    equal = [0.5, 0.6, 0.7]
    assert test(equal, equal, ROPE).same == pytest.approx(1, abs=1e-9)
    assert test(equal, equal).higher == pytest.approx(0.5)


@pytest.mark.parametrize("test", BOTH)
def test_differences_of_just_the_rope_are_no_matter_of_rounding(test):
    """0.7 - 0.6 and 0.8 - 0.7 are not the same number of a computer."""
    a, b = np.array([0.7, 0.8, 0.4, 0.3]), np.array([0.6, 0.7, 0.3, 0.2])
    assert test(a, b, 0.1).higher == test([0.1] * 4, [0.0] * 4, 0.1).higher


@pytest.mark.parametrize("test", BOTH)
def test_one_data_set_is_too_few_and_a_negative_rope_is_refused(test):
    assert math.isnan(test([0.5], [0.4], ROPE).higher)
    assert test([0.5], [0.4], ROPE).note == "fewer than 2 pairs"
    with pytest.raises(MlbenchError, match="must be 0 or more"):
        test([0.5, 0.6], [0.4, 0.5], -0.1)


def test_the_same_scores_have_the_same_result():
    a, b = two_methods(3)
    assert bayesian_signed_rank(a, b, ROPE) == bayesian_signed_rank(a, b, ROPE)
