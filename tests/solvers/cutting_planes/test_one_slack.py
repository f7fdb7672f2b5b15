"""Cutting planes on a loss whose planes can all be written down."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.cutting_planes.cut_pool import CutPool
from mlbench.solvers.cutting_planes.one_slack import OneSlack
from mlbench.solvers.design import Design


def mean_hinge(scores, y, offsets):
    """Return the planes of the mean hinge of each task: its planes are subsets of examples."""
    values, deltas, c = [], [], np.zeros(len(y))
    for start, stop in pairwise(offsets):
        rows = slice(start, stop)
        wrong = y[rows] * scores[rows] < 1
        c[rows] = y[rows] * wrong / (stop - start)
        deltas.append(wrong.mean())
        values.append(deltas[-1] - scores[rows] @ c[rows])
    return np.array(values), c, np.array(deltas)


def make(kind="shared", n=30, seed=0):
    """Return a design of 3 tasks, its labels, and the rows of each task."""
    random = np.random.RandomState(seed)
    X = random.randn(n, 4)
    parts = None if kind == "shared" else [np.arange(i, n, 3) for i in range(3)]
    rows = sparse.csr_matrix(X) if kind == "sparse tasks" else X
    design = Design(rows, 3, parts)
    y = np.sign(design.scores(random.randn(3, 4)) + random.randn(design.offsets[-1]))
    return design, y, [X] * 3 if parts is None else [X[part] for part in parts]


def optimum(X, y, C):
    cvxpy = pytest.importorskip("cvxpy")
    w = cvxpy.Variable(X.shape[1])
    loss = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(y, X @ w))) / len(y)
    problem = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(w) + C * loss))
    problem.solve(solver="CLARABEL")
    return problem.value, w.value


@pytest.mark.parametrize("kind", ["shared", "tasks", "sparse tasks"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_every_task_finds_the_optimum_of_a_conic_solver(kind, C):
    design, y, blocks = make(kind)
    found = OneSlack(design, y, mean_hinge).solve(C, 1e-9, 10_000)
    assert found.limit is None
    assert found.gaps.max() <= 1e-9
    for X, labels, w in zip(blocks, np.split(y, design.offsets[1:-1]), found.W, strict=True):
        value, expected = optimum(X, labels, C)
        reached = 0.5 * w @ w + C * np.maximum(0, 1 - labels * (X @ w)).mean()
        assert reached == pytest.approx(value, rel=1e-6)
        np.testing.assert_allclose(w, expected, atol=1e-3)


@pytest.mark.parametrize("tol", [0.3, 0.03, 1e-3])
def test_the_gap_bounds_the_excess(tol):
    design, y, blocks = make()
    found = OneSlack(design, y, mean_hinge).solve(20.0, tol, 10_000)
    for X, labels, w, gap in zip(
        blocks, np.split(y, design.offsets[1:-1]), found.W, found.gaps, strict=True
    ):
        value, _ = optimum(X, labels, 20.0)
        reached = 0.5 * w @ w + 20.0 * np.maximum(0, 1 - labels * (X @ w)).mean()
        assert (reached - value) / reached <= gap + 1e-7 <= tol + 1e-7


def test_the_planes_serve_the_next_value_of_c():
    design, y, _ = make()
    kept = OneSlack(design, y, mean_hinge)
    for C in (0.1, 1.0, 10.0, 9.0):
        warm = kept.solve(C, 1e-8, 10_000)
        cold = OneSlack(design, y, mean_hinge).solve(C, 1e-8, 10_000)
        np.testing.assert_allclose(warm.W, cold.W, atol=1e-3)
    assert warm.n_oracle_calls < cold.n_oracle_calls


def test_the_calls_are_counted_by_task():
    design, y, _ = make()
    calls = []

    def counts(scores, labels, offsets):
        calls.append(len(offsets) - 1)
        return mean_hinge(scores, labels, offsets)

    found = OneSlack(design, y, counts).solve(10.0, 1e-4, 10_000)
    assert found.n_oracle_calls == sum(calls)
    assert calls[0] == 3
    assert found.n_iter > 1


def test_what_ends_the_search_is_named_and_the_gap_holds():
    design, y, blocks = make()
    found = OneSlack(design, y, mean_hinge).solve(20.0, 1e-9, max_iter=2)
    assert (found.limit, found.n_iter) == ("max_iter", 2)
    assert found.gaps.max() > 1e-9
    value, _ = optimum(blocks[0], y[:30], 20.0)
    w = found.W[0]
    reached = 0.5 * w @ w + 20.0 * np.maximum(0, 1 - y[:30] * (blocks[0] @ w)).mean()
    assert (reached - value) / reached <= found.gaps[0] + 1e-7
    assert OneSlack(design, y, mean_hinge).solve(20.0, 1e-9, 10**6, 0.0).limit == "max_seconds"


def test_a_quadratic_program_that_fails_shows_in_the_gap(monkeypatch):
    """The certificate does not trust the inner solver: a bad answer costs steps, not truth."""
    design, y, blocks = make()
    solver = OneSlack(design, y, mean_hinge)
    pool = solver.bundle.pool

    def rough_step(tasks, B, rho, tol):
        return CutPool.proximal_step(pool, tasks, B, rho, np.full(len(tasks), 1e3))

    monkeypatch.setattr(pool, "proximal_step", rough_step)
    found = solver.solve(20.0, 1e-6, max_iter=30)
    assert found.limit == "max_iter"
    value, _ = optimum(blocks[0], y[:30], 20.0)
    w = found.W[0]
    reached = 0.5 * w @ w + 20.0 * np.maximum(0, 1 - y[:30] * (blocks[0] @ w)).mean()
    assert (reached - value) / reached <= found.gaps[0]
