"""The equicorrelated net against explicit matrices, other solvers and the definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.linear_model import ElasticNet, Lasso

from mlbench.solvers.elastic_net.centered_columns import centered_columns
from mlbench.solvers.elastic_net.equicorrelated import EquicorrelatedElasticNet

EXACT = 1e-21
SHAPES = {"wide": (12, 20), "tall": (40, 15)}


def problem(shape, kind="dense"):
    """Return the solver's columns, the matrix they stand for, and three targets."""
    n, p = SHAPES[shape]
    random = np.random.RandomState(2)
    X = np.where(random.rand(n, p) < 0.5, random.randn(n, p) + 1, 0)
    T = random.randn(n, 3) + X[:, :3] - X[:, 3:6]
    T -= T.mean(axis=0)
    A = (X - X.mean(axis=0)) / X.std(axis=0)
    return centered_columns(X if kind == "dense" else sparse.csr_matrix(X)), A, T


def solved(columns, T, lam1, lam2, rho, tol=EXACT, start=None):
    net = start or EquicorrelatedElasticNet(columns, 3, lam2, rho)
    targets = columns.reduced(T)
    constants = (T**2).sum(axis=0) - (targets**2).sum(axis=0)
    return net, net.solve(targets, constants, lam1, tol, 100_000)


def matrix(p, rho):
    return (1 - rho) * np.eye(p) + rho


def objective(A, T, B, lam1, lam2, rho):
    penalty = lam2 * np.trace(B.T @ matrix(len(B), rho) @ B) + lam1 * np.abs(B).sum()
    return ((T - A @ B) ** 2).sum() + penalty


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("rho", [-0.05, 0, 0.3, 0.9])
@pytest.mark.parametrize("shape", SHAPES)
def test_is_the_lasso_on_the_explicit_augmented_matrix(shape, rho, kind):
    columns, A, T = problem(shape, kind)
    (n, p), lam1, lam2 = A.shape, 12.0, 5.0
    root = linalg.sqrtm(matrix(p, rho)).real
    stacked = np.vstack([A, np.sqrt(lam2) * root]) / np.sqrt(1 + lam2)
    gamma = lam1 / np.sqrt(1 + lam2)
    lasso = Lasso(gamma / (2 * (n + p)), fit_intercept=False, tol=1e-14, max_iter=1_000_000)
    net, found = solved(columns, T, lam1, lam2, rho)
    for t, b in zip(T.T, net.B.T, strict=True):
        reference = lasso.fit(stacked, np.append(t, np.zeros(p))).coef_ / np.sqrt(1 + lam2)
        np.testing.assert_allclose(b, reference, atol=1e-10)
    assert 0 < np.count_nonzero(net.B) < net.B.size
    assert found.objective == pytest.approx(objective(A, T, net.B, lam1, lam2, rho), rel=1e-12)


@pytest.mark.parametrize("rho", [0, 0.3, 0.9])
def test_one_row_more_does_what_the_equicorrelation_does(rho):
    columns, A, T = problem("wide")
    n, lam1, lam2 = len(A) + 1, 12.0, 5.0
    stacked = np.vstack([A, np.full(A.shape[1], np.sqrt(lam2 * rho))])
    ridge = lam2 * (1 - rho)
    alpha = lam1 / (2 * n) + ridge / n
    enet = ElasticNet(
        alpha, l1_ratio=lam1 / (2 * n) / alpha, fit_intercept=False, tol=1e-14, max_iter=1_000_000
    )
    net, _ = solved(columns, T, lam1, lam2, rho)
    for t, b in zip(T.T, net.B.T, strict=True):
        np.testing.assert_allclose(b, enet.fit(stacked, np.append(t, 0)).coef_, atol=1e-10)


@pytest.mark.parametrize("rho", [-0.05, 0.5])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_the_l1_penalty_it_is_a_generalized_ridge(shape, rho):
    columns, A, T = problem(shape)
    net, _ = solved(columns, T, 0.0, 3.0, rho)
    expected = np.linalg.solve(A.T @ A + 3.0 * matrix(A.shape[1], rho), A.T @ T)
    np.testing.assert_allclose(net.B, expected, atol=1e-9)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("rho", [-0.05, 0.5])
@pytest.mark.parametrize("lam1", [0.0, 1.0, 12.0])
def test_the_gap_bounds_the_distance_from_the_minimum(lam1, rho, tol):
    columns, A, T = problem("wide")
    _, best = solved(columns, T, lam1, 0.5, rho)
    net, rough = solved(columns, T, lam1, 0.5, rho, tol)
    true = objective(A, T, net.B, lam1, 0.5, rho) - best.objective
    assert true <= rough.gap + 1e-11 * best.objective
    assert rough.gap <= tol * rough.objective


def test_a_start_elsewhere_leads_to_the_same_coefficients():
    columns, _, T = problem("wide")
    alone, _ = solved(columns, T, 4.0, 0.5, 0.3)
    net, _ = solved(columns, T[:, ::-1], 9.0, 0.5, 0.3, tol=1e-3)
    other = net.copy()
    warm, _ = solved(columns, T, 4.0, 0.5, 0.3, start=net)
    np.testing.assert_allclose(warm.B, alone.B, atol=1e-10)
    assert not np.allclose(other.B, warm.B)
    for found in (warm, other):
        A = columns.data.reshape(columns.n_columns, -1).T
        np.testing.assert_allclose(found.fitted, A @ found.B, atol=1e-12)


def test_with_many_more_columns_than_rows_few_sweeps_are_enough():
    """Coordinate descent alone takes 6,000, because the penalty couples all columns."""
    random = np.random.RandomState(0)
    X = sparse.random(60, 2000, density=0.05, random_state=random, format="csr")
    T = random.randn(60, 3)
    T -= T.mean(axis=0)
    columns = centered_columns(X)
    lam1 = 0.1 * abs(columns.products(T)).max()
    _, found = solved(columns, T, lam1, 60, 0.5, tol=1e-8)
    assert found.limit is None
    assert found.n_sweeps < 600


def test_limits_are_told():
    columns, _, T = problem("wide")
    net = EquicorrelatedElasticNet(columns, 3, 0.01, 0.5)
    short = net.solve(T, np.zeros(3), 0.1, 1e-12, 2)
    assert short.limit == "max_sweeps"
    assert short.gap > 1e-12 * short.objective
    assert solved(columns, T, 0.1, 0.01, 0.5, tol=1e-9)[1].limit is None
    assert solved(columns, T, 1.0, 0.01, 0.5, tol=1e-60)[1].limit == "precision"


def test_coefficients_are_all_zero_exactly_from_the_largest_lam1_on():
    columns, A, T = problem("wide")
    largest = 2 * np.abs(A.T @ T).max()
    assert np.count_nonzero(solved(columns, T, largest * 1.0000001, 1.0, 0.5)[0].B) == 0
    assert np.count_nonzero(solved(columns, T, largest * 0.999, 1.0, 0.5)[0].B) == 1
