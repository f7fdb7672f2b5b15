"""How numbers are printed."""

from __future__ import annotations

import pytest

from mlbench.number_text import splits_in_words


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
