from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mlbench.errors import MlbenchError
from mlbench.papers.printed_values import published_table
from mlbench.statistics import smallest_p, wilcoxon

WITH_ZEROS = (0, 0, 1, 1, -1, 2, 2, 3, -0.5, 4)
WITH_TIES = (0.5, 0.5, -0.5, 1, 1, 2, 2, 3, -1, 4)


def against_zero(d, **options):
    return wilcoxon(d, np.zeros(len(d)), **options)


def test_ten_splits_of_one_sign():
    """The smallest normal p-value of ten splits is the 5.06E-03 seen all over printed tables."""
    d = np.arange(1, 11)
    assert against_zero(d, method="approx").p_value == pytest.approx(0.00506, abs=5e-6)
    assert against_zero(d, method="exact").p_value == 2 / 1024
    assert smallest_p(10, "approx") == against_zero(d, method="approx").p_value
    assert smallest_p(10, "exact") == 2 / 1024
    assert 13 * smallest_p(10, "approx") == pytest.approx(0.066, abs=5e-4)


def test_pairs_that_do_not_differ_are_dropped():
    result = against_zero(WITH_ZEROS, method="approx")
    assert result.p_value == pytest.approx(0.04855, abs=5e-6)
    assert (result.n_zero, result.n) == (2, 10)
    oracle = stats.wilcoxon(WITH_ZEROS, method="approx", correction=False)
    assert result.p_value == pytest.approx(oracle.pvalue, rel=1e-12)
    assert result.statistic == oracle.statistic


def test_ties_are_exact():
    result = against_zero(WITH_TIES)
    assert (result.statistic, result.method) == (7.0, "exact")
    assert result.p_value == pytest.approx(0.03906, abs=5e-6)


def by_enumeration(d):
    """Share of all sign flips whose smaller rank sum is at most the one seen."""
    d = np.array([each for each in d if each != 0], dtype=float)
    ranks, signs = stats.rankdata(np.abs(d)), np.sign(d)

    def smaller(s):
        return min(ranks[s > 0].sum(), ranks[s < 0].sum())

    seen = smaller(signs)
    flips = [np.array(s) for s in itertools.product((-1, 1), repeat=signs.size)]
    return seen, np.mean([smaller(s) <= seen for s in flips])


@settings(max_examples=60)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8).filter(any))
def test_exact_is_the_enumeration_of_sign_flips(d):
    result = against_zero(d, method="exact")
    statistic, p_value = by_enumeration(d)
    assert result.statistic == statistic
    assert result.p_value == pytest.approx(p_value, rel=1e-12)


@pytest.mark.parametrize("n", [9, 30, 49])
def test_without_ties_exact_is_that_of_scipy(n):
    d = np.random.default_rng(n).normal(loc=0.3, size=n)
    oracle = stats.wilcoxon(d, method="exact")
    assert against_zero(d).p_value == pytest.approx(oracle.pvalue, rel=1e-9)


def test_many_pairs_use_the_normal_distribution_and_say_so():
    d = np.random.default_rng(0).normal(size=51)
    assert against_zero(d).method == "approx"
    assert against_zero(d, method="exact").method == "exact"


def test_floating_point_noise_makes_no_ranks():
    """.7 - .6, .8 - .7 and .3 - .2 differ in the last bits, and tie."""
    a, b = (0.7, 0.8, 0.3, 0.5), (0.6, 0.7, 0.2, 0.9)
    assert len({x - y for x, y in zip(a, b, strict=True)}) > 2
    assert wilcoxon(a, b).p_value == against_zero([1, 1, 1, -4]).p_value
    assert wilcoxon([0.1 + 0.2, 0.5], [0.3, 0.4]).n_zero == 1


@settings(max_examples=40)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=12), st.sampled_from([1, 100, 1e-4]))
def test_unit_and_direction_do_not_matter(d, unit):
    a = 50.0 + np.array(d)
    b = np.full(len(d), 50.0)
    there, back = wilcoxon(a * unit, b * unit), wilcoxon(b, a)
    assert there.p_value == back.p_value
    assert 0 < there.p_value <= 1


@pytest.mark.parametrize("method", ["exact", "approx"])
def test_ranks_may_go_against_the_mean(method):
    """Eleven splits won by little, one lost by much: the ranks are 66 to 12."""
    found = against_zero([*range(1, 12), -200], method=method)
    assert found.mean_difference < 0
    assert (found.statistic, found.direction) == (12, 1)
    assert found.p_value < 0.05
    assert against_zero([-d for d in (*range(1, 12), -200)]).direction == -1
    assert against_zero([1, -1]).direction == 0


def test_equal_scores_and_single_pairs_are_told_in_words():
    same = against_zero([0, 0, 0])
    assert (same.p_value, same.note) == (1.0, "all differences zero")
    single = against_zero([1.0])
    assert math.isnan(single.p_value)
    assert single.note == "fewer than 2 pairs"


def test_an_unknown_method_is_refused():
    with pytest.raises(MlbenchError, match="known: auto, exact, approx"):
        against_zero([1, 2], method="fast")


def test_printed_p_values_tell_which_form_was_used():
    """All of Ke et al., tables VII and VIII: ten pairs, normal, no continuity correction."""
    printed = [float(e["p"]) for e in published_table("ke", "pvalues") if e["test"] == "wilcoxon"]

    def of_form(method):
        flips = itertools.product((-1, 1), repeat=10)
        sums = {sum(i for i, s in enumerate(f, 1) if s > 0): f for f in flips}
        found = [against_zero(np.arange(1, 11) * f, method=method) for f in sums.values()]
        return {result.p_value for result in found}

    def share(method):
        grid = of_form(method)
        return np.mean([any(p == pytest.approx(g, rel=0.006) for g in grid) for p in printed])

    assert len(printed) == 351
    assert share("approx") == 1
    assert share("exact") == 0
