from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from mlbench.comparisons.settings import MetricColumn
from mlbench.report.figures.quantity import (
    Estimate,
    error_bars,
    estimate,
    score_quantity,
    split_count,
    time_quantity,
)
from mlbench.statistics import corrected_t
from tests.report.figures.cases import results

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
    mean, reach = error_bars([Estimate(2.0, 1.5, 4.0, 3), None])
    assert mean[0] == 2.0
    assert np.isnan(mean[1])
    assert reach.tolist() == [[0.5, 0.0], [2.0, 0.0]]


def test_the_number_of_splits_is_said_as_it_is():
    assert split_count([estimate([1, 2]), estimate([1, 3])]) == "2 splits"
    assert split_count([estimate([1, 2]), estimate([1])]) == "1 to 2 splits"


def test_a_fraction_is_drawn_in_percent_and_within_what_is_possible():
    loss = score_quantity(MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False))
    assert (loss.label, loss.factor, loss.bounds) == ("Hamming loss ↓ (%)", 100.0, (0.0, 100.0))
    found = results(hamming_loss={("e", "A"): [0.1, 0.2, 0.3]})
    assert round(loss.of(found, "e", "A").mean, 9) == 20.0
    assert loss.of(found, "e", "B") is None


def test_a_fraction_as_such_and_what_is_no_fraction_have_no_unit():
    assert score_quantity(MetricColumn("macro_f1", "Macro F1"), percent=False).label == "Macro F1"
    coverage = score_quantity(MetricColumn("coverage", "Coverage", is_fraction=False))
    assert (coverage.label, coverage.bounds) == ("Coverage", None)


def test_intervals_are_corrected_where_the_sizes_of_parts_are_known():
    metric = MetricColumn("macro_f1", "Macro F1")
    known = score_quantity(metric, ratios={"e": 0.5})
    found = results(macro_f1={("e", "A"): [0.1, 0.2, 0.3], ("f", "A"): [0.1, 0.2, 0.3]})
    wide, plain = (known.of(found, dataset, "A") for dataset in ("e", "f"))
    assert wide.high > plain.high
    assert known.describe([wide], "bar").endswith("corrected for splits that share samples.")


def test_a_time_has_its_unit_and_its_range():
    time = time_quantity("fit")
    assert (time.label, time.spread, time.is_time) == ("time to fit (s)", "range", True)
    assert (
        time.describe([estimate([1, 2])], "bar") == "Mean over 2 splits; bar: smallest to largest."
    )


def test_a_long_label_of_an_axis_takes_several_lines():
    axes = Figure().subplots()
    title = "Top-10 accuracy (unknown ones count as negative)"
    score_quantity(MetricColumn("top_10@all", title)).frame(axes)
    assert axes.get_ylabel() == "Top-10 accuracy (unknown ones\ncount as negative) (%)"
