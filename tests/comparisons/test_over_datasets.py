from __future__ import annotations

import math

import pytest

from mlbench.comparisons.over_datasets import common_means
from mlbench.results.scores import Scores


def results(scores, n_splits=3):
    lines = [
        (dataset, method, split, "f", value)
        for (dataset, method), values in scores.items()
        for split, value in enumerate(values)
    ]
    return Scores(lines, (), n_splits)


def test_means_are_over_the_splits_that_all_share():
    found = common_means(
        results(
            {
                ("d", "A"): [0.1, 0.2, 0.6],
                ("d", "B"): [0.5, math.nan, 0.7],
                ("e", "A"): [0.3, 0.3, 0.3],
                ("e", "B"): [math.inf, 0.4, 0.6],
                ("f", "A"): [0.1],
            }
        ),
        ["A", "B"],
        ["d", "e", "f"],
        "f",
    )
    assert found.datasets == ("d", "e")
    assert found.rows == (pytest.approx((0.35, 0.6)), pytest.approx((0.3, 0.5)))
    assert found.left_out == ("f",)
    assert found.fewer == ("d: 2 of 3", "e: 2 of 3")


def test_nothing_in_common():
    found = common_means(results({("d", "A"): [0.1, math.nan]}), ["A", "B"], ["d"], "f")
    assert (found.datasets, found.rows, found.left_out) == ((), (), ("d",))
