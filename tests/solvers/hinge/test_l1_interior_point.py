from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, sparse
from scipy.optimize import linprog

from mlbench.solvers.hinge.l1_interior_point import HingeInteriorPath


def example(n=60, d=8, seed=0):
    random = np.random.RandomState(seed)
    X = random.randn(n, d)
    return X, np.where(X[:, 0] + 2 * random.randn(n) > 0, 1.0, -1.0)


def path_of(X, y):
    return HingeInteriorPath(X, X.T.tocsr() if sparse.issparse(X) else X.T.copy(), y)


def objective(X, y, w, c):
    return np.abs(w).sum() + c * np.maximum(0, 1 - y * (X @ w)).sum()


def optimum(X, y, c):
    """The linear program as it stands, solved by HiGHS."""
    (n, d), A = X.shape, y[:, None] * X
    cost = np.concatenate([np.ones(2 * d), np.full(n, c)])
    result = linprog(cost, A_ub=np.hstack([-A, A, -np.eye(n)]), b_ub=-np.ones(n))
    return result.fun


@pytest.mark.parametrize("shape", [(60, 8), (20, 20), (8, 30)])
@pytest.mark.parametrize("c", [1e-4, 0.03, 1.0, 1e3])
def test_the_objective_is_that_of_a_linear_program(shape, c):
    X, y = example(*shape)
    path = path_of(X, y)
    path.solve(c, 1e-6, 100)
    assert objective(X, y, path.solution(), c) == pytest.approx(optimum(X, y, c), rel=2e-6)


def test_multipliers_are_feasible_and_prove_the_gap():
    X, y = example()
    path = path_of(X, y)
    path.solve(0.1, 1e-3, 100)
    alpha = path.multipliers()
    assert ((alpha > 0) & (alpha < 0.1)).all()
    assert (np.abs(X.T @ (y * alpha)) < 1).all()
    found = objective(X, y, path.solution(), 0.1)
    assert found - alpha.sum() <= 1e-3 * found
    assert alpha.sum() < optimum(X, y, 0.1) <= found


def test_a_path_is_a_sequence_of_searches_with_fewer_steps():
    X, y = example(300, 20)
    path = path_of(X, y)
    for c in (0.01, 0.015, 0.02, 0.2, 1.0):
        alone = path_of(X, y)
        n_alone, n_steps = alone.solve(c, 1e-6, 100), path.solve(c, 1e-6, 100)
        expected = objective(X, y, alone.solution(), c)
        assert objective(X, y, path.solution(), c) == pytest.approx(expected, rel=1e-6)
    assert n_steps < n_alone


def test_features_out_of_use_have_coefficients_of_exactly_0():
    X, y = example(100, 30)
    path = path_of(X, y)
    path.solve(0.1, 1e-6, 100)
    assert 0 < np.count_nonzero(path.solution()) < 15


def test_below_the_smallest_c_with_a_feature_in_use_the_solution_is_0_at_once():
    X, y = example()
    path, smallest = path_of(X, y), 1 / np.abs(X.T @ y).max()
    assert path.solve(0.999 * smallest, 1e-9, 100) == 0
    assert not path.solution().any()
    assert path.gap(path.solution(), path.multipliers(), 0.999 * smallest) <= 1e-12
    path.solve(1.01 * smallest, 1e-9, 100)
    assert path.solution().any()


@pytest.mark.parametrize("unit", [1e-8, 1e-3, 1e4, 1e8])
def test_the_unit_of_features_changes_neither_steps_nor_features_in_use(unit):
    X, y = example(100, 30)
    path, other = path_of(X, y), path_of(unit * X, y)
    assert other.solve(10 / unit, 1e-6, 100) == path.solve(10.0, 1e-6, 100)
    assert (other.limit, path.limit) == (None, None)
    np.testing.assert_allclose(unit * other.solution(), path.solution(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("n", "d", "c"), [(80, 40, 20.0), (80, 39, 2e3), (300, 100, 2.0)])
def test_small_tolerances_are_reached(n, d, c):
    X, y = example(n, d)
    path = path_of(X, y)
    assert path.solve(c, 1e-9, 50) < 30
    assert path.limit is None


def test_many_small_steps_of_c_do_not_lead_to_the_boundary():
    X, y = example(300, 5, seed=1)
    X[:, 0] = 1.0
    y[:] = np.where(np.arange(300) % 10 == 0, 1.0, -1.0)
    path = path_of(X, y)
    for c in np.linspace(1.01, 3, 60) / np.abs(X.T @ y).max():
        assert path.solve(c, 1e-3, 100) < 15
        assert path.limit is None


def test_a_solution_that_is_good_enough_takes_no_step():
    X, y = example()
    path = path_of(X, y)
    path.solve(0.1, 1e-6, 100)
    before = path.solution()
    assert path.solve(0.1, 1e-6, 100) == 0
    assert path.solution() is before


def test_a_search_says_which_limit_ended_it_and_keeps_the_better_solution():
    X, y = example()
    path = path_of(X, y)
    needed = path_of(X, y).solve(0.1, 1e-6, 100)
    assert path.solve(0.1, 1e-6, needed) == needed
    assert path.limit is None
    gap = path.gap(path.solution(), path.multipliers(), 0.11)
    assert path.solve(0.11, 1e-6, 0) == 0
    assert path.limit == "max_iter"
    assert path.gap(path.solution(), path.multipliers(), 0.11) <= gap
    assert path.solve(0.11, 1e-6, 100, deadline=0.0) == 0
    assert path.limit == "max_seconds"


def test_sparse_rows_give_the_same_steps():
    X, y = example()
    X[X < 0.5] = 0
    dense, thin = path_of(X, y), path_of(sparse.csr_matrix(X), y)
    assert dense.solve(0.1, 1e-6, 100) == thin.solve(0.1, 1e-6, 100)
    np.testing.assert_allclose(dense.solution(), thin.solution(), atol=1e-10)


def test_without_any_feature_in_use_the_solution_is_0():
    path = path_of(np.zeros((5, 2)), np.array([1.0, -1, 1, 1, -1]))
    path.solve(2.0, 1e-6, 100)
    assert not path.solution().any()
    assert path.multipliers().sum() == pytest.approx(10.0, rel=1e-5)


def test_a_limit_leaves_a_point_with_a_gap_that_is_true():
    X, y = example()
    path = path_of(X, y)
    assert path.solve(1.0, 1e-6, 2) == 2
    best = optimum(X, y, 1.0)
    assert path.multipliers().sum() < best < objective(X, y, path.solution(), 1.0) * (1 - 1e-6)
    path.solve(1.0, 1e-6, 100)
    assert objective(X, y, path.solution(), 1.0) == pytest.approx(best, rel=2e-6)


def test_a_system_that_is_not_positive_ends_the_search(monkeypatch):
    def fail(*_, **__):
        raise linalg.LinAlgError

    X, y = example()
    path = path_of(X, y)
    monkeypatch.setattr("mlbench.solvers.hinge.l1_interior_point.linalg.cho_factor", fail)
    path.solve(1.0, 1e-6, 100)
    assert path.limit == "rounding"


def test_where_rounding_prevents_progress_the_best_point_stays():
    X, y = example(20, 20)
    path = path_of(X, y)
    assert path.solve(1e3, 1e-15, 1000) < 100
    assert path.limit == "rounding"
    found = objective(X, y, path.solution(), 1e3)
    assert 0 < found - path.multipliers().sum() < 1e-5 * found


def test_numbers_near_the_end_of_the_range_leave_a_finite_point():
    X, y = example()
    path = path_of(1e200 * X, y)
    with np.errstate(all="ignore"):
        path.solve(1.0, 1e-6, 100)
    assert np.isfinite(path.solution()).all()
    assert np.isfinite(path.multipliers()).all()
