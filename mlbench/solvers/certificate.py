"""Primal and dual points of a penalty plus losses, and the duality gap that they certify.

With p_i in the domain of the conjugate of G_i, V_i = X_i' p_i and any t in [0, 1], weak duality
gives

    opt >= lambda * t * sum_i -G_i*(p_i) - Omega*(lambda * t * V).

Shrinking is allowed because the losses are nonnegative and reach 0, so that G_i*(0) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from mlbench.solvers.arrays import Floats
from mlbench.solvers.design import Design
from mlbench.solvers.penalties import ConvexPenalty

MIXTURES = (0.1, 0.3)
"""The shares of a new dual point in its mixtures with the best one."""

ROUNDING = 1e-9
"""The relative rounding error allowed in a bound above an objective."""


class Loss(Protocol):
    """A convex loss of the flat scores of all tasks: nonnegative, with minimum 0."""

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task: (k,)."""

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the minimizer s of ``weight * sum_i G_i(s_i) + 1/2 ||s - z||^2``: (N,)."""


@runtime_checkable
class ExactDualLoss(Protocol):
    """A loss with a known conjugate, so that dual points do not depend on rounding of iterates."""

    def dual_point(self, p: Floats) -> tuple[Floats, Floats]:
        """Return a point (N,) of the conjugate's domain near p, and -G_i* there: (k,)."""


@runtime_checkable
class SeparableLoss(Protocol):
    """A loss that is 0 if the scores of a task are large enough and have the right signs."""

    def separating(self, scores: Floats) -> Floats | None:
        """Return the factors (k,) of the tasks' scores that make the losses 0, or None."""


@dataclass(frozen=True)
class PrimalPoint:
    """Coefficients (k, d), their penalty and their loss: the objective at any lambda."""

    W: Floats
    penalty: float
    loss: float

    def objective(self, lam: float) -> float:
        """Return the objective at ``lam``: an upper bound of the optimal value."""
        return self.penalty + lam * self.loss


@dataclass(frozen=True)
class DualPoint:
    """A point of the dual problem, independent of lambda."""

    p: Floats
    """(N,) array: in the domain of the conjugate of the losses."""
    V: Floats
    """(k, d) array: X_i' p_i, row by row."""
    values: Floats
    """(k,) array: at most -G_i*(p_i)."""

    def bound(self, penalty: ConvexPenalty, lam: float) -> float:
        """Return a lower bound of the optimal value at ``lam``."""
        return penalty.dual_bound(lam * self.V, lam * self.values)

    def mixture(self, other: DualPoint, share: float) -> DualPoint:
        """Return a convex combination with another point, which is feasible."""
        return DualPoint(
            self.p + share * (other.p - self.p),
            self.V + share * (other.V - self.V),
            self.values + share * (other.values - self.values),
        )


def scaled_to_separate(
    design: Design, loss: Loss, penalty: ConvexPenalty, primal: PrimalPoint
) -> PrimalPoint:
    """Return a primal point scaled so that its losses are 0, or the point itself if impossible.

    At a large lambda a small remaining loss would dominate the gap.
    """
    if not isinstance(loss, SeparableLoss):
        return primal
    scores = design.scores(primal.W)
    factors = loss.separating(scores)
    if factors is None:
        return primal
    W = factors[:, None] * primal.W
    left = loss.values(np.repeat(factors, np.diff(design.offsets)) * scores)
    return PrimalPoint(W, penalty.value(W), float(left.sum()))


def dual_point(design: Design, loss: Loss, p: Floats, s: Floats) -> DualPoint:
    """Return the dual point of the subgradients ``-p`` of the losses at the scores s."""
    if isinstance(loss, ExactDualLoss):
        p, values = loss.dual_point(p)
    else:
        values = loss.values(s) - design.task_sums(p * s)
    return DualPoint(p, design.adjoint(p), values)


class Certificate:
    """The best primal point and the best dual point so far, at one lambda.

    Parameters
    ----------
    penalty : ConvexPenalty
    lam : float
    primal, dual
        The first points.

    Attributes
    ----------
    objective, bound : float
        The optimal value lies between them.
    """

    def __init__(
        self, penalty: ConvexPenalty, lam: float, primal: PrimalPoint, dual: DualPoint
    ) -> None:
        self._penalty, self._lam = penalty, lam
        self.primal, self.dual = primal, dual
        self.objective = primal.objective(lam)
        self.bound = dual.bound(penalty, lam)

    @property
    def gap(self) -> float:
        """(objective - bound) / objective, or 0 if the objective is 0."""
        if self.objective <= 0:
            return 0.0
        return (self.objective - self.bound) / self.objective

    def update_primal(self, primal: PrimalPoint) -> float:
        """Update the best primal point, and return the objective of the new one.

        A bound that it contradicts is reset.
        """
        objective = primal.objective(self._lam)
        if objective < self.objective:
            self.primal, self.objective = primal, objective
        if self.bound > self.objective * (1 + ROUNDING):
            zero = self.dual
            self.dual = DualPoint(
                np.zeros_like(zero.p), np.zeros_like(zero.V), np.zeros_like(zero.values)
            )
            self.bound = 0.0
        return objective

    def update_dual(self, dual: DualPoint) -> float:
        """Update the best dual point by a new one and convex combinations of the two.

        A bound above a known objective is invalid: for extreme values of lambda, iterates can grow
        until rounding moves the dual point out of its domain.

        Returns
        -------
        float
            The bound of the new point alone.
        """
        found = bound = dual.bound(self._penalty, self._lam)
        if bound > self.objective * (1 + ROUNDING):
            return found
        if bound > self.bound:
            self.dual, self.bound, dual = dual, bound, self.dual
        for share in MIXTURES:
            mixture = self.dual.mixture(dual, share)
            bound = mixture.bound(self._penalty, self._lam)
            if bound > self.bound:
                self.dual, self.bound = mixture, bound
        return found


@dataclass(frozen=True)
class StoppingCriterion:
    """The relative gap to reach, and the limits on the way there."""

    tol: float
    """(objective - bound) / objective at which to stop."""
    max_iter: int
    max_seconds: float | None = None

    def after(self, n_iter: int, seconds: float) -> StoppingCriterion:
        """Return what is left after some iterations and seconds; at least one iteration."""
        left = None if self.max_seconds is None else max(self.max_seconds - seconds, 0.0)
        return StoppingCriterion(self.tol, max(self.max_iter - n_iter, 1), left)
