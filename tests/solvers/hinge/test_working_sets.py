"""Squared-hinge machines of many labels have the objective of scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from mlbench.solvers.hinge.working_sets import squared_hinge_classifiers


def problem(n=300, d=40, k=5, seed=0):
    """Sparse rows, some of them twice, columns of zeros, and labels from rare to frequent."""
    random = np.random.default_rng(seed)
    X = sparse.random(n, d, 0.2, "csr", random_state=random).toarray()
    X[1::10] = X[0]
    X[:, -3:] = 0
    evidence = X @ random.standard_normal((d, k)) + 0.3 * random.standard_normal((n, k))
    Y = evidence > np.quantile(evidence, np.linspace(0.5, 0.99, k), axis=0).diagonal()
    return X, Y.astype(np.int8)


def objective(X, y, w, b, C, constant):
    penalty = w @ w + (b / constant) ** 2 if constant else w @ w
    return penalty / 2 + C * (np.maximum(0, 1 - (2.0 * y - 1) * (X @ w + b)) ** 2).sum()


@pytest.mark.parametrize("C", [1e-4, 0.1, 1, 10])
@pytest.mark.parametrize("constant", [0, 1, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_objectives_are_those_of_scikit_learn(form, constant, C):
    X, Y = problem()
    found = squared_hinge_classifiers(form(X), Y, C, constant, 1e-6)
    assert (found.gap <= 1e-6).all()
    for y, w, b in zip(Y.T, found.coef, found.intercept, strict=True):
        other = LinearSVC(
            C=C,
            dual=False,
            tol=1e-9,
            max_iter=10**5,
            fit_intercept=constant > 0,
            intercept_scaling=constant or 1,
        ).fit(X, y)
        least = objective(X, y, other.coef_[0], np.sum(other.intercept_), C, constant)
        assert objective(X, y, w, b, C, constant) == pytest.approx(least, rel=2e-6)


@pytest.mark.parametrize("tolerance", [0.1, 1e-3, 1e-5])
def test_the_gap_bounds_how_far_an_objective_is_from_the_least(tolerance):
    X, Y = problem(n=2000)
    best = squared_hinge_classifiers(X, Y, 1.0, tolerance=1e-9)
    found = squared_hinge_classifiers(X, Y, 1.0, tolerance=tolerance)
    for label, y in enumerate(Y.T):
        least = objective(X, y, best.coef[label], best.intercept[label], 1.0, 1.0)
        value = objective(X, y, found.coef[label], found.intercept[label], 1.0, 1.0)
        assert value - least <= found.gap[label] * value + 1e-8 * value
        assert found.gap[label] <= tolerance


def test_a_gap_tells_where_descent_is_too_slow():
    X, Y = problem()
    found = squared_hinge_classifiers(X, Y, 1e3, tolerance=1e-6)
    for label, y in enumerate(Y.T):
        other = LinearSVC(C=1e3, dual=False, tol=1e-9, max_iter=10**5).fit(X, y)
        least = objective(X, y, other.coef_[0], other.intercept_[0], 1e3, 1)
        value = objective(X, y, found.coef[label], found.intercept[label], 1e3, 1)
        assert value - least <= (found.gap[label] + 1e-6) * value


def test_a_label_without_positive_rows_has_negative_scores():
    X, Y = problem()
    found = squared_hinge_classifiers(X, 0 * Y[:, :1], 1.0)
    assert (X @ found.coef[0] + found.intercept[0] < -0.9).all()


def test_labels_do_not_depend_on_one_another():
    X, Y = problem()
    together = squared_hinge_classifiers(X, Y, 1.0, tolerance=1e-8)
    alone = squared_hinge_classifiers(X, Y[:, 2:3], 1.0, tolerance=1e-8)
    np.testing.assert_allclose(together.coef[2], alone.coef[0], atol=1e-4)
