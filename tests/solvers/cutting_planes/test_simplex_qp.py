"""The quadratic program over the simplex against a conic solver and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.solvers.cutting_planes.simplex_qp import move_pairs, simplex_qp


def objective(Q, h, b):
    return 0.5 * b @ Q @ b - h @ b


def problems():
    random = np.random.RandomState(0)
    for trial in range(30):
        m = random.randint(2, 25)
        A = random.randn(random.randint(1, 12), m)
        A[:, 0] = 0  # as the plane of the true labeling
        if trial % 3 == 0:
            A[:, m // 2] = A[:, m - 1]
        yield A.T @ A * 10.0 ** random.randint(-3, 4), random.rand(m)


@pytest.mark.parametrize("problem", list(problems()))
def test_the_gap_bounds_the_distance_to_a_conic_solver(problem):
    cvxpy = pytest.importorskip("cvxpy")
    Q, h = problem
    b = cvxpy.Variable(len(h), nonneg=True)
    program = cvxpy.Minimize(0.5 * cvxpy.quad_form(b, cvxpy.psd_wrap(Q)) - h @ b)
    lowest = cvxpy.Problem(program, [cvxpy.sum(b) == 1]).solve(solver="CLARABEL")
    start = np.eye(len(h))[0]
    found, gap = simplex_qp(Q, h, start, 1e-9)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert gap <= 1e-9
    assert objective(Q, h, found) == pytest.approx(lowest, abs=1e-6)


@pytest.mark.parametrize("problem", list(problems()))
def test_the_pairs_get_there_as_well(problem):
    Q, h = problem
    start = np.full(len(h), 1 / len(h))
    exact, _ = simplex_qp(Q, h, start, 1e-10)
    slow = move_pairs(Q, h, start, 1e-6, 10**6)
    plain = move_pairs.py_func(Q, h, start, 1e-6, 50)
    assert slow.min() >= 0
    assert slow.sum() == pytest.approx(1, abs=1e-12)
    assert objective(Q, h, slow) - objective(Q, h, exact) <= 2e-6
    assert objective(Q, h, plain) <= objective(Q, h, start) + 1e-12


def test_where_no_system_can_be_solved_pairs_are_moved(monkeypatch):
    Q, h = np.diag([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0])
    monkeypatch.setattr("mlbench.solvers.cutting_planes.simplex_qp._on_support", lambda *_: None)
    b, gap = simplex_qp(Q, h, np.eye(3)[0], 1e-10)
    assert gap <= 1e-10
    np.testing.assert_allclose(b, [0, 2 / 3, 1 / 3], atol=1e-5)


def test_a_gap_out_of_reach_is_told():
    Q, h = np.diag([1.0, 2.0]), np.array([0.3, 0.2])
    _, gap = simplex_qp(Q, h, np.array([0.5, 0.5]), -1.0)
    assert gap >= 0


@pytest.mark.parametrize("size", [0.0, 1e-33, 1e-300])
def test_without_curvature_the_highest_takes_all(size):
    Q, h = size * np.eye(3), np.array([0.0, 1.0, 0.5])
    b, gap = simplex_qp(Q, h, np.eye(3)[0], 1e-12)
    np.testing.assert_allclose(b, [0, 1, 0], atol=1e-12)
    assert gap <= 1e-12


def test_nearly_dependent_columns_are_told_apart_without_pairs(monkeypatch):
    """Long columns whose best mixture is short: the ridge alone would blur them."""
    monkeypatch.setattr("mlbench.solvers.cutting_planes.simplex_qp.move_pairs", None)
    random = np.random.RandomState(1)
    A = 1e4 * random.randn(20, 60)
    A[0] = 1.0
    Q, h = A.T @ A, np.zeros(60)
    tol = 50 * np.finfo(float).eps * np.abs(Q).max()  # the rounding of a gradient
    b, gap = simplex_qp(Q, h, np.eye(60)[0], tol)
    assert gap <= tol
    assert b @ Q @ b == pytest.approx(1.0, abs=1e-4)
