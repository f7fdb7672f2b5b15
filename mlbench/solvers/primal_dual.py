"""Minimise a penalty plus losses of linear scores, with a certificate of how close the end is.

The problem is

    min_W  Omega(W) + lambda * sum_i G_i(X_i w_i)

for a penalty with a proximal step and losses with one. Douglas-Rachford splitting separates both
from the graph {(W, s): s_i = X_i w_i}, onto which one projects with a factorisation that is made
once (Parikh & Boyd 2014, Block splitting for distributed optimization). So correlated features,
which slow gradient steps down, do no harm. Anderson acceleration extrapolates the iterates. The
proximal steps yield dual variables inside the domain of the losses' conjugates: whatever the
iterates do, the certificate holds. Where that domain is a box, as for the hinge, a repair moves
them into the ball of the penalty, and the step size then favours the primal side.

The certificate: with p_i in the domain of the conjugate of G_i, V_i = X_i' p_i and any t in
[0, 1], weak duality gives

    opt >= lambda * t * sum_i -G_i*(p_i) - Omega*(lambda * t * V).

Shrinking is allowed because the losses are nonnegative and reach 0, so that G_i*(0) = 0.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.anderson import Anderson
from mlbench.solvers.design import Design
from mlbench.solvers.penalties import ConvexPenalty
from mlbench.solvers.repair import MOST_FEATURES, BoxLoss, repaired

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHECK_EVERY = 10
"""Iterations from one look at the gap to the next."""

ALPHA = 0.2
"""The weight of coefficients against scores, times a feature's mean sum of squares."""

RELAXATION = 1.7
"""The length of a step: 1 is plain, 2 the limit of convergence."""

MEMORY, EXTRAPOLATE_EVERY, WORST_GROWTH = 20, 5, 2.0
"""Differences that Anderson acceleration uses, iterations from one of its steps to the next, and
how much a residual may grow by one before it is undone."""

PATIENCE, LARGEST_CHANGE, SMALLEST_CHANGE = 4, 2.0, 1.3
"""Looks at the errors before the step size first changes, and the factors it may change by."""

MIXTURES = (0.1, 0.3)
"""The shares of a new dual point in its mixtures with the best one."""

FIRST_REPAIR, REPAIR_GROWTH = 20.0, 1.2
"""The iteration of the first repair of a dual point, and the ratio of each to the one before."""

FIRST_CURVED = 5.0
"""The first step size for a curved penalty, over the geometric mean of what suits the losses and
what suits the penalty."""

ROUNDING = 1e-9
"""By how much, relatively, a bound may be above an objective that was reached."""

LEAST_DISCOUNT = 0.01
"""The least weight of the dual error against the primal where repairs mend it."""

TINY = 2.0**-10
"""The weight of a proximal step that stays in the linear piece around 0; a smaller one would be
lost in the rounding of scores near 1/2."""


class Loss(Protocol):
    """A convex loss of the flat scores of all tasks: nonnegative, and 0 somewhere."""

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task: (k,)."""

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the minimiser s of ``weight * sum_i G_i(s_i) + 1/2 ||s - z||^2``: (N,)."""


@runtime_checkable
class CurvedPenalty(Protocol):
    """A penalty that grows like a square, value(t W) = t^2 value(W)."""

    @property
    def curvature(self) -> float:
        """Return the least second derivative along a ray through a W with ||W|| = 1."""


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

    def mixed(self, other: DualPoint, share: float) -> DualPoint:
        """Return the point on the way to another: the conjugates are convex."""
        return DualPoint(
            self.p + share * (other.p - self.p),
            self.V + share * (other.V - self.V),
            self.values + share * (other.values - self.values),
        )


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
    while run.gap > tol and run.n_iter < max_iter:
        if end is not None and time.monotonic() >= end:
            break
        run.advance(min(CHECK_EVERY, max_iter - run.n_iter))
    return Solution(
        W=run.primal.W,
        objective=run.objective,
        bound=run.bound,
        gap=run.gap,
        n_iter=run.n_iter,
        converged=run.gap <= tol,
        state=run.state(),
    )


def origin(design: Design, loss: Loss) -> State:
    """Return the start at W = 0, with a subgradient of the losses there.

    Where the losses have a gradient p at 0 and the penalty is a norm, W = 0 is certified exactly up
    to the largest lambda at which it is optimal: 1 / Omega_o(X' p).
    """
    k, d = design.n_tasks, design.n_features
    W = np.zeros((k, d))
    s = loss.prox(np.zeros(design.offsets[-1]), TINY)
    p = -s / TINY
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


class _Run:
    """The iterates at one lambda, and the best points seen on the way.

    The fixed-point variable z = (sqrt(alpha) W, s) holds a proximal point plus the subgradient
    there over its weight, sigma alpha for the penalty and sigma for the losses.
    """

    W: Floats
    s: Floats
    z: Floats
    plain: Floats | None  # what z would be without the last extrapolation
    residual_norm: float

    def __init__(
        self, design: Design, loss: Loss, penalty: ConvexPenalty, lam: float, start: State
    ) -> None:
        self.design, self.loss, self.penalty, self.lam = design, loss, penalty, lam
        self.start = start
        self.primal, self.dual = start.primal, start.dual
        self.objective = start.primal.objective(lam)
        self.bound = start.dual.bound(penalty, lam)
        self.projection = design.graph_projection(ALPHA * design.mean_square_norm())
        self.root = float(np.sqrt(self.projection.alpha))
        self.sigma = self._first_sigma(start)
        self.anderson = Anderson(start.W.size + len(start.s), MEMORY)
        self.n_iter = 0
        self.balance = 0.0
        self.checks = 0
        self.patience = PATIENCE
        self.next_repair = FIRST_REPAIR
        self.discount = 1.0  # the share of the dual error that repairs leave
        self._restart(start.W, start.s, start.V, lam * start.p)

    @property
    def gap(self) -> float:
        if self.objective <= 0:
            return 0.0
        return (self.objective - self.bound) / self.objective

    def state(self) -> State:
        """Return the start of the next solve."""
        if self.n_iter == 0:
            return self.start
        return State(self.lam, self.sigma, self.primal, self.dual, *self._points())

    def advance(self, steps: int) -> None:
        """Take some steps, then look for better points and change the step size if it pays."""
        for _ in range(steps):
            z_W, z_s = self._split(self.z)
            W, s = self.projection.of(2 * self.W - z_W, 2 * self.s - z_s)
            residual = np.concatenate([self.root * (W - self.W).ravel(), s - self.s])
            residual *= RELAXATION
            self._move(residual)
            self._apply_proxes()
        self._look()

    def _split(self, z: Floats) -> tuple[Floats, Floats]:
        size = self.W.size
        return z[:size].reshape(self.W.shape) / self.root, z[size:]

    def _apply_proxes(self) -> None:
        z_W, z_s = self._split(self.z)
        self.W = self.penalty.prox(z_W, 1.0 / (self.sigma * self.projection.alpha))
        self.s = self.loss.prox(z_s, self.lam / self.sigma)

    def _move(self, residual: Floats) -> None:
        """Step to the image of z, or beyond; undo a step beyond after which the residual grew."""
        self.n_iter += 1
        if self.plain is not None:
            plain, self.plain = self.plain, None
            if np.linalg.norm(residual) > WORST_GROWTH * self.residual_norm:
                self.z = plain
                self.anderson.forget()
                return
        image = self.z + residual
        self.z = image
        if self.n_iter % EXTRAPOLATE_EVERY:
            return
        beyond = self.anderson.extrapolate(image, residual)
        if beyond is not None:
            self.plain, self.z = image, beyond
            self.residual_norm = float(np.linalg.norm(residual))

    def _look(self) -> None:
        _, _, V, p = self._points()
        losses = self.loss.values(self.s)
        values = losses - self.design.task_sums(p * self.s)
        total = float(self.loss.values(self.design.scores(self.W)).sum())
        primal = PrimalPoint(self.W, self.penalty.value(self.W), total)
        dual = DualPoint(p, self.design.back(p), values)
        objective, bound = primal.objective(self.lam), dual.bound(self.penalty, self.lam)
        if objective < self.objective:
            self.primal, self.objective = primal, objective
        if self.bound > self.objective * (1 + ROUNDING):
            self.dual = DualPoint(np.zeros_like(p), np.zeros_like(self.W), np.zeros_like(values))
            self.bound = 0.0
        self._raise_bound(dual, bound)
        conjugate = float(np.vdot(self.W, V)) - primal.penalty  # of the penalty: 0 for a norm
        value = self.lam * values.sum() - conjugate
        primal_error = max(self.lam * abs(total - losses.sum()), objective - self.objective)
        dual_error = max(abs(value - bound), self.bound - bound)
        if self.n_iter >= self.next_repair:
            self._repair(p, value, dual_error)
        self._rebalance(primal_error, self.discount * dual_error, 1e-12 * objective)

    def _repair(self, p: Floats, value: float, error: float) -> None:
        """Try a repaired dual point, at times that grow farther apart, and what it is worth."""
        self.next_repair = REPAIR_GROWTH * self.n_iter
        if isinstance(self.loss, BoxLoss) and self.design.n_features <= MOST_FEATURES:
            p = repaired(self.design, self.loss, self.penalty, self.lam, p)
            dual = DualPoint(p, self.design.back(p), self.loss.dual_values(p))
            bound = dual.bound(self.penalty, self.lam)
            self._raise_bound(dual, bound)
            left = max(abs(value - bound), self.bound - bound)
            self.discount = min(max(left / error, LEAST_DISCOUNT), 1.0) if error > 0 else 1.0

    def _raise_bound(self, dual: DualPoint, bound: float) -> None:
        """Take the best of the dual point so far, a new one and mixtures of the two.

        A bound above an objective that was reached is none: where the strength is extreme, iterates
        may grow until rounding takes the dual point out of its domain.
        """
        if bound > self.objective * (1 + ROUNDING):
            return
        if bound > self.bound:
            self.dual, self.bound, dual = dual, bound, self.dual
        for share in MIXTURES:
            mixture = self.dual.mixed(dual, share)
            bound = mixture.bound(self.penalty, self.lam)
            if bound > self.bound:
                self.dual, self.bound = mixture, bound

    def _rebalance(self, primal_error: float, dual_error: float, least: float) -> None:
        """Change the step size if one of the two errors stays far behind the other."""
        self.balance += float(np.log(max(primal_error, least) / max(dual_error, least)))
        self.checks += 1
        if self.checks < self.patience:
            return
        factor = float(np.exp(0.5 * self.balance / self.checks))
        factor = min(max(factor, 1 / LARGEST_CHANGE), LARGEST_CHANGE)
        self.balance = 0.0
        self.checks = 0
        if not 1 / SMALLEST_CHANGE <= factor <= SMALLEST_CHANGE:
            W, s, V, p = self._points()
            self.patience += PATIENCE // 2
            self.sigma *= factor
            self._restart(W, s, V, self.lam * p)

    def _points(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the proximal points and their subgradients, those of the losses over lambda."""
        z_W, z_s = self._split(self.z)
        V = self.sigma * self.projection.alpha * (z_W - self.W)
        return self.W, self.s, V, self.sigma / self.lam * (z_s - self.s)

    def _restart(self, W: Floats, s: Floats, V: Floats, q: Floats) -> None:
        """Set z to given proximal points and subgradients."""
        self.W, self.s = W, s
        z_W = W + V / (self.sigma * self.projection.alpha)
        self.z = np.concatenate([self.root * z_W.ravel(), s + q / self.sigma])
        self.plain = None
        self.residual_norm = 0.0
        self.anderson.forget()

    def _first_sigma(self, start: State) -> float:
        curved = isinstance(self.penalty, CurvedPenalty)
        if start.sigma > 0:
            growth = self.lam / start.lam
            return start.sigma * (growth**0.5 if curved else growth)
        p = start.dual.p
        slope = self.lam * float(np.linalg.norm(p)) / max(len(p), 1) ** 0.5
        if isinstance(self.penalty, CurvedPenalty):
            curvature = self.penalty.curvature / self.projection.alpha
            return FIRST_CURVED * float(np.sqrt(slope * curvature)) or 1.0
        return slope or 1.0
