"""Minimize a penalty plus losses of linear scores, with a certified duality gap.

The problem is

    min_W  Omega(W) + lambda * sum_i G_i(X_i w_i)

for a penalty with a proximal step and losses with one. Douglas-Rachford splitting splits both
from the graph {(W, s): s_i = X_i w_i}; the projection onto it uses a factorization that is computed
once (Parikh & Boyd 2014, Block splitting for distributed optimization). Correlated features, which
slow down gradient methods, do no harm. Anderson acceleration extrapolates the iterates. The
proximal steps yield dual variables inside the domain of the losses' conjugates: the
certificate holds for any iterates. If that domain is a box, as for the hinge, a feasibility
restoration moves them into the dual ball of the penalty.

The certificate is in `mlbench.solvers.certificate`, the iteration in
`mlbench.solvers.proximal.douglas_rachford`.
"""

import time
from dataclasses import dataclass

import numpy as np

from mlbench.solvers.arrays import Floats
from mlbench.solvers.certificate import Loss, PrimalPoint, dual_point
from mlbench.solvers.design import Design
from mlbench.solvers.penalties import ConvexPenalty
from mlbench.solvers.proximal.douglas_rachford import DouglasRachford, SplittingState

CHECK_EVERY = 10
"""Iterations between two checks of the gap."""

TINY = 2.0**-10
"""The weight of a proximal step that stays in the linear piece around 0; a smaller one would be
lost in the rounding of scores near 1/2."""


@dataclass(frozen=True)
class Solution:
    """Coefficients with a certificate."""

    W: Floats
    """(k, d) array."""
    objective: float
    bound: float
    """The optimal value lies between ``bound`` and ``objective``, the value at ``W``."""
    gap: float
    """(objective - bound) / objective, or 0 if the objective is 0."""
    n_iter: int
    converged: bool
    """Whether the gap is at most the tolerance."""
    state: SplittingState
    """The start of a solve at another lambda."""


def solve(
    design: Design,
    loss: Loss,
    penalty: ConvexPenalty,
    lam: float,
    *,
    start: SplittingState | None = None,
    tol: float = 1e-3,
    max_iter: int = 10_000,
    max_seconds: float | None = None,
) -> Solution:
    """Minimize ``penalty(W) + lam * sum_i loss_i(X_i w_i)``.

    Parameters
    ----------
    design : Design
    loss : Loss
        For the flat scores of that design.
    penalty : ConvexPenalty
    lam : float, positive
    start : SplittingState, optional
        The state of a solve of the same problem at another lambda.
    tol : float
        Stop when objective - bound <= tol * objective.
    max_iter : int
        The largest number of iterations.
    max_seconds : float, optional
        The approximate time limit; results then depend on the machine.

    Returns
    -------
    Solution
        Check ``converged``: at a limit the best points so far are returned.

    Notes
    -----
    If lambda is so small that 0 is optimal, or if the points of ``start`` certify each other at the
    new lambda, no iteration is needed.
    """
    run = DouglasRachford(
        design, loss, penalty, lam, start if start is not None else initial_state(design, loss)
    )
    end = None if max_seconds is None else time.monotonic() + max_seconds
    best = run.best
    while best.gap > tol and run.n_iter < max_iter:
        if end is not None and time.monotonic() >= end:
            break
        run.advance(min(CHECK_EVERY, max_iter - run.n_iter))
    return Solution(
        W=best.primal.W,
        objective=best.objective,
        bound=best.bound,
        gap=best.gap,
        n_iter=run.n_iter,
        converged=best.gap <= tol,
        state=run.state(),
    )


def initial_state(design: Design, loss: Loss) -> SplittingState:
    """Return the start at W = 0, with a subgradient of the losses there.

    Where the losses have a gradient p at 0 and the penalty is a norm, W = 0 is certified exactly up
    to the largest lambda at which it is optimal: 1 / Omega_o(X' p).
    """
    k, d = design.n_tasks, design.n_features
    W = np.zeros((k, d))
    s = loss.prox(np.zeros(design.offsets[-1]), TINY)
    p = -s / TINY
    return SplittingState(
        lam=0.0,
        sigma=0.0,
        primal=PrimalPoint(W, 0.0, float(loss.values(np.zeros(len(s))).sum())),
        dual=dual_point(design, loss, p, s),
        W=W,
        s=np.zeros(len(s)),
        V=W,
        p=p,
    )
