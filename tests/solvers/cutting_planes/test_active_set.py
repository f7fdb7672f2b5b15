"""The active set against the other solver of the same program, and the factor that it carries."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.solvers.cutting_planes import active_set as module
from mlbench.solvers.cutting_planes.active_set import RIDGE, active_set, move_pairs, refactor

ROOM = 40


class Program:
    """Q = A'A with room for more columns of A, solved from where the last answer was."""

    def __init__(self, A):
        self.Q = np.zeros((ROOM, ROOM))
        self.L = np.zeros((ROOM, ROOM))
        self.weight = np.zeros(ROOM)
        self.support = np.zeros(ROOM, dtype=np.int64)
        self.m, self.size = A.shape[1], 1
        self.Q[: self.m, : self.m] = A.T @ A
        self.level = self.Q.diagonal().max()
        self.weight[0] = 1.0
        refactor(self.Q, self.L, self.support, self.size, self.level)

    def solve(self, h, tol=1e-9):
        gap, self.size = active_set(
            self.Q, h, self.weight, self.L, self.support, self.size, self.level, tol
        )
        return self.weight[: self.m].copy(), gap


def objective(Q, h, b):
    return 0.5 * b @ Q @ b - h @ b


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 9, 30])
@pytest.mark.parametrize("d", [3, 12, 40])
def test_the_answer_is_that_of_the_other_solver_and_the_gap_says_so(m, d):
    random = np.random.RandomState(m + 100 * d)
    A = random.randn(d, m)
    program = Program(A)
    for _ in range(5):
        h = 3 * random.randn(m)
        b, gap = program.solve(h)
        other = move_pairs(A.T @ A, h, np.eye(m)[0], 1e-9, 10**6)
        assert b.min() >= 0
        assert b.sum() == pytest.approx(1, abs=1e-9)
        gradient = A.T @ (A @ b) - h
        assert b @ gradient - gradient.min() == pytest.approx(gap, abs=1e-9)
        assert gap <= 1e-9
        assert objective(A.T @ A, h, b) == pytest.approx(objective(A.T @ A, h, other), abs=1e-8)


def test_the_factor_is_that_of_the_support_after_many_changes():
    random = np.random.RandomState(1)
    program = Program(random.randn(12, 30))
    sizes = set()
    for _ in range(40):
        b, _ = program.solve(3 * random.randn(30))
        chosen = program.support[: program.size]
        sizes.add(program.size)
        assert set(np.flatnonzero(b)) == set(chosen)
        L = np.tril(program.L[: program.size, : program.size])
        expected = program.Q[np.ix_(chosen, chosen)] + program.level
        expected += RIDGE * program.level * np.eye(program.size)
        np.testing.assert_allclose(L @ L.T, expected, rtol=1e-9)
        carried = L.copy()
        refactor(program.Q, program.L, program.support, program.size, program.level)
        again = np.tril(program.L[: program.size, : program.size])
        np.testing.assert_allclose(again, carried, rtol=1e-5, atol=1e-5)
    assert len(sizes) > 3


def test_a_looser_tolerance_ends_sooner():
    random = np.random.RandomState(2)
    A, h = random.randn(40, 30), 3 * random.randn(30)
    loose, exact = Program(A), Program(A)
    gaps = loose.solve(h, 1.0)[1], exact.solve(h, 1e-9)[1]
    assert gaps[1] <= 1e-9 < gaps[0] <= 1.0


def test_what_is_compiled_is_what_is_written(monkeypatch):
    random = np.random.RandomState(3)
    A, rights = random.randn(12, 30), 3 * random.randn(6, 30)
    compiled = Program(A)
    expected = [compiled.solve(h)[0] for h in rights]
    for name in ("_gradient", "_solve_on_support", "_append_to_factor", "_remove_from_factor"):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    plain = Program(A)
    for h, b in zip(rights, expected, strict=True):
        _, plain.size = active_set.py_func(
            plain.Q, h, plain.weight, plain.L, plain.support, plain.size, plain.level, 1e-9
        )
        np.testing.assert_allclose(plain.weight[:30], b, atol=1e-6)


@pytest.mark.parametrize("trial", range(30))
def test_both_solvers_find_the_optimum_of_a_conic_solver(trial):
    cvxpy = pytest.importorskip("cvxpy")
    random = np.random.RandomState(trial)
    m = random.randint(2, 25)
    A = random.randn(random.randint(1, 12), m)
    A[:, 0] = 0  # as the plane of the true labeling
    if trial % 3 == 0:
        A[:, m // 2] = A[:, m - 1]
    A *= 10.0 ** random.randint(-1, 3)
    Q, h, start = A.T @ A, random.rand(m), np.full(m, 1 / m)
    b = cvxpy.Variable(m, nonneg=True)
    program = cvxpy.Minimize(0.5 * cvxpy.quad_form(b, cvxpy.psd_wrap(Q)) - h @ b)
    lowest = cvxpy.Problem(program, [cvxpy.sum(b) == 1]).solve(solver="CLARABEL")
    found, _ = Program(A).solve(h)
    slow = move_pairs(Q, h, start, 1e-6, 10**6)
    plain = move_pairs.py_func(Q, h, start, 1e-6, 50)
    assert objective(Q, h, found) == pytest.approx(lowest, abs=1e-6)
    assert slow.min() >= 0
    assert slow.sum() == pytest.approx(1, abs=1e-12)
    assert objective(Q, h, slow) == pytest.approx(lowest, abs=3e-6)
    assert objective(Q, h, plain) <= objective(Q, h, start) + 1e-12


def test_nearly_dependent_columns_are_told_apart():
    """Long columns whose best mixture is short."""
    random = np.random.RandomState(1)
    A = 1e4 * random.randn(20, 39)
    A[0] = 1.0
    program = Program(A)
    tol = 50 * np.finfo(float).eps * program.level  # the rounding of a gradient
    b, gap = program.solve(np.zeros(39), tol)
    assert gap <= tol
    assert b @ (A.T @ A) @ b == pytest.approx(1.0, abs=1e-4)
