from __future__ import annotations

import math

import pytest

from mlbench.comparisons.over_datasets import common_means, mean_ranks
from mlbench.comparisons.settings import MetricColumn
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


F = MetricColumn("f", "F", True, True)
SCORES = {"A": 0.9, "B": 0.8, "C": 0.5}


def ranked(n_datasets, alpha=0.05):
    names = [f"d{i}" for i in range(n_datasets)]
    scores = {(name, each): [value] for name in names for each, value in SCORES.items()}
    del scores["d0", "C"]
    scores |= {(name, "D"): [0.7] for name in names}
    return mean_ranks(results(scores, 1), [*SCORES, "D"], names, F, alpha)


def test_methods_with_scores_on_all_data_sets_are_ranked():
    found = ranked(6)
    assert found.methods == ("A", "B", "D")
    assert found.test.mean_ranks == (1, 2, 3)
    assert found.first == ["A"]
    assert found.beaten == ["D"]  # Nemenyi: ranks differ from 2.343 * sqrt(3 * 4 / (6 * 6)) on


def test_all_that_share_the_best_rank_are_first():
    names = [f"d{i}" for i in range(8)]
    scores = {(name, each): [value] for name in names for each, value in SCORES.items()}
    scores |= {(name, "E"): [SCORES["A"]] for name in names}
    found = mean_ranks(results(scores, 1), [*SCORES, "E"], names, F)
    assert (found.first, found.beaten) == (["A", "E"], ["C"])


def test_too_few_data_sets_show_no_difference_of_ranks():
    assert ranked(2).beaten == []
    assert ranked(1) is None
