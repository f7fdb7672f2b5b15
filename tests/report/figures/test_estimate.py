from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from mlbench.report.figures.estimate import Estimate, bars, estimate, split_count
from mlbench.statistics import corrected_t

SCORES = [0.61, 0.58, 0.63, 0.6, 0.62]


def test_the_interval_is_that_of_scipy_and_statsmodels():
    found = estimate(SCORES)
    ends = stats.t.interval(0.95, 4, np.mean(SCORES), stats.sem(SCORES))
    assert (found.low, found.high) == pytest.approx(ends)
    assert (found.low, found.high) == pytest.approx(DescrStatsW(SCORES).tconfint_mean())
    assert found.mean == pytest.approx(0.608)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=12), st.floats(0.1, 9))
def test_the_corrected_interval_ends_where_the_corrected_test_is_significant(values, ratio):
    found = estimate(values, test_train_ratio=ratio)
    if found.high - found.low > 1e-3:
        test = corrected_t(values, np.full(len(values), found.low), n_train=1.0, n_test=ratio)
        assert test.p_value == pytest.approx(0.05, rel=1e-6)


def test_a_deviation_is_the_one_that_tables_print():
    found = estimate(SCORES, "std", test_train_ratio=0.5)
    assert (found.high - found.low) / 2 == pytest.approx(np.std(SCORES, ddof=1))


def test_a_range_goes_from_the_smallest_to_the_largest():
    assert estimate([3.0, 1.0, 5.0], "range") == Estimate(3.0, 1.0, 5.0, 3)


def test_one_split_has_no_bar():
    assert estimate([0.4]) == Estimate(0.4, 0.4, 0.4, 1)
    assert estimate([0.4]).text == "0.4\t\t1 split"


def test_lengths_of_bars_go_down_and_up_from_the_mean():
    mean, reach = bars([Estimate(2.0, 1.5, 4.0, 3), None])
    assert mean[0] == 2.0
    assert np.isnan(mean[1])
    assert reach.tolist() == [[0.5, 0.0], [2.0, 0.0]]


def test_the_number_of_splits_is_said_as_it_is():
    assert split_count([estimate([1, 2]), estimate([1, 3])]) == "2 splits"
    assert split_count([estimate([1, 2]), estimate([1])]) == "1 to 2 splits"
