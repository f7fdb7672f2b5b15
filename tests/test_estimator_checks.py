"""The contract of all methods, built-in ones and those that third parties write."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from mlbench.estimator_checks import CHECKS
from mlbench.registry import METHODS, make_method

BASES = ("linear_svc", "tree", "ridge", "naive_bayes", "weka_naive_bayes")
VARIANTS = {name: (name, {}) for name in METHODS}
VARIANTS |= {f"br-{base}": ("br", {"base": base}) for base in BASES}
VARIANTS |= {
    "lp-mulan": ("lp", {"base": "linear_svc", "scores": "mulan"}),
    "rakel-pairs": ("rakel", {"base": "tree", "labelset_size": 2, "scores": "marginal"}),
    "ecc-plain": ("ecc", {"n_chains": 1, "order": "natural", "sampling": None}),
    "homer-halves": ("homer", {"n_clusters": 2, "scores": "mulan", "clustering": "random"}),
    "mlcssp-mulan": ("mlcssp", {"base": "tree", "variant": "mulan"}),
    "adaboost_mh-mulan": ("adaboost_mh", {"n_rounds": 10, "variant": "mulan"}),
    "mlknn-plain": ("mlknn", {"normalize": None, "k": 5}),
    "lspc-raw-subset": ("lspc", {"scores": "raw", "n_basis": 15}),
    "ml_lspc-cg": ("ml_lspc", {"solver": "cg", "lam": 1.0}),
    "ml_lspc-naive": ("ml_lspc", {"solver": "naive", "lam": 1.0}),
    "svm_ovr-squared": ("svm_ovr", {"loss": "squared_hinge", "scale": True}),
    "hsml-clique": ("hsml", {"laplacian": "clique", "edge_weight": "inverse_size", "C": 30.0}),
    "cca_svm-first": ("cca_svm", {"n_components": 1, "ridge": 0.0, "scaled": True}),
    "cca_ls-first": ("cca_ls", {"n_components": 1, "ridge": 0.0}),
    "morp_svm-approx": ("morp_svm", {"solver": "approx", "loss": "squared_hinge"}),
    "morp_linear-direct": ("morp_linear", {"form": "direct", "beta": 0.9}),
    "kcca_svm-scaled": ("kcca_svm", {"scaled": True, "center": False}),
    "forest": ("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 5}),
}

EXPECTED_FAILURES = {
    ("br-ridge", "sparse"): "RidgeClassifier solves a sparse problem by iteration, to 1e-4",
    ("br-naive_bayes", "constant_features"): "GaussianNB divides by the variance, which is 0",
    ("br-naive_bayes", "sparse"): "GaussianNB takes no sparse X",
    ("br-weka_naive_bayes", "sparse"): "WekaNaiveBayes takes no sparse X",
    ("forest", "missing_values_refused"): "scikit-learn's forests have a branch for them",
    ("forest", "other_labels_refused"): "scikit-learn takes any number of classes",
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_method_keeps_the_contract(variant, check, request):
    reason = EXPECTED_FAILURES.get((variant, check))
    if reason:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    name, parameters = VARIANTS[variant]
    CHECKS[check](lambda: make_method(name, **parameters))


class PeeksAtItsNeighbors(BaseEstimator):
    """Standardizes what it predicts by the new rows themselves."""

    def fit(self, X, Y):
        self.width_ = Y.shape[1]
        return self

    def decision_function(self, X):
        return np.repeat((X[:, :1] - X[:, :1].mean()), self.width_, axis=1)

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


class CutsAtItsNeighbors(PeeksAtItsNeighbors):
    """Predicts the label of the rows above the mean of the new rows."""

    def decision_function(self, X):
        return np.repeat(X[:, :1], self.width_, axis=1)

    def predict(self, X):
        return np.repeat(X[:, :1] > X[:, :1].mean(), self.width_, axis=1).astype(int)


class RemembersOtherFits(PeeksAtItsNeighbors):
    """Keeps in its class what it has seen."""

    seen: ClassVar[dict[bytes, bool]] = {}

    def decision_function(self, X):
        return np.repeat(X[:, :1] + len(self.seen), self.width_, axis=1)

    def fit(self, X, Y):
        self.seen[X.tobytes()] = True
        return super().fit(X, Y)


class PathThatForgetsItsPoint(PeeksAtItsNeighbors):
    """Its path fits the same model for every point."""

    example_grid = ({"shift": 0.0}, {"shift": 5.0})

    def __init__(self, shift=0.0):
        self.shift = shift

    def decision_function(self, X):
        return np.repeat(X[:, :1] + self.shift, self.width_, axis=1)

    def fit_path(self, X, Y, grid):
        yield from ((index, PathThatForgetsItsPoint().fit(X, Y)) for index in range(len(grid)))


class CountsItsPlace(PeeksAtItsNeighbors):
    """Scores a label by its place."""

    def decision_function(self, X):
        return np.tile(np.arange(self.width_, dtype=float), (len(X), 1))


class CountsItsPlaceAndSaysSo(CountsItsPlace):
    label_order_counts = True


@pytest.mark.parametrize("check", ["label_order", "duplicate_label"])
def test_a_method_may_say_that_the_order_of_labels_counts(check):
    with pytest.raises(AssertionError, match=r"order of the labels|equal labels"):
        CHECKS[check](CountsItsPlace)
    CHECKS[check](CountsItsPlaceAndSaysSo)


@pytest.mark.parametrize(
    ("method", "check", "complaint"),
    [
        (PeeksAtItsNeighbors, "no_peeking", "scores depend on the rows beside it"),
        (CutsAtItsNeighbors, "no_peeking", "predicted labels depend on the rows beside it"),
        (PeeksAtItsNeighbors, "one_class_labels", "is not predicted as that class"),
        (
            PeeksAtItsNeighbors,
            "missing_values_refused",
            "fit accepts nan in X; it must raise ValueError",
        ),
        (RemembersOtherFits, "same_seed", "depends on what another model was fitted to"),
        (PathThatForgetsItsPoint, "path", "not that of an independent fit"),
    ],
)
def test_a_method_that_breaks_the_contract_is_told_how(method, check, complaint):
    with pytest.raises(AssertionError, match=complaint):
        CHECKS[check](method)


@pytest.mark.parametrize("check", ["row_order", "label_order"])
def test_a_method_with_a_seed_of_its_own_is_random_all_the_same(check):
    for name in ("ecc", "sklearn.ensemble.RandomForestClassifier"):
        CHECKS[check](lambda name=name: make_method(name, {"random_state": 0}))
