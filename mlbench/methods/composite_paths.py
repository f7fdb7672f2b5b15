"""Paths of "penalty plus weighted losses" problems: which solver, and what it leaves to report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.methods.base import Floats, Ints
from mlbench.methods.linear_tasks import LinearProblem, LinearSolution
from mlbench.solvers.kept_cuts import CutSolution, KeptCuts, Oracle
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.primal_dual import Loss, solve


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
    """Yield the solutions for a loss with an oracle of its worst labelling; cuts are kept.

    Tasks that the penalty does not tie together are solved one by one.
    """
    solvers = [
        KeptCuts(part.design, part.y, oracle, PENALTIES[penalty])
        for part in _parts(problem, penalty)
    ]
    seconds = None if stop.max_seconds is None else stop.max_seconds / len(solvers)
    for lam in strengths:
        yield _joined(
            [solver.solve(lam, stop.tol, stop.max_iter, seconds) for solver in solvers], stop.tol
        )


def _parts(problem: LinearProblem, penalty: str) -> list[LinearProblem]:
    if penalty != "l11":
        return [problem]
    labels = np.split(problem.y, problem.design.offsets[1:-1])
    return [
        LinearProblem(problem.design.of_tasks(np.array([task])), y) for task, y in enumerate(labels)
    ]


def _joined(parts: Sequence[CutSolution], tol: float) -> LinearSolution:
    objective = sum(part.objective for part in parts)
    bound = sum(part.bound for part in parts)
    gap = max((objective - bound) / objective, 0.0) if objective > 0 else 0.0
    limits = [part.limit for part in parts if part.limit is not None]
    return LinearSolution(
        W=np.vstack([part.W for part in parts]),
        gap=gap,
        n_iter=max(part.n_iter for part in parts),
        n_oracle_calls=sum(part.n_oracle_calls for part in parts),
        limit=limits[0] if limits and gap > tol else None,
    )
