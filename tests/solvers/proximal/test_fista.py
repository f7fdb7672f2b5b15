"""Accelerated proximal steps: bounds that hold everywhere, steps that find the optimum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlbench.solvers.design import Design
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.fista import bounds, fista
from mlbench.solvers.proximal.least_squares import LeastSquares


@pytest.fixture(params=[(40, 6), (10, 15)])
def problem(request):
    random = np.random.RandomState(5)
    X = random.randn(*request.param)
    return LeastSquares(Design(X, 3), np.sign(random.randn(3 * len(X))), True).quadratic()


def objective(problem, penalty, alpha, W):
    square = problem.size - 2 * np.vdot(problem.linear, W) + np.vdot(W, problem.hessian(W))
    return 0.5 * square + alpha * penalty.value(W)


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("alpha", [0.01, 1.0, 8.0])
def test_the_bounds_hold_at_any_point(problem, name, alpha):
    penalty = PENALTIES[name]
    start = np.zeros_like(problem.linear)
    best = fista(problem, penalty, alpha, start, 1e-9, 100_000).W
    lowest = objective(problem, penalty, alpha, best)
    random = np.random.RandomState(0)
    for size in (0.0, 1e-6, 1e-3, 0.1, 3.0):
        W = best + size * random.randn(*best.shape)
        primal, dual = bounds(problem, penalty, alpha, W, problem.hessian(W))
        assert primal == pytest.approx(objective(problem, penalty, alpha, W), rel=1e-12)
        assert dual <= lowest * (1 + 1e-8)


@pytest.mark.parametrize("name", PENALTIES)
def test_no_step_in_any_direction_improves_the_solution(problem, name):
    penalty = PENALTIES[name]
    found = fista(problem, penalty, 0.7, np.zeros_like(problem.linear), 1e-9, 100_000)
    lowest = objective(problem, penalty, 0.7, found.W)
    random = np.random.RandomState(1)
    for _ in range(200):
        step = 10.0 ** random.uniform(-6, 0) * random.randn(*found.W.shape)
        assert objective(problem, penalty, 0.7, found.W + step) >= lowest * (1 - 1e-8)


def test_a_curvature_taken_too_low_is_corrected(problem):
    penalty, start = PENALTIES["l21"], np.zeros_like(problem.linear)
    right = fista(problem, penalty, 0.7, start, 1e-12, 100_000)
    low = replace(problem, curvature=problem.curvature / 50)
    found = fista(low, penalty, 0.7, start, 1e-12, 100_000)
    assert found.limit is None
    np.testing.assert_allclose(found.W, right.W, rtol=0, atol=1e-5)


def test_the_solution_as_a_start_needs_no_step(problem):
    penalty = PENALTIES["l11"]
    first = fista(problem, penalty, 0.7, np.zeros_like(problem.linear), 1e-9, 100_000)
    again = fista(problem, penalty, 0.7, first.W, 1e-8)
    assert first.n_iter > 0
    assert again.n_iter == 0


def test_what_ends_the_steps_is_named(problem):
    penalty, start = PENALTIES["l21"], np.zeros_like(problem.linear)
    few = fista(problem, penalty, 0.01, start, 1e-14, max_iter=3)
    assert (few.n_iter, few.limit) == (3, "max_iter")
    assert fista(problem, penalty, 0.01, start, 1e-14, 10**6, 0.0).limit == "max_seconds"


def test_an_overflow_is_not_taken_for_the_optimum(problem):
    overflown = replace(problem, size=np.nan)
    start = np.zeros_like(problem.linear)
    assert np.isnan(fista(overflown, PENALTIES["l21"], 1.0, start).gap)
