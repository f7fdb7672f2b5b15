"""The solvers of a joint projection and classification, by name."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

import numpy as np
from sklearn.utils import check_random_state

from mlbench.methods.base import RandomState
from mlbench.methods.mlsvm.alternation import (
    JointSolution,
    alternate,
    frank_wolfe_step,
    full_step,
    primal_and_dual_bounds,
)
from mlbench.methods.mlsvm.problem import JointProblem
from mlbench.solvers.certificate import StoppingCriterion, scaled_to_separate
from mlbench.solvers.proximal.douglas_rachford import SplittingState
from mlbench.solvers.proximal.primal_dual import solve
from mlbench.solvers.spectral_support_norm import HalfSquaredSpectralSupport

LARGE_C, C_STEP, ROUGH_TOL = 1e4, 100.0, 0.25
"""C times the mean squared norm of a row, above which smaller values of C come first; the factor
from one to the next, and the share of the tolerance to which they are solved."""

SolverResult = tuple[JointSolution, SplittingState | None]


def solve_by_splitting(
    problem: JointProblem,
    r: int,
    C: float,
    stop: StoppingCriterion,
    state: SplittingState | None,
    seed: RandomState,
) -> SolverResult:
    """Solve the relaxation from the state that another solve, for any r and C, has left."""
    if problem.design.n_tasks == 0:
        return JointSolution(np.zeros((0, problem.design.n_features)), 0.0, 0.0, 1), state
    if 0 < r == problem.largest_rank:
        return _plain_svms(problem, r, C, stop.tol), state
    penalty = HalfSquaredSpectralSupport(max(r, 1))
    if state is not None:
        primal = replace(state.primal, penalty=penalty.value(state.primal.W))
        state = replace(state, primal=primal)
    end = None if stop.max_seconds is None else monotonic() + stop.max_seconds
    total = 0
    for value in _continuation(problem, C, 0.0 if state is None else state.lam):
        if state is not None:
            scaled = scaled_to_separate(problem.design, problem.loss, penalty, state.primal)
            if scaled.objective(value) < state.primal.objective(value):
                state = replace(state, primal=scaled)
        found = solve(
            problem.design,
            problem.loss,
            penalty,
            value,
            start=state,
            tol=stop.tol if value == C else ROUGH_TOL * stop.tol,
            max_iter=stop.max_iter - total,
            max_seconds=None if end is None else end - monotonic(),
        )
        state, total = found.state, total + found.n_iter
    limit = None
    if not found.converged:
        limit = "max_iter" if total >= stop.max_iter else "max_seconds"
    return (
        JointSolution(found.W, found.objective, found.bound, total, limit=limit),
        found.state,
    )


def _continuation(problem: JointProblem, C: float, before: float) -> list[float]:
    """Return the values of C on the way up to a large one, from the one before.

    Where the labels can be separated, all values above one of them have the same solution.
    """
    strength = float((problem.scales**2).sum()) / len(problem.svd.U)
    values = [C]
    while values[0] * strength > LARGE_C and values[0] / C_STEP > before:
        values.insert(0, values[0] / C_STEP)
    return values


def solve_by_frank_wolfe(
    problem: JointProblem,
    r: int,
    C: float,
    stop: StoppingCriterion,
    state: SplittingState | None,
    seed: RandomState,
) -> SolverResult:
    """Solve the relaxation by damped alternation, from the multiple of I of trace r."""
    if r == 0:
        return solve_by_splitting(problem, r, C, stop, None, seed)
    if r == problem.largest_rank:
        return _plain_svms(problem, r, C, stop.tol), state
    rank = problem.design.n_features
    start = np.sqrt(r / rank) * np.eye(rank)
    return alternate(problem, r, C, start, frank_wolfe_step, stop), state


def solve_as_printed(
    problem: JointProblem,
    r: int,
    C: float,
    stop: StoppingCriterion,
    state: SplittingState | None,
    seed: RandomState,
) -> SolverResult:
    """Alternate as the paper has it, from a random projection."""
    if r == 0:
        return solve_by_splitting(problem, r, C, stop, None, seed)
    axes = problem.svd.V  # drawn in the original features, a start does not depend on them
    start = np.linalg.qr(axes.T @ check_random_state(seed).standard_normal((len(axes), r)))[0]
    return alternate(problem, r, C, start, full_step, stop), state


SOLVERS: dict[str, Callable[..., SolverResult]] = {
    "primal_dual": solve_by_splitting,
    "fw": solve_by_frank_wolfe,
    "paper": solve_as_printed,
}
"""Solvers of (problem, r, C, stop, state, seed): ``state`` is the warm start that the default
solver left, ``seed`` the source of a random start."""

MAX_ITER = {"primal_dual": 10_000, "fw": 100, "paper": 20}
"""The default limit on the iterations of every solver."""


def _plain_svms(problem: JointProblem, r: int, C: float, tol: float) -> JointSolution:
    """Return the solution where r is the largest rank of W: nothing has to be shared."""
    upper, lower, W, _ = primal_and_dual_bounds(problem, r, C, np.eye(problem.design.n_features))
    limit = "what the SVMs can be solved to" if upper - lower > tol * upper else None
    return JointSolution(W, upper, lower, 1, limit=limit)
