from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mlbench.errors import MlbenchError
from mlbench.statistics import corrected_t, paired_t, two_sample_t, wilcoxon

A = (0.712, 0.705, 0.731, 0.698, 0.720, 0.709, 0.715, 0.726, 0.701, 0.718)
B = (0.701, 0.699, 0.718, 0.700, 0.711, 0.707, 0.704, 0.712, 0.698, 0.709)


def test_worked_example():
    result = paired_t(A, B)
    assert result.mean_difference == pytest.approx(0.0076, abs=1e-15)
    assert result.statistic == pytest.approx(4.6119, abs=5e-5)
    assert result.p_value == pytest.approx(0.001269, abs=5e-7)
    assert (result.name, result.n, result.n_zero, result.note) == ("t", 10, 0, "")


def test_correction_for_overlapping_splits():
    plain, corrected = paired_t(A, B), corrected_t(A, B, n_train=60, n_test=40)
    assert corrected.statistic == pytest.approx(1.6656, abs=5e-5)
    assert corrected.p_value == pytest.approx(0.1301, abs=5e-5)
    ratio = plain.statistic / corrected.statistic
    assert ratio == pytest.approx(math.sqrt(1 + 10 * 40 / 60), rel=1e-12)
    assert "0.6667" in corrected.method


@pytest.mark.parametrize("seed", range(5))
def test_plain_t_is_that_of_scipy(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 7 + seed))
    expected = stats.ttest_rel(a, b)
    result = paired_t(a, b)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_swapping_the_methods_turns_the_sign_only():
    there, back = corrected_t(A, B, 3, 1), corrected_t(B, A, 3, 1)
    assert there.statistic == -back.statistic
    assert there.p_value == back.p_value


def test_equal_scores_and_single_pairs_are_told_in_words():
    same = paired_t(A, A)
    assert (same.p_value, same.note, same.n_zero) == (1.0, "all differences zero", 10)
    single = corrected_t(A[:1], B[:1], 3, 1)
    assert math.isnan(single.p_value)
    assert single.note == "fewer than 2 pairs"
    shifted = paired_t(A, np.add(A, 0.1))
    assert (shifted.statistic, shifted.p_value) == (-math.inf, 0.0)
    assert shifted.note == "all differences equal"


def test_what_cannot_be_paired_is_refused():
    with pytest.raises(MlbenchError, match="same length"):
        paired_t(A, B[:-1])
    with pytest.raises(MlbenchError, match="1 of the paired scores are not finite"):
        paired_t(A, (*B[:-1], math.nan))
    with pytest.raises(MlbenchError, match="positive split sizes"):
        corrected_t(A, B, 0, 40)


@pytest.mark.parametrize("seed", range(5))
def test_two_samples_are_those_of_scipy(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 7 + seed))
    expected = stats.ttest_ind(a, b)
    result = two_sample_t(a, b)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.direction == np.sign(expected.statistic)


@pytest.mark.filterwarnings("error")
def test_two_samples_without_spread_are_told_in_words():
    assert two_sample_t(A, A).note == "all differences zero"
    assert two_sample_t(A[:1], B[:1]).note == "fewer than 2 pairs"
    constant = two_sample_t([0.7, 0.7], [0.6, 0.6])
    assert (constant.p_value, constant.direction) == (0.0, 1)
    assert constant.note == "the scores of both methods are constant"
    assert two_sample_t([1, 2], [2, 1]).p_value == 1.0


@pytest.mark.parametrize("test", [paired_t, two_sample_t])
@pytest.mark.parametrize("unit", [1e-305, 1e-160, 1e150])
def test_scores_of_any_size_have_the_same_p_value(test, unit):
    a, b = np.array([3, 1, 4]), np.array([1, 2, 1])
    assert test(a * unit, b * unit).p_value == pytest.approx(test(a, b).p_value, rel=1e-9)


@pytest.mark.slow
def test_over_random_splits_only_the_corrected_test_keeps_its_level():
    """Two methods that are equally good on a population, 100 samples, ten splits 60 to 40.

    A score is the mean over a test part. At 0.05 the plain tests find a difference in more than
    40 % of 2,000 samples, the corrected one in 5 %, give or take three standard errors.
    """
    rng = np.random.default_rng(2003)
    plain, ranks, corrected = [], [], []
    for gains in rng.normal(size=(2000, 100)):
        splits = [gains[rng.permutation(100)[:40]].mean() for _ in range(10)]
        plain.append(paired_t(splits, np.zeros(10)).p_value)
        ranks.append(wilcoxon(splits, np.zeros(10)).p_value)
        corrected.append(corrected_t(splits, np.zeros(10), 60, 40).p_value)
    assert np.less(plain, 0.05).mean() > 0.4
    assert np.less(ranks, 0.05).mean() > 0.4
    assert np.less(corrected, 0.05).mean() == pytest.approx(0.05, abs=0.015)


def test_differences_that_are_nearly_equal_have_a_note():
    one_row_more = [1 / 81, 1 / 82, 1 / 82, 1 / 82, 1 / 82]
    for test in (lambda a, b: corrected_t(a, b, 327, 82), paired_t):
        found = test(one_row_more, [0.0] * 5)
        assert found.p_value < 1e-6
        assert found.note.startswith("differences small and nearly equal")
    assert not paired_t(A, B).note
    assert not paired_t([50 * each for each in one_row_more], [0.0] * 5).note, "plainly another"
