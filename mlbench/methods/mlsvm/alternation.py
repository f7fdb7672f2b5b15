"""The alternation of Ji & Ye between a projection and support vector machines, and its damping.

For a map Z with 0 <= Z <= I and tr Z = r, the alpha of the SVMs with kernel X Z X' maximize

    f(Z, alpha) = sum alpha - 1/2 sum_l (y_l alpha_l)' X Z X' (y_l alpha_l)  (less alpha^2 / 4C for
                  the squared hinge),

and for alpha, the projection Q Q' onto the r leading right singular vectors of the matrix with
rows X'(y_l alpha_l) minimizes f over Z. The first value is an upper bound of the saddle point's,
the second a lower one. Going to Q Q' all the way is the printed algorithm: each side answers the
other's latest move, which need not converge. Going a part 2 / (t + 2) of the way is the
Frank-Wolfe method for the convex function max f(., alpha), which does.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from mlbench.methods.mlsvm.problem import JointProblem
from mlbench.solvers.arrays import Floats
from mlbench.solvers.certificate import StoppingCriterion
from mlbench.solvers.spectral_support_norm import MIN_SHARE, HalfSquaredSpectralSupport


@dataclass(frozen=True)
class JointSolution:
    """Coefficients with a certificate: the optimum lies between ``bound`` and ``objective``.

    Attributes
    ----------
    W : (k, rho) array
    objective : float
        The objective of the relaxation at W, at most obj(alpha).
    bound : float
        The largest obj(Q).
    n_iter : int
    history : (n_iter, 2) array
        obj(alpha) and obj(Q) of every iteration, where the solver alternates; else empty.
    limit : str, optional
        The parameter that ended the search before the gap was small enough.
    """

    W: Floats
    objective: float
    bound: float
    n_iter: int
    history: Floats = field(default_factory=lambda: np.empty((0, 2)))
    limit: str | None = None

    @property
    def gap(self) -> float:
        """An upper bound of (objective - optimum) / objective."""
        return max(self.objective - self.bound, 0.0) / self.objective if self.objective > 0 else 0.0


def full_step(t: int) -> float:
    """Return the step of the printed algorithm."""
    return 1.0


def frank_wolfe_step(t: int) -> float:
    """Return the step of the Frank-Wolfe method at iteration t = 0, 1, ..."""
    return 2.0 / (t + 2.0)


def alternate(
    problem: JointProblem,
    r: int,
    C: float,
    start: Floats,
    step: Callable[[int], float],
    stop: StoppingCriterion,
) -> JointSolution:
    """Alternate between SVMs for a map and the best projection for the SVMs.

    Parameters
    ----------
    problem : JointProblem
    r : int
    C : float
    start : (rho, q) array
        A factor F of the first map Z = F F'.
    step : callable
        How far to go from the map to the best projection at iteration t.
    stop : StoppingCriterion

    Returns
    -------
    JointSolution
        The best coefficients of all iterations, and the best bound.
    """
    end = None if stop.max_seconds is None else time.monotonic() + stop.max_seconds
    factor = start
    history: list[tuple[float, float]] = []
    penalty = HalfSquaredSpectralSupport(r)
    best = JointSolution(np.zeros((0, 0)), np.inf, -np.inf, 0)
    for t in range(stop.max_iter):
        upper, lower, W, V = primal_and_dual_bounds(problem, r, C, factor)
        history.append((upper, lower))
        objective = min(upper, penalty.value(W) + C * problem.total_loss(W))
        if objective < best.objective:
            best = replace(best, W=W, objective=objective)
        best = replace(best, bound=max(best.bound, lower), n_iter=t + 1, history=np.array(history))
        if best.gap <= stop.tol:
            return best
        if end is not None and time.monotonic() >= end:
            return replace(best, limit="max_seconds")
        factor = _mixture_factor(factor, _leading(V, r), step(t))
    return replace(best, limit="max_iter")


def primal_and_dual_bounds(
    problem: JointProblem, r: int, C: float, factor: Floats
) -> tuple[float, float, Floats, Floats]:
    """Fit the SVMs for a map Z = F F', and return what they certify.

    Returns
    -------
    upper : float
        obj(alpha): the objective of the SVMs, which is at least that of the relaxation.
    lower : float
        obj(Q) for the best projection Q at their alpha.
    W : (k, rho) array
        Their coefficients.
    V : (k, rho) array
        The rows X'(y_l alpha_l).
    """
    svms = problem.svms(factor, C)
    W = svms.coef @ factor.T
    p, values = problem.loss.dual_point(-svms.beta / C)
    V = problem.design.adjoint(-C * p)
    upper = 0.5 * float(np.vdot(svms.coef, svms.coef)) + C * problem.total_loss(W)
    lower = C * float(values.sum()) - HalfSquaredSpectralSupport(r).conjugate(V)
    return upper, lower, W, V


def _leading(V: Floats, r: int) -> Floats:
    """Return the leading right singular vectors, (rho, r), or fewer where V has a lower rank."""
    _, values, Vt = np.linalg.svd(V, full_matrices=False)
    rank = int(np.count_nonzero(values > MIN_SHARE * values[0]))
    return np.asarray(Vt[: max(min(r, rank), 1)].T)


def _mixture_factor(factor: Floats, Q: Floats, step: float) -> Floats:
    """Return a factor of (1 - step) F F' + step Q Q'."""
    if step == 1.0:
        return Q
    both = np.hstack([np.sqrt(1.0 - step) * factor, np.sqrt(step) * Q])
    if both.shape[1] <= both.shape[0]:
        return both
    values, vectors = np.linalg.eigh(both @ both.T)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
