from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from mlbench.methods.problem_transformation.ecc import EnsembleOfClassifierChains
from mlbench.methods.problem_transformation.growing_features import growing_features

FORMS = [np.asarray, sparse.csr_matrix]


def as_array(features):
    return features.toarray() if sparse.issparse(features) else features


@pytest.mark.parametrize("form", FORMS)
def test_columns_stand_behind_X_in_the_places_asked_for(form):
    random = np.random.RandomState(0)
    X, columns = random.randn(9, 4) * (random.rand(9, 4) < 0.5), random.randint(2, size=(6, 9))
    growth, expected = growing_features(form(X), 6), []
    np.testing.assert_array_equal(as_array(growth.features()), X)
    for place, column in zip([0, 1, 0, 1, 4, 3], columns, strict=True):
        growth.insert(column, place)
        expected.insert(place, column)
        found = growth.features()
        np.testing.assert_array_equal(as_array(found), np.column_stack([X, *expected]))
        assert isinstance(found, type(form(X)))


def test_sparse_rows_stay_in_order():
    X = sparse.random(20, 7, 0.3, "csr", random_state=0)
    growth = growing_features(X, 3)
    for place in (0, 0, 1):
        growth.insert(np.arange(20) % (2 + place), place)
    found = growth.features()
    assert found.has_sorted_indices
    assert found.indices.dtype == X.indices.dtype


@pytest.mark.parametrize("form", FORMS)
def test_features_that_somebody_keeps_do_not_change(form):
    growth = growing_features(form(np.eye(3)), 3)
    growth.insert(np.array([1, 0, 0]), 0)
    kept = growth.features()[:, 2:]
    for place in (0, 1):
        growth.insert(np.array([0, 1, 1]), place)
    np.testing.assert_array_equal(as_array(kept), [[0, 1], [0, 0], [1, 0]])
    np.testing.assert_array_equal(
        as_array(growth.features())[:, 3:], [[0, 0, 1], [1, 1, 0], [1, 1, 0]]
    )


class Keeper(ClassifierMixin, BaseEstimator):
    """The nearest neighbor, among features that are kept as they come."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.kept_, self.y_ = X, y
        return self

    def predict_proba(self, X):
        nearest = KNeighborsClassifier(1).fit(self.kept_, self.y_)
        return nearest.predict_proba(X)


@pytest.mark.parametrize("form", FORMS)
def test_a_learner_that_keeps_its_features_is_not_disturbed(form, labelled):
    X, Y, new = labelled
    for seed in range(3):
        keeper, neighbor = (
            EnsembleOfClassifierChains(base, n_chains=2, random_state=seed)
            .fit(form(X), Y)
            .decision_function(form(new))
            for base in (Keeper(), KNeighborsClassifier(1))
        )
        np.testing.assert_array_equal(keeper, neighbor)
