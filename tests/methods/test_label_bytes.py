"""Methods that get labels as bytes score as with 64-bit labels, beyond 127 rows and labels."""

from importlib import import_module

import numpy as np
import pytest

from mlbench.methods.catalogue import METHODS
from mlbench.registry import make_method


def kind_of(name):
    module, _, kind = METHODS[name].partition(":")
    return getattr(import_module(module), kind)


IN_BYTES = [name for name in METHODS if kind_of(name).takes_bytes]


def problem(n, k):
    random = np.random.default_rng(0)
    X = random.standard_normal((n, 6))
    evidence = X @ random.standard_normal((6, k)) + random.standard_normal((n, k))
    return X, (evidence > random.uniform(-1, 1, k)).astype(np.int8)


@pytest.mark.parametrize("shape", [(700, 3), (150, 140)])
@pytest.mark.parametrize("name", IN_BYTES)
def test_scores_are_those_of_64_bit_labels(name, shape, monkeypatch):
    X, Y = problem(*shape)
    base = {"base": "naive_bayes"} if hasattr(kind_of(name), "base") else {}
    model = make_method(name, **base)
    if hasattr(model, "random_state"):
        model.set_params(random_state=0)
    in_bytes = model.fit(X, Y).decision_function(X)
    assert model._check_training(X, Y)[1].dtype == np.int8
    monkeypatch.setattr(kind_of(name), "takes_bytes", False)
    assert model._check_training(X, Y)[1].dtype == np.int64
    np.testing.assert_array_equal(in_bytes, model.fit(X, Y).decision_function(X))


@pytest.mark.parametrize("name", ["br", "homer"])
def test_a_base_learner_gets_classes_of_64_bits(name):
    class Recorder:
        def __init__(self):
            self.types = set()

        def get_params(self, deep=True):
            return {}

        def set_params(self, **params):
            return self

        def __sklearn_clone__(self):
            return self

        def decision_function(self, X):
            return np.zeros(X.shape[0])

        def fit(self, X, y):
            self.types.add(y.dtype)
            return self

    recorder = Recorder()
    make_method(name, base=recorder).fit(*problem(60, 4))
    assert recorder.types == {np.dtype(np.int64)}


def test_homer_clusters_bytes_like_numbers():
    module = import_module("mlbench.methods.problem_transformation.label_clusters")
    points = problem(300, 20)[1].T
    clusters = [
        module.balanced_clusters(form, 3, np.random.RandomState(0))
        for form in (points, points.astype(float))
    ]
    for one, other in zip(*clusters, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_methods_of_many_labels_take_bytes():
    assert {"br", "homer", "mlknn"} <= set(IN_BYTES)
