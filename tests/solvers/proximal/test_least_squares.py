"""The forms of a least-squares problem against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.design import Design
from mlbench.solvers.proximal.least_squares import LeastSquares


def make(n, d, tasks, kind, fit_intercept):
    """Return the problem, and X and y of each of its 3 tasks, less their means."""
    random = np.random.RandomState(3)
    X = np.where(random.rand(n, d) < 0.5, random.randn(n, d) + 1, 0)
    rows = X if kind == "dense" else sparse.csr_matrix(X)
    if tasks:
        parts = [np.arange(0, n, 3), np.arange(1, n, 3), np.arange(2, n, 3)]
        design = Design(rows, 3, parts)
        blocks = [X[part] for part in parts]
    else:
        design, blocks = Design(rows, 3), [X] * 3
    y = np.sign(random.randn(design.offsets[-1]))
    targets = np.split(y, design.offsets[1:-1])
    if fit_intercept:
        blocks = [block - block.mean(axis=0) for block in blocks]
        targets = [target - target.mean() for target in targets]
    return LeastSquares(design, y, fit_intercept), blocks, targets


def loss(W, blocks, targets):
    return sum(0.5 * np.sum((y - X @ w) ** 2) for X, y, w in zip(blocks, targets, W, strict=True))


def value(quadratic, W):
    return (
        0.5 * quadratic.size - np.vdot(quadratic.linear, W) + 0.5 * np.vdot(W, quadratic.hessian(W))
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("tasks", [True, False])
@pytest.mark.parametrize(("n", "d"), [(60, 5), (9, 12)])
def test_the_quadratic_is_the_squared_error(n, d, tasks, kind, fit_intercept):
    problem, blocks, targets = make(n, d, tasks, kind, fit_intercept)
    W = np.random.RandomState(0).randn(3, d)
    quadratic = problem.quadratic()
    assert value(quadratic, W) == pytest.approx(loss(W, blocks, targets), rel=1e-12)
    largest = max(np.linalg.norm(block, 2) ** 2 for block in blocks)
    assert quadratic.curvature <= largest * (1 + 1e-9)
    assert quadratic.curvature == pytest.approx(largest, rel=0.1)
    if problem.has_spectrum:
        rotated, basis = problem.spectral()
        U = np.random.RandomState(0).randn(3, len(basis))
        assert value(rotated, U) == pytest.approx(loss(U @ basis, blocks, targets), rel=1e-12)
        np.testing.assert_allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-12)


@pytest.mark.parametrize("tasks", [True, False])
def test_the_inverse_form_is_a_least_norm_and_knows_what_it_cannot_reach(tasks):
    problem, blocks, _ = make(60, 5, tasks, "dense", fit_intercept=True)
    E = np.random.RandomState(0).randn(3, 5)
    expected = sum(
        np.sum(np.linalg.lstsq(X.T, e, rcond=None)[0] ** 2) for X, e in zip(blocks, E, strict=True)
    )
    assert problem.quadratic().inverse_form(E) == pytest.approx(expected, rel=1e-10)
    wide, _, _ = make(9, 12, tasks, "dense", fit_intercept=True)
    E = np.random.RandomState(0).randn(3, 12)
    assert wide.quadratic().inverse_form(E) == np.inf
    assert wide.quadratic().inverse_form(0 * E) == 0


def test_a_constant_feature_is_out_of_reach_and_alters_nothing_else():
    X = np.random.RandomState(0).randn(30, 4)
    y = np.sign(X[:, 0])
    before_extrapolation = LeastSquares(Design(X, 1), y, True)
    wide = LeastSquares(Design(np.column_stack([X, np.full(30, 0.1)]), 1), y, True)
    E = np.array([[1.0, -2.0, 0.5, 3.0]])
    form = wide.quadratic().inverse_form
    assert form(np.column_stack([E, [0.0]])) == pytest.approx(
        before_extrapolation.quadratic().inverse_form(E)
    )
    assert form(np.column_stack([E, [1.0]])) == np.inf


def test_intercepts_are_the_best_for_the_coefficients():
    problem, _, _ = make(60, 5, True, "sparse", fit_intercept=True)
    W = np.random.RandomState(0).randn(3, 5)
    b = problem.intercept(W)
    scores = problem.design.scores(W)
    y_of = problem.y_means  # the mean residual of a task is 0
    pieces = np.split(scores, problem.design.offsets[1:-1])
    np.testing.assert_allclose([piece.mean() for piece in pieces] + b, y_of, atol=1e-12)
