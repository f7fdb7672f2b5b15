"""How a cell fits a method that has a projection: to other rows and labels first."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from mlbench.methods.kernel_projection.gaussian import KPCASVM
from mlbench.papers.splitters.transfer import TransferFitter
from mlbench.protocol.fitting import has_projection

random = np.random.RandomState(0)
X, Y = random.randn(40, 4), random.randint(0, 2, (40, 5))
SOURCE = slice(0, 25)
ROWS = slice(25, 40)


class Sign(BaseEstimator):
    """A user's own method: the direction of the labels' mean, turned for every label."""

    def __init__(self, turn=1.0):
        self.turn = turn

    def fit_projection(self, X, Y):
        self.direction_ = self.turn * X.T @ Y.mean(axis=1)
        self.seen_ = Y.shape
        return self

    def fit_classifiers(self, X, Y):
        self.signs_ = np.sign((X @ self.direction_) @ (2 * Y - 1))
        return self

    def fit(self, X, Y):
        return self.fit_projection(X, Y).fit_classifiers(X, Y)


@pytest.fixture
def fitter():
    return TransferFitter(0, X[SOURCE], Y[SOURCE, :3])


def test_which_methods_have_a_projection():
    assert has_projection(KPCASVM())
    assert has_projection(Sign())
    assert not has_projection(LogisticRegression())


def test_the_projection_of_a_users_method_is_fitted_to_the_source(fitter):
    model = fitter.fit(Sign(), X[ROWS], Y[ROWS, 3:])
    assert model.seen_ == (25, 3)
    assert model.signs_.shape == (2,)


def test_a_grid_of_a_users_method_is_a_fit_for_every_point(fitter):
    found = dict(fitter.fit_path(Sign(), X[ROWS], Y[ROWS, 3:], [{"turn": 1.0}, {"turn": -1.0}]))
    assert sorted(found) == [0, 1]
    np.testing.assert_array_equal(found[0].signs_, -found[1].signs_)


def test_a_path_along_which_projections_are_shared_is_that_of_single_fits(fitter):
    grid = [{"n_components": n, "C": C} for n in (1, 3) for C in (0.1, 10.0)]
    model = KPCASVM()
    for rows in (ROWS, slice(27, 40)):
        for index, found in fitter.fit_path(model, X[rows], Y[rows, 3:], grid):
            alone = fitter.fit(KPCASVM(**grid[index]), X[rows], Y[rows, 3:])
            scores = alone.decision_function(X[SOURCE])
            np.testing.assert_allclose(found.decision_function(X[SOURCE]), scores, atol=1e-7)


def test_another_grid_is_another_path(fitter):
    model = KPCASVM()
    for grid in ([{"n_components": 1}], [{"n_components": 2}]):
        ((_, found),) = fitter.fit_path(model, X[ROWS], Y[ROWS, 3:], grid)
        assert found.n_components_ == grid[0]["n_components"]


def test_methods_without_a_projection_see_what_they_are_given(fitter):
    one = fitter.fit(LogisticRegression(), X[ROWS], Y[ROWS, 3:4])
    alone = LogisticRegression().fit(X[ROWS], Y[ROWS, 3])
    np.testing.assert_array_equal(one.coef_, alone.coef_)


def test_the_source_cannot_be_written_to(fitter):
    class Vandal(Sign):
        def fit_projection(self, X, Y):
            X[:] = 0

    with pytest.raises(ValueError, match="read-only"):
        fitter.fit(Vandal(), X[ROWS].copy(), Y[ROWS, 3:].copy())
