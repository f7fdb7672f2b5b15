"""Welch's comparison against scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mlbench.statistics import Sample, welch

SPREADS = [(1.0, 10, 2.0, 5), (0.3, 2, 0.7, 150), (2.0, 3, 0.0, 10)]


@pytest.mark.parametrize(("std_a", "n_a", "std_b", "n_b"), SPREADS)
def test_p_value_and_interval_are_scipys(std_a, n_a, std_b, n_b):
    found = welch(Sample(71.0, std_a, n_a), Sample(70.0, std_b, n_b))
    theirs = stats.ttest_ind_from_stats(71.0, std_a, n_a, 70.0, std_b, n_b, equal_var=False)
    assert found.value == 1.0
    assert found.p_value == pytest.approx(theirs.pvalue)
    edge = found.half_width(0.95)
    at_edge = stats.ttest_ind_from_stats(edge, std_a, n_a, 0, std_b, n_b, equal_var=False)
    assert at_edge.pvalue == pytest.approx(0.05)


def test_a_sample_of_scores_is_that_of_scipys_test():
    old, new = np.random.default_rng(3).normal(0.7, 0.02, (2, 8))
    theirs = stats.ttest_ind(new, old, equal_var=False)
    found = welch(Sample.of(new.tolist()), Sample.of(old.tolist()))
    assert found.p_value == pytest.approx(theirs.pvalue)


def test_an_unknown_spread_is_that_of_the_other_side():
    known, unknown = Sample(0.0, 2.0, 10), Sample(0.0, math.nan, 5)
    for found in (welch(known, unknown), welch(unknown, known)):
        assert (found.error, found.freedom) == pytest.approx((2.0 * math.sqrt(1 / 10 + 1 / 5), 9))
    single = welch(known, Sample(0.0, 1.0, 1))
    assert (single.error, single.freedom) == pytest.approx((2.0 * math.sqrt(1.1), 9))


def test_without_a_spread_there_is_no_p_value_and_no_width():
    unknown = welch(Sample(1.0, math.nan, 1), Sample(0.0, math.nan, 5))
    constant = welch(Sample.of([0.1, 0.1, 0.1]), Sample.of([0.3, 0.3]))
    for found in (unknown, constant):
        assert math.isnan(found.p_value)
        assert found.half_width() == 0.0
