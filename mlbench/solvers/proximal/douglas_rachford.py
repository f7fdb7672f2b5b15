"""Douglas-Rachford splitting of a penalty and losses of linear scores, at one lambda.

Both are split from the graph {(W, s): s_i = X_i w_i}; the projection onto it uses a factorization
that is computed once (Parikh & Boyd 2014, Block splitting for distributed optimization).
Anderson acceleration extrapolates the iterates.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from mlbench.solvers.arrays import Floats
from mlbench.solvers.certificate import (
    Certificate,
    DualPoint,
    Loss,
    PrimalPoint,
    dual_point,
)
from mlbench.solvers.design import Design
from mlbench.solvers.penalties import ConvexPenalty
from mlbench.solvers.proximal.dual_feasibility import MAX_FEATURES, BoxLoss, restore_feasibility

REGULARIZATION = 1e-10
"""Of the least squares problem, relative to the trace of its normal matrix."""


class Anderson:
    """Extrapolation of the map x -> g(x) from pairs of g(x) and the residual g(x) - x.

    Parameters
    ----------
    size : int
        The length of x.
    memory : int
        The number of differences used.
    """

    def __init__(self, size: int, memory: int) -> None:
        self.memory = memory
        self._images = np.zeros((memory, size))
        self._residuals = np.zeros((memory, size))
        self._normal = np.zeros((memory, memory))
        self.reset()

    def reset(self) -> None:
        """Drop all differences, for example after a change of the map."""
        self._count = 0
        self._last: tuple[Floats, Floats] | None = None

    def extrapolate(self, image: Floats, residual: Floats) -> Floats | None:
        """Return the next point, or None if there are too few differences.

        Parameters
        ----------
        image, residual : (size,) arrays
            g(x) and g(x) - x at the latest x.
        """
        if self._last is not None:
            place = self._count % self.memory
            np.subtract(image, self._last[0], out=self._images[place])
            np.subtract(residual, self._last[1], out=self._residuals[place])
            self._count += 1
            known = min(self._count, self.memory)
            products = self._residuals[:known] @ self._residuals[place]
            self._normal[place, :known] = products
            self._normal[:known, place] = products
        self._last = image, residual
        known = min(self._count, self.memory)
        if known < 2:
            return None
        normal = self._normal[:known, :known]
        ridge = REGULARIZATION * np.trace(normal)
        if ridge == 0:
            return None
        weights = np.linalg.solve(
            normal + ridge * np.eye(known), self._residuals[:known] @ residual
        )
        return np.asarray(image - weights @ self._images[:known])


ALPHA = 0.2
"""The weight of coefficients against scores, times a feature's mean sum of squares."""

RELAXATION = 1.7
"""The length of a step: 1 is plain, 2 the limit of convergence."""

MEMORY, EXTRAPOLATE_EVERY, WORST_GROWTH = 20, 5, 2.0
"""The memory of Anderson acceleration, the iterations between two of its steps, and the growth of
the residual at which a step is undone."""

PATIENCE, MAX_CHANGE, MIN_CHANGE = 4, 2.0, 1.3
"""Checks of the errors before the step size first changes, and the allowed factors of a change."""

FIRST_RESTORATION, RESTORATION_GROWTH = 20.0, 1.2
"""The iteration of the first feasibility restoration of a dual point, and the ratio between two."""

FIRST_CURVED = 5.0
"""The first step size for a curved penalty, over the geometric mean of what suits the losses and
what suits the penalty."""

MIN_DISCOUNT = 0.01
"""The smallest weight of the dual error relative to the primal, if restoration reduces it."""


@runtime_checkable
class CurvedPenalty(Protocol):
    """A quadratically homogeneous penalty, value(t W) = t^2 value(W)."""

    @property
    def curvature(self) -> float:
        """Return the least second derivative along a ray through a W with ||W|| = 1."""


@dataclass(frozen=True)
class SplittingState:
    """The warm start for the next lambda."""

    lam: float
    sigma: float
    """The weight of the scores in the splitting."""
    primal: PrimalPoint
    dual: DualPoint
    """The best points, which certify the gap."""
    W: Floats
    s: Floats
    V: Floats
    p: Floats
    """The last iterates: proximal points, and subgradients there of the penalty and the losses."""


class DouglasRachford:
    """The iterates at one lambda, and the best points.

    The fixed-point variable z = (sqrt(alpha) W, s) holds a proximal point plus the subgradient
    there over its weight, sigma alpha for the penalty and sigma for the losses.
    """

    W: Floats
    s: Floats
    z: Floats
    before_extrapolation: Floats | None  # what z would be without the last extrapolation
    residual_norm: float

    def __init__(
        self, design: Design, loss: Loss, penalty: ConvexPenalty, lam: float, start: SplittingState
    ) -> None:
        self.design, self.loss, self.penalty, self.lam = design, loss, penalty, lam
        self.start = start
        self.best = Certificate(penalty, lam, start.primal, start.dual)
        self.projection = design.graph_projection(ALPHA * design.mean_square_norm())
        self.root = float(np.sqrt(self.projection.alpha))
        self.sigma = self._first_sigma(start)
        self.anderson = Anderson(start.W.size + len(start.s), MEMORY)
        self.n_iter = 0
        self.balance = 0.0
        self.checks = 0
        self.patience = PATIENCE
        self.next_restoration = FIRST_RESTORATION
        self.discount = 1.0  # the share of the dual error that remains after restoration
        self._restart(start.W, start.s, start.V, lam * start.p)

    def state(self) -> SplittingState:
        """Return the start of the next solve."""
        if self.n_iter == 0:
            return self.start
        return SplittingState(
            self.lam, self.sigma, self.best.primal, self.best.dual, *self._points()
        )

    def advance(self, steps: int) -> None:
        """Take some steps, update the certificate and adapt the step size."""
        for _ in range(steps):
            self._move(self._residual())
            self._apply_proxes()
        self._update_certificate()

    def _residual(self) -> Floats:
        """Return how far the image of z is from z."""
        z_W, z_s = self._split(self.z)
        W, s = self.projection.project(2 * self.W - z_W, 2 * self.s - z_s)
        residual = np.concatenate([self.root * (W - self.W).ravel(), s - self.s])
        residual *= RELAXATION
        return residual

    def _split(self, z: Floats) -> tuple[Floats, Floats]:
        size = self.W.size
        return z[:size].reshape(self.W.shape) / self.root, z[size:]

    def _apply_proxes(self) -> None:
        z_W, z_s = self._split(self.z)
        self.W = self.penalty.prox(z_W, 1.0 / (self.sigma * self.projection.alpha))
        self.s = self.loss.prox(z_s, self.lam / self.sigma)

    def _move(self, residual: Floats) -> None:
        """Step to the image of z or an extrapolation; undo one after which the residual grew."""
        self.n_iter += 1
        before_extrapolation, self.before_extrapolation = self.before_extrapolation, None
        if before_extrapolation is not None and self._has_grown(residual):
            self.z = before_extrapolation
            self.anderson.reset()
            return
        image = self.z + residual
        self.z = image
        if self.n_iter % EXTRAPOLATE_EVERY:
            return
        extrapolated = self.anderson.extrapolate(image, residual)
        if extrapolated is not None:
            self.before_extrapolation, self.z = image, extrapolated
            self.residual_norm = float(np.linalg.norm(residual))

    def _has_grown(self, residual: Floats) -> bool:
        return bool(np.linalg.norm(residual) > WORST_GROWTH * self.residual_norm)

    def _update_certificate(self) -> None:
        _, _, V, p = self._points()
        losses = self.loss.values(self.s)
        total = float(self.loss.values(self.design.scores(self.W)).sum())
        primal = PrimalPoint(self.W, self.penalty.value(self.W), total)
        dual = dual_point(self.design, self.loss, p, self.s)
        objective, bound = self.best.update_primal(primal), self.best.update_dual(dual)
        conjugate = float(np.vdot(self.W, V)) - primal.penalty  # of the penalty: 0 for a norm
        value = self.lam * dual.values.sum() - conjugate
        primal_error = max(self.lam * abs(total - losses.sum()), objective - self.best.objective)
        dual_error = max(abs(value - bound), self.best.bound - bound)
        if self.n_iter >= self.next_restoration:
            self._restore_feasibility(p, value, dual_error)
        self._rebalance(primal_error, self.discount * dual_error, 1e-12 * objective)

    def _restore_feasibility(self, p: Floats, value: float, error: float) -> None:
        """Restore dual feasibility, at increasing intervals, and update the bound."""
        self.next_restoration = RESTORATION_GROWTH * self.n_iter
        if isinstance(self.loss, BoxLoss) and self.design.n_features <= MAX_FEATURES:
            p = restore_feasibility(self.design, self.loss, self.penalty, self.lam, p)
            dual = DualPoint(p, self.design.adjoint(p), self.loss.dual_values(p))
            bound = self.best.update_dual(dual)
            left = max(abs(value - bound), self.best.bound - bound)
            self.discount = min(max(left / error, MIN_DISCOUNT), 1.0) if error > 0 else 1.0

    def _rebalance(self, primal_error: float, dual_error: float, least: float) -> None:
        """Change the step size if the two errors are unbalanced."""
        self.balance += float(np.log(max(primal_error, least) / max(dual_error, least)))
        self.checks += 1
        if self.checks < self.patience:
            return
        factor = float(np.exp(0.5 * self.balance / self.checks))
        factor = min(max(factor, 1 / MAX_CHANGE), MAX_CHANGE)
        self.balance = 0.0
        self.checks = 0
        if not 1 / MIN_CHANGE <= factor <= MIN_CHANGE:
            if self.before_extrapolation is not None and self._has_grown(self._residual()):
                self.z = self.before_extrapolation
                self._apply_proxes()
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
        self.before_extrapolation = None
        self.residual_norm = 0.0
        self.anderson.reset()

    def _first_sigma(self, start: SplittingState) -> float:
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
