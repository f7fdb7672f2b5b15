"""Rounds of sweeps and Newton steps: the optimum of gradient steps, however features are scaled."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.solvers.design import Design
from mlbench.solvers.newton.coordinates import _line_minimum
from mlbench.solvers.newton.rounds import minimize, rounds_of
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.fista import bounds, fista
from mlbench.solvers.proximal.least_squares import LeastSquares

ALPHAS = [0.01, 1.0, 8.0]


def squares(scales=1.0, twins=False, shape=(40, 6), n_tasks=3):
    random = np.random.RandomState(5)
    X = random.randn(*shape) * scales
    if twins:
        X = np.hstack([X, X[:, :2], X[:, 2:4].mean(axis=1, keepdims=True), 0 * X[:, :1]])
    return LeastSquares(Design(X, n_tasks), np.sign(random.randn(n_tasks * len(X))), True)


def problem_of(squares, penalty):
    return squares.spectral()[0] if penalty == "trace" else squares.quadratic()


def solution(problem, penalty, alpha, tol=1e-10, start=None, **limits):
    start = np.zeros_like(problem.linear) if start is None else start
    limits = {"max_iter": 1000, **limits}
    return minimize(problem, penalty, rounds_of(penalty, problem), alpha, start, tol, **limits)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_optimum_is_that_of_gradient_steps(penalty, alpha):
    problem = problem_of(squares(), penalty)
    found = solution(problem, penalty, alpha)
    start = np.zeros_like(found.W)
    slow = fista(problem, PENALTIES[penalty], alpha, start, 1e-12, 100_000)
    assert (found.limit, slow.limit) == (None, None)
    np.testing.assert_allclose(found.W, slow.W, atol=1e-4)
    np.testing.assert_array_equal(
        np.abs(found.W).sum(axis=0) > 1e-9, np.abs(slow.W).sum(axis=0) > 1e-9
    )


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_scales_that_differ_a_million_times_need_few_rounds(penalty, alpha):
    problem = problem_of(squares(10.0 ** np.arange(-3, 3)), penalty)
    found = solution(problem, penalty, alpha)
    assert found.limit is None
    assert found.n_iter < 60


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", [1e-4, *ALPHAS])
def test_equal_and_empty_features_need_few_rounds(penalty, alpha):
    found = solution(problem_of(squares(twins=True), penalty), penalty, alpha, 1e-6)
    assert found.limit is None
    assert found.n_iter < 60
    assert np.isfinite(found.W).all()


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(("shape", "n_tasks"), [((30, 4), 9), ((25, 5), 1)])
def test_more_tasks_than_features_and_one_task(penalty, shape, n_tasks):
    problem = problem_of(squares(shape=shape, n_tasks=n_tasks), penalty)
    for alpha in ALPHAS:
        assert solution(problem, penalty, alpha).limit is None


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_no_round_raises_the_objective(penalty, alpha):
    problem = problem_of(squares(10.0 ** np.linspace(-1, 1, 6)), penalty)
    rounds = rounds_of(penalty, problem)
    W = np.random.RandomState(2).randn(*problem.linear.shape)
    before = np.inf
    for _ in range(8):
        HW = problem.hessian(W)
        objective, bound = bounds(problem, PENALTIES[penalty], alpha, W, HW)
        assert bound * (1 - 1e-12) <= objective <= before * (1 + 1e-12)
        W, before = rounds.improve(alpha, W, problem.linear - HW), objective


@pytest.mark.parametrize("penalty", PENALTIES)
def test_what_ends_the_rounds_is_named(penalty):
    problem = problem_of(squares(), penalty)
    whole = solution(problem, penalty, 0.5)
    assert solution(problem, penalty, 0.5, 1e-9, whole.W).n_iter == 0
    assert solution(problem, penalty, 0.5, 1e-9, max_iter=0).limit == "max_iter"
    assert solution(problem, penalty, 0.5, 1e-9, max_seconds=0.0).limit == "max_seconds"


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("scale", [1e-150, 1e8])
def test_extreme_scales_end_in_a_result(penalty, scale):
    problem = problem_of(squares(scale, twins=True), penalty)
    for alpha in (1e-3, 1.0):
        assert np.isfinite(solution(problem, penalty, alpha, 1e-6, max_iter=200).W).all()


def test_gradient_steps_follow_rounds_that_make_no_headway():
    class Idle:
        def improve(self, alpha, W, V):
            return W

    problem, start = problem_of(squares(), "l21"), np.zeros((3, 6))
    found = minimize(problem, "l21", Idle(), 1.0, start, 1e-8, 10_000)
    assert found.limit is None
    np.testing.assert_allclose(found.W, solution(problem, "l21", 1.0).W, atol=1e-3)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_there_are_none_where_products_would_overflow(penalty):
    assert rounds_of(penalty, problem_of(squares(1e150), penalty)) is None


def test_there_are_none_where_tasks_have_rows_of_their_own():
    random = np.random.RandomState(0)
    design = Design(random.randn(20, 3), 2, [np.arange(12), np.arange(12, 20)])
    problem = LeastSquares(design, np.ones(20), False).quadratic()
    assert [rounds_of(penalty, problem) for penalty in PENALTIES] == [None, None, None]


@pytest.mark.parametrize("seed", range(20))
def test_the_minimum_along_a_line_is_that_of_a_fine_grid(seed):
    random = np.random.RandomState(seed)
    old, step = random.randn(5), random.randn(5)
    curved, slope, alpha = random.rand(), 3 * random.rand(), random.rand()

    def objective(t):
        changes = np.abs(old + t * step) - np.abs(old) - t * np.sign(old) * step
        return curved * t**2 / 2 - slope * t + alpha * changes.sum()

    length, ended = _line_minimum(old, step, curved, slope, alpha)
    grid = np.linspace(0, 2 * length + 1, 10_001)
    assert objective(length) <= min(objective(t) for t in grid) + 1e-12
    assert ended is None or old[ended] + length * step[ended] == pytest.approx(0, abs=1e-12)
