"""Paths of "penalty plus weighted losses" problems: which solver, and what it leaves to report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from joblib import effective_n_jobs, parallel_config

from mlbench.methods.base import Floats, Ints
from mlbench.methods.linear_tasks import LinearProblem, LinearSolution
from mlbench.solvers.kept_cuts import KeptCuts
from mlbench.solvers.losses import Oracle
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.primal_dual import Loss, solve


@dataclass(frozen=True)
class Effort:
    """When a fit ends, by the relative gap or a limit, and on how many threads it may run."""

    tol: float
    max_iter: int
    max_seconds: float | None
    n_jobs: int | None


def by_prox(
    loss: Callable[[Floats, Ints], Loss],
    problem: LinearProblem,
    penalty: str,
    strengths: Sequence[float],
    effort: Effort,
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
            tol=effort.tol,
            max_iter=effort.max_iter,
            max_seconds=effort.max_seconds,
        )
        state = solution.state
        limit = None
        if not solution.converged:
            limit = "max_iter" if solution.n_iter >= effort.max_iter else "max_seconds"
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
    effort: Effort,
) -> Iterator[LinearSolution]:
    """Yield the solutions for a loss with an oracle of its worst labelling; cuts are kept."""
    with parallel_config(backend="threading"):
        n_threads = effective_n_jobs(effort.n_jobs)
    solver = KeptCuts(problem.design, problem.y, oracle, PENALTIES[penalty], n_threads)
    for lam in strengths:
        solution = solver.solve(lam, effort.tol, effort.max_iter, effort.max_seconds)
        yield LinearSolution(
            W=solution.W,
            gap=max(solution.gap, 0.0),
            n_iter=solution.n_iter,
            n_oracle_calls=solution.n_oracle_calls,
            limit=solution.limit,
        )
