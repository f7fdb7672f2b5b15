"""Estimates from trials with few rows."""

from __future__ import annotations

import pytest

from mlbench.api.probe import Trial, extrapolated


def trial(rows, seconds, megabytes=100.0):
    return Trial(rows, seconds, 0.75, megabytes)


def test_time_grows_as_a_power_of_the_rows_and_memory_linearly():
    found = extrapolated([trial(100, 1, 110), trial(200, 2**1.5, 120)], 800)
    assert found.seconds == pytest.approx(8**1.5)
    assert found.seconds_without_search == pytest.approx(8**1.5 / 4)
    assert found.megabytes == pytest.approx(180)


@pytest.mark.parametrize(("seconds", "growth"), [(0.9, 0.5), (2, 1), (16, 2)])
def test_growth_stays_between_a_square_root_and_a_square(seconds, growth):
    found = extrapolated([trial(100, 1), trial(200, seconds)], 400)
    assert found.seconds == pytest.approx(seconds * 2**growth)


def test_one_trial_grows_linearly_and_one_with_all_rows_is_the_estimate():
    only = trial(100, 3, 150)
    assert extrapolated([only], 400) == trial(400, 12, 150)
    assert extrapolated([trial(50, 1), only], 100) is only


def test_without_a_trial_there_is_no_estimate():
    assert extrapolated([], 400) is None
