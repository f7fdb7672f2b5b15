"""The 1-norm SVM along its path: every vertex is the optimum of the linear program."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from mlbench.solvers.hinge import path as hinge_path
from mlbench.solvers.hinge.path import HingePath

STRENGTHS = (1e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 30.0, 1e3)


def path_of(X, y, jitter=1e-9):
    return HingePath(X, np.ascontiguousarray(X.T), y, jitter)


def objective(X, y, w, c):
    return np.abs(w).sum() + c * np.maximum(0, 1 - y * (X @ w)).sum()


def optimum(X, y, c):
    """Solve min sum(u + v) + c sum(slack), y x'(u - v) + slack >= 1."""
    n, d = X.shape
    A = y[:, None] * X
    costs = np.r_[np.ones(2 * d), np.full(n, c)]
    found = linprog(costs, A_ub=-np.hstack([A, -A, np.eye(n)]), b_ub=-np.ones(n))
    assert found.status == 0
    return found.fun


def problems():
    random = np.random.RandomState(0)
    for name, n, d in (("tall", 40, 4), ("square", 15, 15), ("wide", 12, 30)):
        X = random.randn(n, d)
        yield pytest.param(X, np.where(X[:, 0] + random.randn(n) > 0, 1.0, -1.0), id=name)
    X = random.randn(60, 3)
    yield pytest.param(X, np.where(X @ [1, -2, 0.5] > 0, 1.0, -1.0), id="separable")
    X = random.randint(-1, 2, (50, 6)).astype(float)
    yield pytest.param(X, random.choice([-1.0, 1.0], 50), id="integers, many rows alike")
    X = np.repeat(random.randn(20, 3), 2, axis=0)[:, [0, 1, 2, 0, 1]]
    yield pytest.param(X, random.choice([-1.0, 1.0], 40), id="rows and features twice")
    X = np.hstack([np.ones((30, 1)), random.randn(30, 2), np.zeros((30, 1))])
    yield pytest.param(X, np.r_[np.ones(25), -np.ones(5)], id="a constant and a zero feature")


@pytest.mark.parametrize(("X", "y"), list(problems()))
def test_each_strength_has_the_optimum_of_a_linear_program_and_multipliers_that_prove_it(X, y):
    path = path_of(X, y)
    for c in STRENGTHS:
        path.advance(c, 10_000)
        assert path.c == c
        assert not path.has_failed
        best = optimum(X, y, c)
        assert objective(X, y, path.solution(), c) == pytest.approx(best, rel=1e-6)
        alpha = path.multipliers()
        assert 0 <= alpha.min() <= alpha.max() <= c
        assert np.abs(X.T @ (alpha * y)).max() <= 1 + 1e-6
        assert alpha.sum() == pytest.approx(best, rel=1e-6)


@pytest.mark.slow
def test_many_small_random_problems():
    for seed in range(150):
        random = np.random.RandomState(seed)
        X = random.randn(random.randint(2, 14), random.randint(1, 9)).round(random.randint(0, 4))
        y = random.choice([-1.0, 1.0], len(X))
        c = 10 ** random.uniform(-2, 2)
        path = path_of(X, y)
        path.advance(c, 10_000)
        w = path.solution()
        assert objective(X, y, w, c) == pytest.approx(optimum(X, y, c), rel=1e-6), seed


def test_up_to_the_first_jump_w_is_zero():
    random = np.random.RandomState(1)
    X, y = random.randn(20, 5), random.choice([-1.0, 1.0], 20)
    first = 1 / np.abs(X.T @ y).max()
    path = path_of(X, y)
    path.advance(0.99 * first, 100)
    assert not path.solution().any()
    path.advance(1.01 * first, 100)
    assert path.solution().any()


def test_a_path_goes_on_where_it_was_stopped():
    random = np.random.RandomState(2)
    X = random.randn(50, 8)
    y = np.where(X[:, 0] + random.randn(50) > 0, 1.0, -1.0)
    whole, pieces = path_of(X, y), path_of(X, y)
    whole.advance(2.0, 10_000)
    pieces.advance(2.0, 3)
    assert 0 < pieces.c < 2.0
    assert objective(X, y, pieces.solution(), pieces.c) == pytest.approx(optimum(X, y, pieces.c))
    while pieces.c < 2.0:
        pieces.advance(2.0, 3)
    np.testing.assert_allclose(pieces.solution(), whole.solution(), atol=1e-9)


def test_rounding_does_not_add_up():
    random = np.random.RandomState(3)
    X = random.randn(400, 30)
    y = np.where(X[:, 0] + 2 * random.randn(400) > 0, 1.0, -1.0)
    path = path_of(X, y)
    path.advance(5.0, 100_000)
    proof = path.multipliers().sum() / max(1, np.abs(X.T @ (path.multipliers() * y)).max())
    assert objective(X, y, path.solution(), 5.0) == pytest.approx(proof, rel=1e-7)


def test_a_basis_that_cannot_be_inverted_ends_the_path(monkeypatch):
    random = np.random.RandomState(4)
    X, y = random.randn(30, 5), random.choice([-1.0, 1.0], 30)
    monkeypatch.setattr(hinge_path, "_advance", failing)
    path = path_of(X, y)
    path.advance(1.0, 10)
    assert path.has_failed
    assert path.c == 0.0


def failing(*_):
    raise np.linalg.LinAlgError


def test_as_plain_python_it_is_the_same(monkeypatch):
    random = np.random.RandomState(5)
    X, y = random.randn(70, 6), random.choice([-1.0, 1.0], 70)
    paths = [path_of(X, y), path_of(X, y)]
    paths[0].advance(1.0, 1000)
    for name in [name for name in vars(hinge_path) if hasattr(vars(hinge_path)[name], "py_func")]:
        monkeypatch.setattr(hinge_path, name, getattr(hinge_path, name).py_func)
    paths[1].advance(1.0, 1000)
    np.testing.assert_allclose(paths[1].solution(), paths[0].solution(), atol=1e-9)


@pytest.mark.parametrize("jitter", [1e-9, 1e-6, 1e-4])
def test_breaking_ties_makes_no_coefficients(jitter):
    """A rare label: the best is to call all negative, by the constant feature alone."""
    random = np.random.RandomState(6)
    X = np.hstack([random.randn(160, 12), np.ones((160, 1))])
    y = np.where(X[:, 0] + random.randn(160) > 1.7, 1.0, -1.0)
    path = path_of(X, y, jitter)
    for c in (0.2, 1.0, 30.0):
        path.advance(c, 10_000)
        w = path.solution()
        assert objective(X, y, w, c) == pytest.approx(optimum(X, y, c), rel=1e-9)
        np.testing.assert_allclose(w, np.r_[np.zeros(12), -1.0], rtol=0, atol=1e-12)
        assert np.count_nonzero(w) == 1
