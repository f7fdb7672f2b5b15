from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from mlbench.errors import MlbenchError
from mlbench.statistics import (
    a12,
    cliffs_delta,
    cohen_d,
    corrected_t,
    mean_difference,
    practical_equivalence,
)

A = (0.712, 0.705, 0.731, 0.698, 0.720, 0.709, 0.715, 0.726, 0.701, 0.718)
B = (0.701, 0.699, 0.718, 0.700, 0.711, 0.707, 0.704, 0.712, 0.698, 0.709)
EFFECTS = (mean_difference, cohen_d, a12, cliffs_delta)
few_scores = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8)


def test_an_interval_without_overlap_is_that_of_statsmodels():
    """A test part of next to nothing: the correction vanishes."""
    found = mean_difference(A, B, n_train=1e15, n_test=1)
    low, high = DescrStatsW(np.subtract(A, B)).tconfint_mean(alpha=0.05)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.value == pytest.approx(0.0076)


@pytest.mark.parametrize("seed", range(6))
def test_the_interval_ends_where_the_corrected_test_turns(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 10))
    found = mean_difference(a, b, 60, 40, confidence=0.9)
    for end in (found.low, found.high):
        assert corrected_t(a - end, b, 60, 40).p_value == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize(
    ("rope", "better", "same", "worse"),
    [
        (0.01, 0.1711767039487413, 0.8288016753412336, 2.162071002509786e-05),
        (0.002, 0.9779485146863884, 0.020518309776944132, 0.0015331755366674487),
    ],
)
def test_practical_equivalence_is_that_of_baycomp(rope, better, same, worse):
    """baycomp 1.0.3, two_on_single: ten folds, so a tenth of the rows to test."""
    found = practical_equivalence(A, B, 9, 1, rope)
    assert (found.value, found.same, found.worse) == pytest.approx((better, same, worse), rel=1e-9)


@given(few_scores, st.floats(0, 0.5))
def test_probabilities_add_up_and_turn_with_the_methods(pairs, rope):
    a, b = map(list, zip(*pairs, strict=True))
    found, turned = (practical_equivalence(*each, 60, 40, rope) for each in ((a, b), (b, a)))
    assert found.value + found.same + found.worse == pytest.approx(1.0)
    assert (turned.value, turned.worse) == (found.worse, found.value)


@pytest.mark.parametrize("seed", range(4))
def test_without_a_region_the_probability_is_half_the_p_value_of_the_corrected_test(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 10))
    found = practical_equivalence(a, b, 60, 40, rope=0.0)
    p = corrected_t(a, b, 60, 40).p_value
    assert min(found.value, found.worse) == pytest.approx(p / 2)


def test_what_practical_equivalence_cannot_do():
    assert practical_equivalence([1.0], [2.0], 60, 40).note == "fewer than 2 pairs"
    assert practical_equivalence(A, B).note == "no ratio of split sizes to correct by"
    with pytest.raises(MlbenchError, match="must be 0 or more, not -1"):
        practical_equivalence(A, B, 60, 40, rope=-1)


def test_cohen_d_is_t_over_the_root_of_n():
    t = stats.ttest_rel(A, B).statistic
    assert cohen_d(A, B).value == pytest.approx(t / math.sqrt(10), rel=1e-9)
    assert cohen_d(B, A).value == -cohen_d(A, B).value


@given(few_scores)
def test_a12_and_delta_count_all_pairs(pairs):
    a, b = map(list, zip(*pairs, strict=True))
    above = sum(x > y for x in a for y in b)
    below = sum(x < y for x in a for y in b)
    total = len(a) * len(b)
    assert a12(a, b).value == pytest.approx((above + (total - above - below) / 2) / total)
    assert cliffs_delta(a, b).value == pytest.approx((above - below) / total)
    u = stats.mannwhitneyu(a, b).statistic
    assert a12(a, b).value == pytest.approx(u / total)


def test_all_above_and_floating_point_noise():
    assert a12([2, 3], [0, 1]).value == cliffs_delta([2, 3], [0, 1]).value == 1
    assert a12([0, 1], [2, 3]).value == 0
    assert cliffs_delta([0, 1], [2, 3]).value == -1
    assert a12([0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]).value == 0.5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("effect", EFFECTS)
def test_one_split_is_said_in_words(effect):
    found = effect([0.7], [0.6])
    assert found.note == "fewer than 2 pairs"
    assert effect is mean_difference or math.isnan(found.value)
    assert math.isnan(found.low)
    assert math.isnan(effect([], []).value)


@pytest.mark.filterwarnings("error")
def test_equal_scores_and_equal_differences_are_said_in_words():
    assert (cohen_d(A, A).value, cohen_d(A, A).note) == (0.0, "all differences zero")
    assert mean_difference(A, A, 3, 1).note == "all differences zero"
    shifted = np.add(A, 0.1)
    for found in (cohen_d(shifted, A), mean_difference(shifted, A, 3, 1)):
        assert found.note == "all differences equal"
        assert math.isnan(found.low)
    assert math.isnan(cohen_d(shifted, A).value)
    assert mean_difference(shifted, A, 3, 1).value == pytest.approx(0.1)


def test_without_sizes_there_is_no_interval():
    found = mean_difference(A, B)
    assert found.note == "no ratio of split sizes to correct by"
    assert math.isnan(found.low)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(MlbenchError, match="not finite"):
        a12([0.1, math.nan], [0.2, 0.3])
    with pytest.raises(MlbenchError, match="same length"):
        cohen_d([0.1], [0.2, 0.3])
    with pytest.raises(MlbenchError, match="confidence"):
        mean_difference(A, B, 3, 1, confidence=95)
    with pytest.raises(MlbenchError, match="positive split sizes"):
        mean_difference(A, B, 0, 1)
