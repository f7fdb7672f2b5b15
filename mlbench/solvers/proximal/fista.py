"""Least squares with a norm as penalty: accelerated proximal gradient steps and a duality gap."""

from dataclasses import dataclass
from math import inf
from time import perf_counter

import numpy as np

from mlbench.solvers.arrays import Floats
from mlbench.solvers.penalties import Penalty
from mlbench.solvers.proximal.least_squares import Quadratic

_EVERY = 5
"""Steps between two checks of the gap."""

_FLAT = 1e-300
"""The smallest curvature that is divided by."""


@dataclass(frozen=True)
class FistaResult:
    """The result of the iterations."""

    W: Floats
    """(k, d) array."""
    gap: float
    """An upper bound on (objective - optimum) / objective; nan where numbers overflowed."""
    n_iter: int
    limit: str | None
    """The limit that ended them before the gap was within the tolerance."""


def bounds(
    problem: Quadratic, penalty: Penalty, alpha: float, W: Floats, HW: Floats
) -> tuple[float, float]:
    """Return the objective ``P = f + alpha * penalty`` at W, and a lower bound on its minimum.

    A dual point is a residual R, one vector per task, such that the dual norm of V = X'R is at
    most alpha. The residual of W becomes one by optimal scaling. If the Hessian can be
    inverted it also becomes one by the smallest change: V is projected onto the ball, which
    subtracts E = prox(V), and the bound is much better near the minimum. The better one counts.

    Parameters
    ----------
    HW : (k, d) array
        ``problem.hessian(W)``.
    """
    V = problem.linear - HW
    size = penalty.value(W)
    explained = float(np.vdot(problem.linear, W))
    squared = max(problem.size - 2 * explained + float(np.vdot(W, HW)), 0.0)
    primal = 0.5 * squared + alpha * size
    steepest = penalty.dual_norm(V)
    most = alpha / steepest if steepest > 0 else inf
    aligned = problem.size - explained
    scale = max(min(aligned / squared, most), -most) if squared > 0 else 0.0
    dual = scale * aligned - 0.5 * scale**2 * squared
    E = penalty.prox(V, alpha)
    loss = alpha * size - float(np.vdot(W, V - E)) + 0.5 * problem.inverse_form(E)
    return primal, max(dual, primal - loss)


def fista(
    problem: Quadratic,
    penalty: Penalty,
    alpha: float,
    start: Floats,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    max_seconds: float | None = None,
) -> FistaResult:
    """Minimize ``f(W) + alpha * penalty(W)`` for a quadratic f.

    Nesterov's momentum is restarted when it increases the objective. The step is shortened if the
    curvature of f exceeds its estimate.

    Parameters
    ----------
    start : (k, d) array
    tol
        The relative duality gap to reach.

    References
    ----------
    Beck & Teboulle (2009), A fast iterative shrinkage-thresholding algorithm, SIAM J. Imaging
    Sciences 2, 183-202. O'Donoghue & Candes (2015), Adaptive restart for accelerated gradient
    schemes, Foundations of Computational Mathematics 15, 715-732, section 3.2.
    """
    began = perf_counter()
    curvature = max(problem.curvature, _FLAT)
    W, HW = start, problem.hessian(start)
    Z, HZ, momentum = W, HW, 1.0
    best_dual = 0.0
    n_iter = 0
    while True:
        if n_iter % _EVERY == 0 or n_iter == max_iter:
            primal, dual = bounds(problem, penalty, alpha, W, HW)
            best_dual = max(best_dual, dual)
            gap = max(primal - best_dual, 0.0) / primal if primal != 0 else 0.0
            limit = None
            if gap > tol and n_iter >= max_iter:
                limit = "max_iter"
            elif gap > tol and max_seconds is not None and perf_counter() - began > max_seconds:
                limit = "max_seconds"
            if not gap > tol or limit is not None:
                return FistaResult(W, gap, n_iter, limit)
        n_iter += 1
        new = penalty.prox(Z - (HZ - problem.linear) / curvature, alpha / curvature)
        Hnew = problem.hessian(new)
        step, bend = new - Z, Hnew - HZ
        length, curved = float(np.vdot(step, step)), float(np.vdot(step, bend))
        if curved > curvature * length * (1 + 1e-9):
            curvature = 1.02 * curved / length
            Z, HZ, momentum = W, HW, 1.0
            continue
        if float(np.vdot(step, new - W)) < 0:
            Z, HZ, momentum = new, Hnew, 1.0
        else:
            after = 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
            push = (momentum - 1) / after
            Z, HZ, momentum = new + push * (new - W), Hnew + push * (Hnew - HW), after
        W, HW = new, Hnew
