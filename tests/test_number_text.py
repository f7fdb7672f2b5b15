"""How numbers are printed."""

from __future__ import annotations

import math

import pytest

from mlbench.number_text import duration, splits_in_words


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ([3], "split 3"),
        ([2, 0, 1], "splits 0, 1, 2"),
        (range(50), "splits 0 to 49"),
        ([0, 1, 2, 3, 7, 9, 10, 11, 12], "splits 0 to 3, 7, 9 to 12"),
    ],
)
def test_four_splits_or_more_in_a_row_are_told_by_their_ends(splits, words):
    assert splits_in_words(splits) == words


@pytest.mark.parametrize(
    ("seconds", "about", "at_least", "at_most"),
    [
        (0, "0 s", "0 s", "0 s"),
        (0.05, "0.05 s", "0.05 s", "0.05 s"),
        (3.14, "3.1 s", "3.1 s", "3.2 s"),
        (42.5, "42 s", "42 s", "43 s"),
        (150, "2 min", "2 min", "3 min"),
        (3 * 60 + 1e-9, "3 min", "3 min", "3 min"),
        (7777, "2.2 h", "2.1 h", "2.2 h"),
    ],
)
def test_a_bound_of_a_time_is_not_rounded_away(seconds, about, at_least, at_most):
    assert duration(seconds) == about
    assert duration(seconds, math.floor) == at_least
    assert duration(seconds, math.ceil) == at_most
