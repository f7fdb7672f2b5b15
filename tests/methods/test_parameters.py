from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from mlbench.errors import MethodError
from mlbench.estimator_checks import example
from mlbench.methods.base import MultiLabelMethod
from mlbench.methods.parameters import (
    check_parameters,
    require_count,
    require_one_of,
    require_positive,
    require_positives,
    require_symmetric,
)
from mlbench.registry import METHODS, make_method, resolve


def parameters(names):
    """Return (method, parameter) for all that a method checks itself; a base has its own."""
    return [
        (name, parameter)
        for name in names
        for parameter in inspect.signature(resolve(name)).parameters
        if parameter != "base"
    ]


@pytest.mark.parametrize("name", METHODS)
def test_the_defaults_of_a_method_are_right(name):
    check_parameters(make_method(name))


@pytest.mark.parametrize(("name", "parameter"), parameters(METHODS))
def test_no_parameter_takes_a_word_without_meaning_here(name, parameter):
    model = make_method(name, **{parameter: "nonsense"})
    with pytest.raises(MethodError, match=f"{parameter} must be .*; got 'nonsense'"):
        check_parameters(model)
    data = example(model)
    tasks = {} if data.tasks is None else {"tasks": data.tasks}
    with pytest.raises(MethodError, match=f"{parameter} must be .*; got 'nonsense'"):
        model.fit(data.X, data.Y, **tasks)


class Ensemble(MultiLabelMethod):
    """Holds an estimator, a number and a seed."""

    def __init__(self, base=None, size=10, random_state=None):
        self.base, self.size, self.random_state = base, size, random_state

    def _check_parameters(self):
        require_count(self, "size")


@pytest.mark.parametrize("seed", [None, 0, 2**32 - 1, np.int64(7), np.random.RandomState(0)])
def test_seeds(seed):
    Ensemble(random_state=seed).check_parameters()


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, "seed", [[1]]])
def test_what_is_no_seed_is_refused_for_every_method_that_has_one(seed):
    with pytest.raises(MethodError, match=r"Ensemble: random_state must be a whole number from 0"):
        Ensemble(random_state=seed).check_parameters()


class AskedByName(BaseEstimator):
    """Derives from nothing of mlbench, and says what it takes."""

    def __init__(self, alpha=1):
        self.alpha = alpha

    def check_parameters(self):
        require_positive(self, "alpha")


class NeverAsked(BaseEstimator):
    """Has no way to say what it takes."""

    def __init__(self, alpha=1):
        self.alpha = alpha


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Ensemble(size=0), "Ensemble: size must be a whole number of at least 1; got 0"),
        (Ensemble(Ensemble(size=0)), "size must be"),
        (Ensemble(Ensemble(AskedByName(-1))), "AskedByName: alpha must be a number above 0"),
        (LogisticRegression(C=-1), "The 'C' parameter of LogisticRegression must be a float in"),
        (Ensemble(LogisticRegression(C="x")), "The 'C' parameter of LogisticRegression"),
        (make_pipeline(Normalizer("l7"), LogisticRegression()), "The 'norm' parameter"),
    ],
)
def test_estimators_are_asked_at_every_depth(model, words):
    with pytest.raises(MethodError, match=words):
        check_parameters(model)


@pytest.mark.parametrize(
    "model", [NeverAsked("x"), Ensemble(NeverAsked(-1)), Ensemble(LogisticRegression), Ensemble(7)]
)
def test_who_cannot_say_is_not_asked(model):
    check_parameters(model)


class Holder:
    """Holds one value."""

    def __init__(self, value):
        self.value = value


BAD = {
    require_positive: [0, -1, np.nan, np.inf, "1", None, True, [1]],
    require_count: [0, -1, 1.0, "1", None, True],
    require_positives: [0, [1, 0], [[1]], "1", None, True, [1, np.nan], [1, [2]], ["a"]],
}
GOOD = {
    require_positive: [1, 0.5, np.float32(1), np.int64(3)],
    require_count: [1, np.int64(3)],
    require_positives: [1, 0.5, [1, 0.5], np.ones(3)],
}


@pytest.mark.parametrize("require", GOOD)
def test_numbers(require):
    for value in GOOD[require]:
        require(Holder(value), "value")
    for value in BAD[require]:
        with pytest.raises(MethodError, match="Holder: value must be"):
            require(Holder(value), "value")


def test_0_is_allowed_where_it_is_said():
    require_positive(Holder(0), "value", zero=True)
    with pytest.raises(MethodError, match=r"a number of at least 0; got -0.1"):
        require_positive(Holder(-0.1), "value", zero=True)


def test_choices():
    require_one_of(Holder(None), "value", ("a", None))
    with pytest.raises(MethodError, match=r"value must be one of 'a', None; got 'b'"):
        require_one_of(Holder("b"), "value", ("a", None))


@pytest.mark.parametrize("value", [[[0, 2], [2, 1]], np.eye(3), [[5]]])
def test_symmetric_matrices(value):
    require_symmetric(Holder(value), "value", "a word")


@pytest.mark.parametrize(
    "value", [[[0, 1], [2, 1]], -np.eye(2), [1, 1], np.ones((2, 3)), [["a"]], 5, [[np.inf]]]
)
def test_matrices_that_are_not(value):
    words = "value must be a word, or a symmetric matrix without negative entries"
    with pytest.raises(MethodError, match=words):
        require_symmetric(Holder(value), "value", "a word")
