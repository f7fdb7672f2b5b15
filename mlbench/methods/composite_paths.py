"""Paths of "penalty plus weighted losses" problems: which solver, and what it leaves to report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mlbench.methods.base import Floats, Ints
from mlbench.methods.linear_tasks import LinearProblem, LinearSolution
from mlbench.solvers.certificate import Loss
from mlbench.solvers.kept_cuts import KeptCuts
from mlbench.solvers.losses import Oracle
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.primal_dual import solve


@dataclass(frozen=True)
class Stop:
    """When a fit ends: the relative gap to reach, and its limits."""

    tol: float
    max_iter: int
    max_seconds: float | None


def by_prox(
    loss: Callable[[Floats, Ints], Loss],
    problem: LinearProblem,
    penalty: str,
    strengths: Sequence[float],
    stop: Stop,
) -> Iterator[LinearSolution]:
    """Yield the solutions for a loss that has a proximal step, each started from the last."""
    design = problem.design
    losses = loss(problem.y, design.offsets)
    state = None
    for lam in strengths:
        solution = solve(
            design,
            losses,
            PENALTIES[penalty],
            lam,
            start=state,
            tol=stop.tol,
            max_iter=stop.max_iter,
            max_seconds=stop.max_seconds,
        )
        state = solution.state
        limit = None
        if not solution.converged:
            limit = "max_iter" if solution.n_iter >= stop.max_iter else "max_seconds"
        yield LinearSolution(
            W=solution.W,
            gap=max(solution.gap, 0.0),
            n_iter=solution.n_iter,
            n_oracle_calls=solution.n_iter * design.n_tasks,
            limit=limit,
        )


def by_cuts(
    oracle: Oracle,
    problem: LinearProblem,
    penalty: str,
    strengths: Sequence[float],
    stop: Stop,
) -> Iterator[LinearSolution]:
    """Yield the solutions for a loss with an oracle of its worst labelling; cuts are kept."""
    solver = KeptCuts(problem.design, problem.y, oracle, PENALTIES[penalty])
    for lam in strengths:
        solution = solver.solve(lam, stop.tol, stop.max_iter, stop.max_seconds)
        yield LinearSolution(
            W=solution.W,
            gap=max(solution.gap, 0.0),
            n_iter=solution.n_iter,
            n_oracle_calls=solution.n_oracle_calls,
            limit=solution.limit,
        )
