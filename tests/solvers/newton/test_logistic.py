"""Logistic regressions of many labels have the objective of scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from mlbench.solvers.newton.logistic import logistic_classifiers


def problem(n=300, d=40, k=5, seed=0):
    """Sparse rows, some of them twice, columns of zeros, and labels from rare to frequent."""
    random = np.random.default_rng(seed)
    X = sparse.random(n, d, 0.2, "csr", random_state=random).toarray()
    X[1::10] = X[0]
    X[:, -3:] = 0
    evidence = X @ random.standard_normal((d, k)) + 0.3 * random.standard_normal((n, k))
    Y = evidence > np.quantile(evidence, np.linspace(0.5, 0.99, k), axis=0).diagonal()
    return X, Y.astype(np.int8)


def objective(X, y, w, b, C):
    return w @ w / 2 + C * np.logaddexp(0, -(2.0 * y - 1) * (X @ w + b)).sum()


@pytest.mark.parametrize("C", [1e-4, 0.1, 1, 1e3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_objectives_are_those_of_scikit_learn(form, fit_intercept, C):
    X, Y = problem()
    found = logistic_classifiers(form(X), Y, C, fit_intercept, 1e-6)
    assert (found.gap <= 1e-6).all()
    for y, w, b in zip(Y.T, found.coef, found.intercept, strict=True):
        other = LogisticRegression(
            C=C, solver="newton-cholesky", tol=1e-10, max_iter=1000, fit_intercept=fit_intercept
        ).fit(X, y)
        least = objective(X, y, other.coef_[0], np.sum(other.intercept_), C)
        assert objective(X, y, w, b, C) == pytest.approx(least, rel=2e-6)
        assert fit_intercept or b == 0


@pytest.mark.parametrize("tolerance", [0.1, 1e-3, 1e-5])
def test_the_gap_bounds_how_far_an_objective_is_from_the_least(tolerance):
    X, Y = problem(n=2000)
    best = logistic_classifiers(X, Y, 1.0, tolerance=1e-10)
    found = logistic_classifiers(X, Y, 1.0, tolerance=tolerance)
    for label, y in enumerate(Y.T):
        least = objective(X, y, best.coef[label], best.intercept[label], 1.0)
        value = objective(X, y, found.coef[label], found.intercept[label], 1.0)
        assert value - least <= found.gap[label] * value + 1e-8 * value
        assert found.gap[label] <= tolerance


def test_large_features_do_not_overflow():
    X, Y = problem()
    found = logistic_classifiers(1e3 * X, Y, 1.0)
    assert np.isfinite(found.coef).all()
    assert (found.gap <= 1e-4).all()
