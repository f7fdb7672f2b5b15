"""Move a dual point into the dual ball of the penalty, for losses whose conjugate has a box domain.

At a large lambda the dual point of a splitting step misses the ball by a small difference of large
sums, and scaling it into the ball would lose most of its value. One weighted least-squares problem
per task finds the change of the dual variables that removes the excess and changes little those
near the bounds of the box, as in an affine scaling step.
"""

from typing import Protocol, runtime_checkable

import numpy as np

from mlbench.solvers.arrays import Floats, Matrix
from mlbench.solvers.design import Design, weighted_gram
from mlbench.solvers.penalties import ConvexPenalty

ROUNDS = 2
MAX_FEATURES = 1000
"""The restoration solves a dense system of this size, and is not used beyond it."""

INSIDE = 0.9999
"""The target distance from the center of the ball, relative to its radius."""

NEGLIGIBLE = 1e-3
"""Rows with a weight below this share of the largest are not changed."""


@runtime_checkable
class BoxLoss(Protocol):
    """A loss whose conjugate is finite on a box, and linear there."""

    def box(self) -> tuple[Floats, Floats]:
        """Return the lowest and the highest values of the dual variables: two (N,) arrays."""

    def dual_values(self, p: Floats) -> Floats:
        """Return -G_i*(p_i) of every task, (k,), for p in the box."""


def restore_feasibility(
    design: Design, loss: BoxLoss, penalty: ConvexPenalty, lam: float, p: Floats
) -> Floats:
    """Return a point of the box near p, with ``lam`` X'p nearer to the ball of the penalty.

    Parameters
    ----------
    design : Design
    loss : BoxLoss
    penalty : ConvexPenalty
        For a norm, what its proximal step of length 1 keeps is the excess over the dual ball.
    lam : float, positive
    p : (N,) array
        In the box.
    """
    low, high = loss.box()
    for _ in range(ROUNDS):
        V = lam * design.adjoint(p)
        kept = penalty.prox(V, 1.0)
        excess = (V - INSIDE * (V - kept)) / lam
        headroom = np.minimum(p - low, high - p)
        change = np.empty_like(p)
        for i in range(design.n_tasks):
            task = slice(design.offsets[i], design.offsets[i + 1])
            change[task] = _change(design.block(i), headroom[task], excess[i])
        p = np.clip(p - change, low, high)
    return p


def _change(X: Matrix, headroom: Floats, excess: Floats) -> Floats:
    """Return the smallest c, weighted by 1 / headroom, with X'c about equal to the excess."""
    change = np.zeros(len(headroom))
    rows = np.flatnonzero(headroom > NEGLIGIBLE * headroom.max(initial=0.0))
    if len(rows) == 0:
        return change
    part, weights = X[rows], headroom[rows]
    gram = weighted_gram(part, weights)
    ridge = 1e-9 * np.trace(gram) / len(gram)
    if ridge > 0:
        gram[np.diag_indices_from(gram)] += ridge
        change[rows] = weights * (part @ np.linalg.solve(gram, excess))
    return change
