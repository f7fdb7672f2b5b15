"""Random search: distributions, and the candidates that are drawn from them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, loguniform, randint, uniform

from mlbench.config.distributions import Distribution, drawn

MIXED = {
    "C": Distribution.of({"log_uniform": [0.001, 1000]}),
    "depth": Distribution.of({"integer": [1, 4]}),
    "kernel": ["rbf", "linear"],
}


@pytest.mark.parametrize(
    ("spec", "oracle"),
    [
        ({"uniform": [-1.0, 3]}, uniform(-1, 4)),
        ({"log_uniform": [0.01, 10]}, loguniform(0.01, 10)),
    ],
)
def test_draws_have_the_distribution(spec, oracle):
    values = [point["x"] for point in drawn({"x": Distribution.of(spec)}, 500, seed=4)]
    assert kstest(values, oracle.cdf).pvalue > 0.01


def test_whole_numbers_are_equally_likely():
    found = Distribution.of({"integer": [3, 6]})
    values = [found.at(quantile) for quantile in np.arange(0.0005, 1, 0.001)]
    assert all(type(value) is int for value in values)
    expected = [randint(3, 7).pmf(value) for value in (3, 4, 5, 6)]
    assert [values.count(value) / 1000 for value in (3, 4, 5, 6)] == expected


def test_more_draws_begin_with_the_same_and_another_seed_has_others():
    assert drawn(MIXED, 30, seed=1)[:8] == drawn(MIXED, 8, seed=1)
    assert drawn(MIXED, 8, seed=2) != drawn(MIXED, 8, seed=1)


def test_a_parameter_is_drawn_alike_whatever_else_is_tuned():
    alone = drawn({"C": MIXED["C"]}, 5, seed=0)
    assert [point["C"] for point in drawn(MIXED, 5, seed=0)] == [point["C"] for point in alone]


def test_candidates_differ():
    points = drawn({"a": list(range(4)), "b": list(range(5))}, 15, seed=0)
    assert len({tuple(point.items()) for point in points}) == 15


def test_lists_with_no_more_combinations_are_searched_whole():
    assert drawn({"a": [1, 2], "b": [3, 4]}, 4, seed=0) == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
    ]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"uniform": [1]}, r"written {uniform: \[low, high\]}"),
        ({"uniform": [1, True]}, "not {'uniform'"),
        ({"uniform": [0, 1], "integer": [0, 1]}, "a distribution is written"),
        ({"uniform": [2, 1]}, "the lower first"),
        ({"log_uniform": [0, 1]}, "must be positive, not 0"),
        ({"integer": [0, 1.5]}, "must be whole numbers"),
        ({"uniform": [0, float("inf")]}, "must be finite"),
    ],
)
def test_what_is_no_distribution(spec, words):
    with pytest.raises(ValueError, match=words):
        Distribution.of(spec)
