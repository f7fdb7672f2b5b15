from __future__ import annotations

import numpy as np
import pytest

from mlbench.config.grids import combinations, expand


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
