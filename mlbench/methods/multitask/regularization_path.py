"""Paths of "penalty plus weighted losses" problems: which solver, and what it leaves to report."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from time import monotonic

import numpy as np

from mlbench.methods.multitask.base import LinearProblem, LinearSolution
from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.certificate import Certificate, DualPoint, Loss, PrimalPoint, StoppingCriterion
from mlbench.solvers.cutting_planes.cutting_plane_splitting import CuttingPlaneSplitting
from mlbench.solvers.hinge.l1_interior_point import HingeInteriorPath
from mlbench.solvers.hinge.path import HingePath
from mlbench.solvers.losses import Oracle
from mlbench.solvers.losses.hinge import Hinge, hinge_cuts
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.primal_dual import solve

PIVOTS = 100
"""Vertices of every task's path that one iteration may pass."""

JITTER = 1e-3
"""What breaks ties of a path, relative to the tolerance of its gap."""


def douglas_rachford_path(
    loss: Callable[[Floats, Ints], Loss],
    problem: LinearProblem,
    penalty: str,
    lams: Sequence[float],
    stop: StoppingCriterion,
) -> Iterator[LinearSolution]:
    """Yield the solutions for a loss that has a proximal step, each started from the last."""
    design = problem.design
    losses = loss(problem.y, design.offsets)
    state = None
    for lam in lams:
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


def cutting_plane_path(
    oracle: Oracle,
    problem: LinearProblem,
    penalty: str,
    lams: Sequence[float],
    stop: StoppingCriterion,
) -> Iterator[LinearSolution]:
    """Yield the solutions for a loss with an oracle of its worst labeling; cuts are kept."""
    solver = CuttingPlaneSplitting(problem.design, problem.y, oracle, PENALTIES[penalty])
    for lam in lams:
        yield _by_cuts(solver, lam, stop)


def _by_cuts(solver: CuttingPlaneSplitting, lam: float, stop: StoppingCriterion) -> LinearSolution:
    solution = solver.solve(lam, stop.tol, stop.max_iter, stop.max_seconds)
    return LinearSolution(
        W=solution.W,
        gap=max(solution.gap, 0.0),
        n_iter=solution.n_iter,
        n_oracle_calls=solution.n_oracle_calls,
        limit=solution.limit,
    )


def vertex_path(
    problem: LinearProblem, lams: Sequence[float], stop: StoppingCriterion
) -> Iterator[LinearSolution]:
    """Yield the solutions for the hinge under l11: every task goes from vertex to vertex.

    From where rounding ends a task's path on, the solutions come by proximal steps.
    """
    design, hinge = problem.design, Hinge(problem.y, problem.design.offsets)
    paths = [
        HingePath(
            design.block(i), design.transposed_block(i), problem.y[start:end], JITTER * stop.tol
        )
        for i, (start, end) in enumerate(pairwise(design.offsets))
    ]
    for index, lam in enumerate(lams):
        began, n_iter, limit = monotonic(), 0, None
        while not all(path.c >= 2 * lam or path.has_failed for path in paths):
            if n_iter >= stop.max_iter:
                limit = "max_iter"
                break
            if stop.max_seconds is not None and monotonic() - began >= stop.max_seconds:
                limit = "max_seconds"
                break
            n_iter += 1
            for path in paths:
                path.advance(2 * lam, PIVOTS)
        W = np.stack([path.solution() for path in paths])
        gap = _gap(problem, hinge, W, paths, lam)
        if limit is None and not gap <= stop.tol:
            yield from douglas_rachford_path(Hinge, problem, "l11", lams[index:], stop)
            return
        yield LinearSolution(
            W=W,
            gap=gap,
            n_iter=n_iter,
            limit=limit if gap > stop.tol else None,
        )


def interior_path(
    problem: LinearProblem, lams: Sequence[float], stop: StoppingCriterion
) -> Iterator[LinearSolution]:
    """Yield the solutions for the hinge under l11, every task by an interior-point method.

    From where rounding ends it on, the solutions come from kept cuts, unless the one at hand is
    better.
    """
    design, hinge = problem.design, Hinge(problem.y, problem.design.offsets)
    paths = [
        HingeInteriorPath(design.block(i), design.transposed_block(i), problem.y[start:end])
        for i, (start, end) in enumerate(pairwise(design.offsets))
    ]
    for index, lam in enumerate(lams):
        began = monotonic()
        deadline = inf if stop.max_seconds is None else began + stop.max_seconds
        n_iter = max(path.solve(2 * lam, stop.tol, stop.max_iter, deadline) for path in paths)
        W = np.stack([path.solution() for path in paths])
        gap = _gap(problem, hinge, W, paths, lam)
        limits = {path.limit for path in paths if path.limit and gap > stop.tol}
        found = LinearSolution(W=W, gap=gap, n_iter=n_iter, limit=min(limits, default=None))
        if gap <= stop.tol or (limits and "rounding" not in limits):
            yield found
            continue
        solver = CuttingPlaneSplitting(design, problem.y, hinge_cuts, PENALTIES["l11"])
        cuts = _by_cuts(solver, lam, stop.after(n_iter, monotonic() - began))
        best = cuts if cuts.gap < gap else replace(found, limit=cuts.limit)
        yield replace(best, n_iter=n_iter + cuts.n_iter, n_oracle_calls=cuts.n_oracle_calls)
        for later in lams[index + 1 :]:
            yield _by_cuts(solver, later, stop)
        return


def _gap(
    problem: LinearProblem,
    hinge: Hinge,
    W: Floats,
    paths: Sequence[HingePath | HingeInteriorPath],
    lam: float,
) -> float:
    """Return the certified relative gap of W, which the paths' multipliers prove."""
    design, penalty = problem.design, PENALTIES["l11"]
    p = -problem.y * np.concatenate([path.multipliers() for path in paths]) / lam
    primal = PrimalPoint(W, penalty.value(W), float(hinge.values(design.scores(W)).sum()))
    dual = DualPoint(p, design.adjoint(p), hinge.dual_values(p))
    return max(Certificate(penalty, lam, primal, dual).gap, 0.0)
