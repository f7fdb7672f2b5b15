"""Minimise a penalty plus losses of linear scores, with a certificate of how close the end is.

The problem is

    min_W  Omega(W) + lambda * sum_i G_i(X_i w_i)

for a penalty with a proximal step and losses with one. Douglas-Rachford splitting separates both
from the graph {(W, s): s_i = X_i w_i}, on which one projects with a factorisation that is made
once (Parikh & Boyd 2014, Block splitting for distributed optimization). Its proximal steps yield
dual variables inside the domain of the losses' conjugates, so every certificate is a bound.

The certificate: with p_i in the domain of the conjugate of G_i, V_i = X_i' p_i and any t in
[0, 1], weak duality gives

    opt >= lambda * t * sum_i -G_i*(p_i) - Omega*(lambda * t * V).

Shrinking is allowed because the losses are nonnegative and reach 0, so that G_i*(0) = 0.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.design import Design
from mlbench.solvers.losses.auc import auc_prox, auc_values
from mlbench.solvers.losses.hinge import hinge_prox, hinge_values
from mlbench.solvers.penalties import ConvexPenalty, Penalty

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RELAXATION = 1.7
CHECK_EVERY = 20
LARGEST_CHANGE = 3.0
"""A step size is multiplied by at most this, and divided by at most this, at a time."""


class Loss(Protocol):
    """A convex loss of the flat scores of all tasks: nonnegative, and 0 somewhere."""

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task: (k,)."""

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the minimiser s of ``weight * sum_i G_i(s_i) + 1/2 ||s - z||^2``: (N,)."""


@dataclass(frozen=True)
class Hinge:
    """The hinge loss of every task, 2 sum_j max(0, 1 - y_j s_j).

    Attributes
    ----------
    y : (N,) array of -1 and 1
    offsets : (k + 1,) int array
    """

    y: Floats
    offsets: Ints

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task."""
        return hinge_values(scores, self.y, self.offsets)

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the proximal point of ``weight`` times the sum."""
        return hinge_prox(z, self.y, self.offsets, weight)


@dataclass(frozen=True)
class MeanPairHinge:
    """The mean over pairs of a task of max(0, 1 - 2 (s_k - s_l)), the loss of AUC.

    Attributes
    ----------
    y : (N,) array of -1 and 1
    offsets : (k + 1,) int array
    """

    y: Floats
    offsets: Ints

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task."""
        return auc_values(scores, self.y, self.offsets)

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the proximal point of ``weight`` times the sum."""
        return auc_prox(z, self.y, self.offsets, weight)


@dataclass(frozen=True)
class DualPoint:
    """A point of the dual problem, free of lambda.

    Attributes
    ----------
    p : (N,) array
        In the domain of the conjugate of the losses.
    V : (k, d) array
        X_i' p_i, row by row.
    values : (k,) array
        At most -G_i*(p_i).
    """

    p: Floats
    V: Floats
    values: Floats

    def bound(self, penalty: ConvexPenalty, lam: float) -> float:
        """Return a lower bound of the optimal value at ``lam``."""
        return penalty.dual_bound(lam * self.V, lam * self.values)


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
class State:
    """What a solve leaves for the next lambda.

    Attributes
    ----------
    lam : float
    sigma : float
        The weight of the scores in the splitting.
    primal, dual
        The best points so far: they certify.
    W, s, V, p : arrays
        The last iterates: proximal points, and their subgradients of the penalty and of the
        losses.
    """

    lam: float
    sigma: float
    primal: PrimalPoint
    dual: DualPoint
    W: Floats
    s: Floats
    V: Floats
    p: Floats


@dataclass(frozen=True)
class Solution:
    """Coefficients with a certificate.

    Attributes
    ----------
    W : (k, d) array
    duals : (N,) array
        A subgradient of every task's loss: a point in the domain of its conjugate.
    objective, bound : float
        The optimal value lies between ``bound`` and ``objective``, the value at ``W``.
    gap : float
        (objective - bound) / objective, or 0 if the objective is 0.
    n_iter : int
    converged : bool
        Whether the gap is at most the tolerance.
    state : State
        The start of a solve at another lambda.
    """

    W: Floats
    duals: Floats
    objective: float
    bound: float
    gap: float
    n_iter: int
    converged: bool
    state: State


def solve(
    design: Design,
    loss: Loss,
    penalty: ConvexPenalty,
    lam: float,
    *,
    start: State | None = None,
    tol: float = 1e-3,
    max_iter: int = 10_000,
    max_seconds: float | None = None,
) -> Solution:
    """Minimise ``penalty(W) + lam * sum_i loss_i(X_i w_i)``.

    Parameters
    ----------
    design : Design
    loss : Loss
        For the flat scores of that design.
    penalty : Penalty
    lam : float, positive
    start : State, optional
        What a solve of the same problem at another lambda has left.
    tol : float
        Stop when objective - bound <= tol * objective.
    max_iter : int
        At most so many iterations.
    max_seconds : float, optional
        At most about so much time; where it cuts in, results differ from run to run.

    Returns
    -------
    Solution
        Check ``converged``: at a limit the best points so far are returned.

    Notes
    -----
    Where lambda is so small that 0 is optimal, or where the points of ``start`` certify each
    other at the new lambda, the answer comes without an iteration.
    """
    run = _Run(design, loss, penalty, lam, start if start is not None else origin(design, loss))
    end = None if max_seconds is None else time.monotonic() + max_seconds
    n_iter = 0
    while run.gap > tol and n_iter < max_iter:
        if end is not None and time.monotonic() >= end:
            break
        steps = min(CHECK_EVERY, max_iter - n_iter)
        run.advance(steps)
        n_iter += steps
    return Solution(
        W=run.primal.W,
        duals=run.dual.p,
        objective=run.primal.objective(lam),
        bound=run.dual.bound(penalty, lam),
        gap=run.gap,
        n_iter=n_iter,
        converged=run.gap <= tol,
        state=run.state(),
    )


def origin(design: Design, loss: Loss) -> State:
    """Return the start at W = 0, with a subgradient of the losses there.

    If the losses have a gradient at 0, W = 0 is certified exactly up to `critical_lambda`.
    """
    k, d = design.n_tasks, design.n_features
    W = np.zeros((k, d))
    s = loss.prox(np.zeros(design.offsets[-1]), _TINY)
    p = -s / _TINY
    values = loss.values(s) - design.task_sums(p * s)
    V = design.back(p)
    return State(
        lam=0.0,
        sigma=0.0,
        primal=PrimalPoint(W, 0.0, float(loss.values(np.zeros(len(s))).sum())),
        dual=DualPoint(p, V, values),
        W=W,
        s=np.zeros(len(s)),
        V=W,
        p=p,
    )


_TINY = 1e-9
"""The weight of a proximal step that stays in the linear piece around 0."""


def critical_lambda(design: Design, loss: Loss, penalty: Penalty) -> float:
    """Return the largest lambda at which W = 0 is optimal, for a norm as penalty.

    For losses with a gradient p at 0 it is 1 / Omega_o(X' p): for the hinge losses
    1 / Omega_o(2 X'y), for the mean pair hinge 1 / Omega_o(2 (mean_pos - mean_neg)).
    """
    size = penalty.dual_norm(origin(design, loss).dual.V)
    return 1.0 / size if size > 0 else float("inf")


class _Run:
    """The iterates at one lambda, and the best points seen on the way."""

    def __init__(
        self, design: Design, loss: Loss, penalty: ConvexPenalty, lam: float, start: State
    ) -> None:
        self.design, self.loss, self.penalty, self.lam = design, loss, penalty, lam
        self.primal, self.dual = start.primal, start.dual
        self.projection = design.graph_projection(0.1 * design.mean_square_norm())
        self.sigma = self._first_sigma(start)
        self._restart(start.W, start.s, start.V, lam * start.p)
        self.balance = 0.0
        self.checks = 0
        self.patience = 2

    @property
    def gap(self) -> float:
        objective = self.primal.objective(self.lam)
        if objective <= 0:
            return 0.0
        return (objective - self.dual.bound(self.penalty, self.lam)) / objective

    def state(self) -> State:
        """Return the start of the next solve."""
        return State(self.lam, self.sigma, self.primal, self.dual, *self._points())

    def advance(self, steps: int) -> None:
        """Take some steps, then look for better points and change the step size if it pays."""
        omega_weight = 1.0 / (self.sigma * self.projection.alpha)
        loss_weight = self.lam / self.sigma
        for _ in range(steps):
            W, s = self.projection.of(2 * self.W - self.z_W, 2 * self.s - self.z_s)
            self.z_W += RELAXATION * (W - self.W)
            self.z_s += RELAXATION * (s - self.s)
            self.W = self.penalty.prox(self.z_W, omega_weight)
            self.s = self.loss.prox(self.z_s, loss_weight)
        self._look()

    def _look(self) -> None:
        p = self._points()[3]
        losses = self.loss.values(self.s)
        values = losses - self.design.task_sums(p * self.s)
        primal = PrimalPoint(
            self.W,
            self.penalty.value(self.W),
            float(self.loss.values(self.design.scores(self.W)).sum()),
        )
        dual = DualPoint(p, self.design.back(p), values)
        objective, bound = primal.objective(self.lam), dual.bound(self.penalty, self.lam)
        if objective < self.primal.objective(self.lam):
            self.primal = primal
        if bound > self.dual.bound(self.penalty, self.lam):
            self.dual = dual
        primal_error = max(
            self.lam * abs(primal.loss - losses.sum()), objective - self.primal.objective(self.lam)
        )
        dual_error = max(
            abs(self.lam * values.sum() - bound), self.dual.bound(self.penalty, self.lam) - bound
        )
        self._rebalance(primal_error, dual_error, 1e-12 * objective)

    def _rebalance(self, primal_error: float, dual_error: float, least: float) -> None:
        """Change the step size if one of the two errors stays far behind the other."""
        self.balance += np.log(max(primal_error, least) / max(dual_error, least))
        self.checks += 1
        if self.checks < self.patience:
            return
        factor = float(np.exp(0.5 * self.balance / self.checks))
        factor = min(max(factor, 1 / LARGEST_CHANGE), LARGEST_CHANGE)
        self.balance = 0.0
        self.checks = 0
        if not 1 / 1.3 <= factor <= 1.3:
            W, s, V, p = self._points()
            self.patience += 1
            self.sigma *= factor
            self._restart(W, s, V, self.lam * p)

    def _points(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the proximal points and their subgradients, those of the losses over lambda."""
        V = self.sigma * self.projection.alpha * (self.z_W - self.W)
        return self.W, self.s, V, self.sigma / self.lam * (self.z_s - self.s)

    def _restart(self, W: Floats, s: Floats, V: Floats, p: Floats) -> None:
        self.W, self.s = W, s
        self.z_W = W + V / (self.sigma * self.projection.alpha)
        self.z_s = s + p / self.sigma

    def _first_sigma(self, start: State) -> float:
        if start.sigma > 0:
            return start.sigma * float(np.sqrt(self.lam / start.lam))
        p = start.dual.p
        return self.lam * float(np.linalg.norm(p)) / max(len(p), 1) ** 0.5 or 1.0
