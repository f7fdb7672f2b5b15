"""Rounds for the trace norm, in the eigenbasis of the Hessian, where it is diagonal.

A round takes a few gradient steps, which find the rank; minimizes over the rows in the basis of the
left singular vectors; and takes a Newton step over the matrices of that rank.

References
----------
Argyriou, Evgeniou & Pontil (2008), Convex multi-task feature learning, Machine Learning 73,
243-272 (the trace norm as the least sum of row norms over orthonormal bases).
Vandereycken (2013), Low-rank matrix completion by Riemannian optimization, SIAM Journal on
Optimization 23, 1214-1236 (the space tangent to matrices of a rank).
"""

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from mlbench.solvers.arrays import Floats
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.fista import fista
from mlbench.solvers.proximal.least_squares import Quadratic

_GRADIENT_STEPS = 5

_ACCURACY, _PRODUCTS = 1e-2, 40
"""When conjugate gradients stop: the relative residual, and the number of products."""

_TRIALS = 5
"""How many lengths of a Newton step are tried, each a quarter of the one before."""

_NO_RANK = 1e-10
"""A singular value that is smaller, relative to the largest, counts as 0."""

_ROOT_STEPS = 50


class SpectralRounds:
    """Rounds for a quadratic with a diagonal Hessian.

    Parameters
    ----------
    problem : Quadratic
    eigenvalues : (r,) array
        The diagonal.
    """

    def __init__(self, problem: Quadratic, eigenvalues: Floats) -> None:
        self.problem = problem
        self.h = eigenvalues
        self.trace = PENALTIES["trace"]

    def improve(self, alpha: float, W: Floats, V: Floats) -> Floats:
        """Return coefficients (k, r) of a lower objective; V is the negative gradient at W."""
        W = fista(self.problem, self.trace, alpha, W, 0.0, _GRADIENT_STEPS).W
        by_rows = rows_minimum(
            self.h, self.problem.linear, left_basis(W, self.problem.linear), alpha
        )
        value = self._value(W, alpha)
        if (better := self._value(by_rows, alpha)) <= value:
            W, value = by_rows, better
        step = self._newton_step(W, alpha)
        for _ in range(_TRIALS):
            if self._value(W + step, alpha) < value:
                return W + step
            step = step / 4
        return W

    def _value(self, W: Floats, alpha: float) -> float:
        """Return the objective up to a constant."""
        squares = 0.5 * float(np.vdot(W, W * self.h)) - float(np.vdot(self.problem.linear, W))
        return squares + alpha * self.trace.value(W)

    def _newton_step(self, W: Floats, alpha: float) -> Floats:
        """Return the Newton step over matrices of the rank of W, by conjugate gradients."""
        tangent = TangentSpace(W)
        if tangent.rank == 0:
            return np.zeros_like(W)
        downhill = self.problem.linear - W * self.h - alpha * tangent.gradient

        def hessian(flat: Floats) -> Floats:
            Z = flat.reshape(W.shape)
            return (tangent.project(Z * self.h) + alpha * tangent.curve(Z)).ravel()

        def preconditioner(flat: Floats) -> Floats:
            return tangent.project(tangent.solve(flat.reshape(W.shape), self.h, alpha)).ravel()

        found, _ = cg(
            LinearOperator((W.size, W.size), hessian, dtype=float),
            tangent.project(downhill).ravel(),
            rtol=_ACCURACY,
            maxiter=_PRODUCTS,
            M=LinearOperator((W.size, W.size), preconditioner, dtype=float),
        )
        return np.asarray(found.reshape(W.shape))


class TangentSpace:
    """The directions at W = U S V' in which the rank stays as it is, to first order.

    Parameters
    ----------
    W : (k, r) array
    """

    def __init__(self, W: Floats) -> None:
        U, values, Vt = np.linalg.svd(W, full_matrices=False)
        self.rank = int(np.sum(values > _NO_RANK * values.max(initial=0.0)))
        self.U, self.values, self.Vt = U[:, : self.rank], values[: self.rank], Vt[: self.rank]
        self.sums = self.values[:, None] + self.values

    @property
    def gradient(self) -> Floats:
        """U V', the gradient of the trace norm."""
        return np.asarray(self.U @ self.Vt)

    def project(self, Z: Floats) -> Floats:
        """Return the nearest direction to Z (k, r)."""
        inside = self.U @ (self.U.T @ Z)
        return np.asarray(inside + (Z - inside) @ self.Vt.T @ self.Vt)

    def curve(self, Z: Floats) -> Floats:
        """Return the second derivative of the trace norm along Z."""
        # The derivative of the polar factor U V' along Z. Its core in the bases is
        # (C - C')_ij / (s_i + s_j); what leaves the row or the column space is divided by s_i.
        right = self.U.T @ Z
        core = right @ self.Vt.T
        turned = (core - core.T) / self.sums @ self.Vt
        from_right = (right - core @ self.Vt) / self.values[:, None]
        from_left = (Z - self.U @ right) @ self.Vt.T / self.values @ self.Vt
        return np.asarray(self.U @ (turned + from_right) + from_left)

    def solve(self, Z: Floats, h: Floats, alpha: float) -> Floats:
        """Return Z over ``h + alpha / s``, s the singular value of a row in the left basis."""
        right = self.U.T @ Z
        inside = self.U @ (right / (h + alpha / self.values[:, None]))
        return np.asarray(inside + (Z - self.U @ right) / (h + alpha / self.values[-1]))


def left_basis(W: Floats, C: Floats) -> Floats:
    """Return an orthonormal basis (k, k): left singular vectors of W, then of the rest of C."""
    squares, vectors = np.linalg.eigh(W @ W.T)
    alive = squares > _NO_RANK**2 * max(squares[-1], 0.0)
    used, free = vectors[:, alive], vectors[:, ~alive]
    rest = free.T @ C
    return np.hstack([used, free @ np.linalg.eigh(rest @ rest.T)[1]])


def rows_minimum(h: Floats, C: Floats, basis: Floats, alpha: float) -> Floats:
    """Minimize ``1/2 <W, W h> - <C, W> + alpha sum_i ||(basis' W)_i||`` over W (k, r).

    The sum of row norms is at least the trace norm, and equal where the basis has the left
    singular vectors of W. A row is 0 if its part of C is no longer than alpha. Otherwise its norm t
    solves ``sum_j c_j^2 / (h_j t + alpha)^2 = 1``, here by Newton's method on one over the root of
    the left side, which is concave in t, so that no step goes too far.
    """
    rows = basis.T @ C
    norms = np.linalg.norm(rows, axis=1)
    alive = norms > alpha
    squares, t = rows[alive] ** 2, np.zeros((int(alive.sum()), 1))
    for _ in range(_ROOT_STEPS):
        scale = h * t + alpha
        parts = squares / scale**2
        value = parts.sum(axis=1, keepdims=True)
        slope = 2 * (parts * h / scale).sum(axis=1, keepdims=True)
        step = 2 * value / slope * (np.sqrt(value) - 1)
        t += step
        if not np.any(np.abs(step) > 1e-13 * t):
            break
    found = np.zeros_like(rows)
    found[alive] = t * rows[alive] / (h * t + alpha)
    return basis @ found
