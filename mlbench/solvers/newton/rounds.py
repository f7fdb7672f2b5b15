"""Rounds of steps that lower the objective, until a duality gap proves the optimum."""

from math import inf
from time import perf_counter

from mlbench.solvers.arrays import Floats
from mlbench.solvers.newton.coordinates import EntryRounds, FeatureRounds
from mlbench.solvers.newton.spectrum import SpectralRounds
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.fista import FistaResult, bounds, fista
from mlbench.solvers.proximal.least_squares import Quadratic

_HEADWAY, _PATIENCE = 1e-3, 20
"""What share of the gap a round should close at least, and how many in a row may close less."""

_GRADIENT_STEPS = 500
"""How many follow rounds that closed less."""


_MAX_CURVATURE = 1e100


Rounds = EntryRounds | FeatureRounds | SpectralRounds
"""Ways to lower the objective of a quadratic and a penalty."""


def rounds_of(penalty: str, problem: Quadratic) -> Rounds | None:
    """Return the rounds for a problem.

    None if its Hessian is not known in the form they need, or so large that their products may
    overflow; gradient steps tell where that happens.
    """
    if problem.curvature > _MAX_CURVATURE:
        return None
    if penalty == "trace":
        return None if problem.eigenvalues is None else SpectralRounds(problem, problem.eigenvalues)
    if problem.gram is None:
        return None
    return (EntryRounds if penalty == "l11" else FeatureRounds)(problem.gram)


def minimize(
    problem: Quadratic,
    penalty: str,
    rounds: Rounds,
    alpha: float,
    start: Floats,
    tol: float,
    max_iter: int,
    max_seconds: float | None = None,
) -> FistaResult:
    """Minimize ``f(W) + alpha * penalty(W)`` for a quadratic f.

    Where rounds make no headway, some gradient steps take their place.

    Parameters
    ----------
    start : (k, d) array
    tol
        The relative duality gap to reach.
    """
    began = perf_counter()
    W, best, before = start, 0.0, inf
    n_iter = stalled = 0
    while True:
        HW = problem.hessian(W)
        primal, dual = bounds(problem, PENALTIES[penalty], alpha, W, HW)
        best = max(best, dual)
        gap = max(primal - best, 0.0) / primal if primal != 0 else 0.0
        if not gap > tol:
            return FistaResult(W, gap, n_iter, None)
        if n_iter >= max_iter:
            return FistaResult(W, gap, n_iter, "max_iter")
        if max_seconds is not None and perf_counter() - began > max_seconds:
            return FistaResult(W, gap, n_iter, "max_seconds")
        stalled = stalled + 1 if before - primal < _HEADWAY * gap * primal else 0
        before = primal
        if stalled < _PATIENCE:
            W = rounds.improve(alpha, W, problem.linear - HW)
            n_iter += 1
        else:
            steps = min(_GRADIENT_STEPS, max_iter - n_iter)
            W = fista(problem, PENALTIES[penalty], alpha, W, tol, steps).W
            n_iter, stalled = n_iter + steps, 0
