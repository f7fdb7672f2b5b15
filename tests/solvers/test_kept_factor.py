"""A kept factor: the optimum of each program of a sequence, and the factor of its support."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.solvers.kept_factor import RIDGE, active_set, enter, refactor
from mlbench.solvers.simplex_qp import simplex_qp

ROOM = 40


class Program:
    """Programs over the same rows, each started where the last one ended."""

    def __init__(self, rows):
        self.m = len(rows)
        self.Q = np.zeros((ROOM, ROOM))
        self.Q[: self.m, : self.m] = rows @ rows.T
        self.level = float(self.Q.diagonal().max())
        self.weight, self.R = np.zeros(ROOM), np.zeros((ROOM, ROOM))
        self.support = np.zeros(ROOM, dtype=np.int64)
        self.weight[0] = 1.0
        self.size = enter(self.Q, self.R, self.support, 0, 0, self.level)

    def solve(self, h, tol=1e-10):
        gap, self.size = active_set(
            self.Q, h, self.weight, self.R, self.support, self.size, self.level, tol
        )
        return gap

    @property
    def factored(self):
        """Return what the factor stands for, and what it should."""
        R = np.triu(self.R[: self.size, : self.size])
        support = self.support[: self.size]
        ridge = RIDGE * self.level * np.eye(self.size)
        return R.T @ R, self.Q[np.ix_(support, support)] + self.level + ridge


@pytest.mark.parametrize("seed", range(20))
def test_every_program_of_a_sequence_ends_at_the_minimum_of_another_method(seed):
    random = np.random.RandomState(seed)
    d = random.randint(2, 12)
    program = Program(random.randn(random.randint(2, ROOM), d))
    m = program.m
    Q = program.Q[:m, :m]
    for _ in range(10):
        h = random.randn(m) * 3
        gap = program.solve(h)
        b = program.weight[:m]
        assert gap <= 1e-10
        assert b.min() >= 0
        assert b.sum() == pytest.approx(1)
        other, _ = simplex_qp(Q, h, np.full(m, 1 / m), 1e-10)
        assert b @ Q @ b / 2 - h @ b == pytest.approx(other @ Q @ other / 2 - h @ other, abs=1e-8)
        assert set(program.support[: program.size]) >= set(np.flatnonzero(b))
        np.testing.assert_allclose(*program.factored, rtol=1e-9, atol=1e-9 * program.level)


def test_a_new_factor_is_the_one_that_was_kept():
    random = np.random.RandomState(3)
    program = Program(random.randn(30, 12))
    for _ in range(5):
        program.solve(random.randn(30))
    kept = np.triu(program.R[: program.size, : program.size])
    refactor(program.Q, program.R, program.support, program.size, program.level)
    np.testing.assert_allclose(kept, np.triu(program.R)[: program.size, : program.size], atol=1e-7)


def test_the_gap_is_that_of_the_gradient():
    random = np.random.RandomState(4)
    program = Program(random.randn(25, 6))
    h = random.randn(25)
    gap = program.solve(h, tol=0.5)
    b = program.weight[:25]
    gradient = program.Q[:25, :25] @ b - h
    assert 0 <= gap <= 0.5
    assert gap == pytest.approx(b @ gradient - gradient.min(), abs=1e-9)
