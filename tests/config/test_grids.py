from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, loguniform, randint, uniform

from mlbench.config.grids import Distribution, combinations, drawn, expand


def test_ke_grid_is_the_union_that_the_paper_prints():
    listed = [f"{i}e-3" for i in range(1, 11)]
    listed += [f"{i}e-2" for i in range(1, 11)]
    listed += [f"{i}e-1" for i in range(1, 11)]
    listed += [str(2 * i) for i in range(1, 11)]
    listed += [str(40 * i) for i in range(1, 21)]
    values = expand("ke-grid")
    assert len(listed) == 60
    assert len(values) == 58
    assert values == sorted({float(text) for text in listed})
    assert (values[0], values[-1]) == (0.001, 800.0)


@pytest.mark.parametrize(
    ("spec", "oracle"),
    [
        ({"linear": [0, 1, 11]}, np.linspace(0, 1, 11)),
        ({"linear": [5, -5, 3]}, [5, 0, -5]),
        ({"linear": [-0.7, 1.4, 22]}, np.arange(-7, 15) / 10),
        ({"log10": [-3, 3, 7]}, np.logspace(-3, 3, 7)),
        ({"log10": [-1.5, 2, 8]}, np.logspace(-1.5, 2, 8)),
        ({"log2": [-5, 15, 11]}, np.logspace(-5, 15, 11, base=2)),
        ({"log10": [2, 9, 1]}, [100]),
    ],
)
def test_ranges(spec, oracle):
    assert expand(spec) == pytest.approx(list(oracle), rel=1e-11, abs=0)


def test_round_values_come_out_round():
    assert expand({"log10": [-3, 3, 7]}) == [0.001, 0.01, 0.1, 1, 10, 100, 1000]
    assert expand({"linear": [0, 1, 11]})[3] == 0.3


def test_a_list_is_taken_as_it_is():
    values = [3, 0.5, "rbf", None, True, 1, {"use": "svc"}, {"use": "tree"}]
    assert expand(values) == values


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("ke-gird", "did you mean 'ke-grid'"),
        (0.5, r"write \[0.5\]"),
        ([], "at least one"),
        ([1, 2, 1.0], "1.0 occurs twice"),
        ([{"use": "svc"}, {"use": "svc"}], "occurs twice"),
        ([1, float("inf")], "inf is not"),
        ([[float("nan")]], "is not"),
        (list(range(10_001)), "at most 10000"),
        ({"log": [1, 2, 3]}, "did you mean 'log2'|did you mean 'log10'"),
        ({"linear": [1, 2, 3], "log2": [1, 2, 3]}, "low, high, count"),
        ({}, "low, high, count"),
        ({"linear": [1, 2]}, r"holds \[1, 2\]"),
        ({"linear": [1, 2, 3.0]}, "holds"),
        ({"linear": [1, 2, True]}, "holds"),
        ({"linear": "many"}, "holds 'many'"),
        ({"linear": [1, 2, 0]}, "between 1 and 10000"),
        ({"linear": [1, 2, 10_001]}, "between 1 and 10000"),
        ({"linear": [1, 1, 3]}, "occurs twice"),
        ({"linear": [float("nan"), 1, 3]}, "out of reach"),
        ({"linear": [0, 1e7, 3]}, "out of reach"),
        ({"log10": [0, 10**400, 3]}, "out of reach"),
    ],
)
def test_wrong_grids_are_refused_in_words(spec, words):
    with pytest.raises(ValueError, match=words):
        expand(spec)


def test_the_last_parameter_runs_fastest():
    points = combinations({"b": [1, 2], "a": ["x", "y"]})
    assert points == [
        {"b": 1, "a": "x"},
        {"b": 1, "a": "y"},
        {"b": 2, "a": "x"},
        {"b": 2, "a": "y"},
    ]
    assert combinations({}) == [{}]


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
