from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.problem_transformation.base_fits import (
    ConstantClassifier,
    FitCache,
    ProblemFeatures,
    class_probabilities,
    positive_probability,
)
from mlbench.methods.problem_transformation.growing_features import growing_features


def with_columns(X, Y, labels):
    """The features of a problem: X and some labels."""
    growth = growing_features(X, len(labels))
    for place, label in enumerate(labels):
        growth.insert(Y[:, label], place)
    return ProblemFeatures(growth, np.array(labels))


def test_equal_problems_share_a_classifier(labelled):
    X, Y, _ = labelled
    fits = FitCache(DecisionTreeClassifier(), X)
    rows = np.arange(0, 60, 2)
    y = Y[:, 0]
    first = fits(y)
    assert fits(y.copy()) is first
    others = [
        fits(1 - y),
        fits(y[rows], rows),
        fits(y[rows], rows + 1),
        fits(y, own=with_columns(X, Y, [1])),
        fits(y, own=with_columns(X, Y, [1, 2])),
        fits(y, own=with_columns(X, Y, [2, 1])),
    ]
    assert len({id(model) for model in [first, *others]}) == fits.n_fits == 7
    assert fits(y[rows], rows.copy()) is others[1]
    assert fits(y, own=with_columns(X, Y, [1, 2])) is others[4]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_problem_has_its_rows_and_its_added_features(labelled, form):
    X, Y, _ = labelled
    rows = np.array([3, 3, 5, 8, 13, 21, 34, 55])
    fits = FitCache(LinearSVC(random_state=0), form(X))
    own = with_columns(fits.select_rows(rows), Y[rows], [1, 2])
    model = fits(Y[rows, 0], rows, own)
    alone = LinearSVC(random_state=0).fit(form(np.hstack([X, Y[:, 1:]])[rows]), Y[rows, 0])
    np.testing.assert_array_equal(model.coef_, alone.coef_)


def test_one_class_or_no_row_is_not_fitted(labelled):
    X, _, new = labelled
    fits = FitCache(LinearSVC(), X)
    always, empty = fits(np.ones(60, dtype=int)), fits(np.array([], dtype=int), np.array([], int))
    assert (always.code, empty.code, fits.n_fits) == (1, 0, 0)
    assert (positive_probability(always, new) == 1).all()
    assert (positive_probability(empty, new) == 0).all()
    np.testing.assert_array_equal(
        class_probabilities(ConstantClassifier(1), new[:1], 3), [[0, 1, 0]]
    )


class Fixed(ClassifierMixin, BaseEstimator):
    """Gives the same margins for every row."""

    def __init__(self, margins=()):
        self.margins = margins

    def decision_function(self, X):
        return np.tile(self.margins, (len(X), 1))


def test_margins_far_below_zero_make_probabilities_all_the_same():
    probabilities = class_probabilities(Fixed([-2000.0, -2001.0]), np.zeros((1, 1)), 2)
    np.testing.assert_allclose(probabilities, [[1 / (1 + np.exp(-1)), 1 / (1 + np.e)]])


def test_a_base_that_is_not_sure_of_anything_is_refused(labelled):
    X, Y, new = labelled
    with pytest.raises(MethodError, match="base BaseEstimator has neither predict_proba nor"):
        positive_probability(BaseEstimator(), new)
    codes = Y @ [4, 2, 1]
    svc = SVC(decision_function_shape="ovo").fit(X, codes)
    with pytest.raises(MethodError, match="base SVC gave 28 margins for 8 classes"):
        class_probabilities(svc, new, len(np.unique(codes)))
