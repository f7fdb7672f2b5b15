from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.hinge.interior_point import hinge_multipliers


def example(n=50, r=4, seed=0):
    random = np.random.RandomState(seed)
    Z = np.maximum(random.randn(n, r), 0)
    return Z, np.where(Z[:, 0] + random.randn(n) > 0.5, 1.0, -1.0)


def dual(Z, y, alpha):
    return alpha.sum() - ((Z.T @ (y * alpha)) ** 2).sum() / 2


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("seed", range(3))
def test_the_primal_objective_meets_the_dual(C, seed):
    Z, y = example(seed=seed)
    alpha, ends = hinge_multipliers(Z, y, C)
    assert (alpha > 0).all()
    assert (alpha < C).all()
    assert abs(y @ alpha) < 1e-9 * C
    w = Z.T @ (y * alpha)
    biases = y - Z @ w
    primal = min(w @ w / 2 + C * np.maximum(0, 1 - y * (Z @ w + b)).sum() for b in biases)
    np.testing.assert_allclose(dual(Z, y, alpha), primal, rtol=1e-8)
    np.testing.assert_allclose(ends, alpha, atol=1e-5 * C)


def test_it_is_the_optimum_of_a_conic_solver():
    cvxpy = pytest.importorskip("cvxpy")
    Z, y = example()
    w, b = cvxpy.Variable(4), cvxpy.Variable()
    loss = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(y, Z @ w + b)))
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(w) / 2 + 0.7 * loss))
    problem.solve()
    alpha, _ = hinge_multipliers(Z, y, 0.7)
    np.testing.assert_allclose(dual(Z, y, alpha), problem.value, rtol=1e-6)
    np.testing.assert_allclose(Z.T @ (y * alpha), w.value, atol=1e-4)


def test_multipliers_that_tend_to_an_end_are_there():
    random = np.random.RandomState(0)
    Z = random.randn(50, 4)
    y = np.where(Z[:, 0] + random.randn(50) > 0.5, 1.0, -1.0)
    alpha, ends = hinge_multipliers(Z, y, 0.5)
    free = (ends > 0) & (ends < 0.5)
    assert 1 <= free.sum() <= 5
    assert (ends == 0).any()
    assert (ends == 0.5).any()
    w = Z.T @ (y * alpha)
    margins = y * (Z @ w)
    bias = (y - Z @ w)[free]
    np.testing.assert_allclose(bias, bias[0], atol=1e-6)
    shifted = margins + y * bias[0]
    assert (shifted[ends == 0] > 1 - 1e-6).all()
    assert (shifted[ends == 0.5] < 1 + 1e-6).all()


def test_sparse_rows_give_the_same_weights():
    """Many rows coincide here, and the multipliers are not determined."""
    Z, y = example()
    dense, slim = (hinge_multipliers(A, y, 2.0)[0] for A in (Z, sparse.csr_matrix(Z)))
    np.testing.assert_allclose(Z.T @ (y * slim), Z.T @ (y * dense), atol=1e-8)


def test_without_features_only_the_bias_is_fitted():
    y = np.array([1.0, 1.0, -1.0])
    alpha, _ = hinge_multipliers(np.zeros((3, 0)), y, 1.0)
    np.testing.assert_allclose(alpha.sum(), 2, atol=1e-8)
