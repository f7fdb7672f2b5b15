"""Half the squared spectral r-support norm: linear maps that share r directions, relaxed.

For a (k, d) matrix W with singular values s it is

    Omega(W) = min { 1/2 tr(W Z^+ W') : 0 <= Z <= I, tr Z = r }
             = min { 1/2 sum_i s_i^2 / theta_i : 0 <= theta <= 1, sum theta <= r },

the largest convex function that is nowhere above half the sum of squares at the matrices of rank
at most r. For r >= rank(W) it is half the sum of squares, for r = 1 half the squared trace norm.
Its conjugate is half the sum of the r largest squared singular values.

References
----------
McDonald, Pontil & Stamos (2014), Spectral k-support norm regularization. NIPS 27.
Argyriou, Foygel & Srebro (2012), Sparse prediction with the k-support norm. NIPS 25.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlbench.solvers.arrays import Floats


@dataclass(frozen=True)
class HalfSquaredSpectralSupport:
    """Half the squared spectral r-support norm, for `mlbench.solvers.proximal.primal_dual`."""

    r: int
    """The trace of Z: the largest number of directions."""
    curvature: ClassVar[float] = 1.0  # twice the value is at least the sum of squares

    def value(self, W: Floats) -> float:
        """Return the penalty of W."""
        values = np.asarray(np.linalg.svd(W, compute_uv=False), dtype=np.float64)
        if len(values) <= self.r:
            return 0.5 * float(values @ values)
        kept, level = _head(values, self.r)
        return 0.5 * float(values[:kept] @ values[:kept] + level * values[kept:].sum())

    def conjugate(self, V: Floats) -> float:
        """Return the largest <V, W> - value(W) over W."""
        if min(V.shape) <= self.r:
            return 0.5 * float(np.vdot(V, V))
        return 0.5 * float(_squared_singular_values(V)[: self.r].sum())

    def prox(self, W: Floats, step: float | Floats) -> Floats:
        """Return the minimizer U of ``step * value(U) + 1/2 ||U - W||^2``, for one step."""
        step = float(step)
        if min(W.shape) <= self.r:
            return W / (1.0 + step)
        left = W.shape[0] <= W.shape[1]
        squares, vectors = np.linalg.eigh(W @ W.T if left else W.T @ W)
        # U shrinks a singular value s to s theta / (theta + step).
        theta = prox_weights(np.sqrt(np.maximum(squares, 0.0)), step, self.r)
        keep = (vectors * (theta / (theta + step))) @ vectors.T
        return np.asarray(keep @ W if left else W @ keep)

    def dual_bound(self, V: Floats, values: Floats) -> float:
        """Return the lower bound of a dual point, with the optimal scaling."""
        size, value = 2.0 * self.conjugate(V), float(values.sum())
        t = min(1.0, max(value, 0.0) / size) if size > 0 else 1.0
        return t * value - 0.5 * t**2 * size

    def directions(self, W: Floats) -> tuple[Floats, Floats]:
        """Return the eigenvectors and eigenvalues of the Z that attains the value at W.

        Returns
        -------
        vectors : (d, q) array
            Right singular vectors of W whose singular value is not 0, the largest first.
        theta : (q,) array
            Their eigenvalues in Z, falling, in (0, 1].
        """
        _, values, Vt = np.linalg.svd(W, full_matrices=False)
        known = int(np.count_nonzero(values > MIN_SHARE * values.max(initial=0.0)))
        theta = np.ones(known)
        if known > self.r:
            kept, level = _head(values[:known], self.r)
            theta[kept:] = values[kept:known] / level
        return Vt[:known].T, theta


MIN_SHARE = 1e-6
"""Singular values below this share of the largest count as 0."""


def prox_weights(values: Floats, step: float, r: int) -> Floats:
    """Return theta = clip(c values - step, 0, 1) for the c > 0 at which it adds up to r.

    Parameters
    ----------
    values : (q,) array, not negative
    step : float, positive
    r : int
        Where no more than r values are positive, theta is 1 for them and 0 for the others.
    """
    positive = values[values > 0]
    if len(positive) <= r:
        return (values > 0).astype(float)
    # The sum is piecewise linear in c. A weight leaves 0 at c = step / s and reaches 1 at
    # (1 + step) / s.
    knots = np.sort(np.concatenate([step / positive, (1.0 + step) / positive]))

    def total(c: float) -> float:
        return float(np.clip(c * positive - step, 0.0, 1.0).sum())

    low, high = 0, len(knots) - 1  # total(knots[low]) = 0 and total(knots[high]) > r
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if total(knots[middle]) <= r else (low, middle)
    below, above = total(knots[low]), total(knots[high])
    share = (r - below) / (above - below)
    c = knots[low] + share * (knots[high] - knots[low])
    return np.asarray(np.clip(c * values - step, 0.0, 1.0))


def _head(values: Floats, r: int) -> tuple[int, float]:
    """Return how many of more than r falling values have theta = 1, and the level of the rest.

    The first q have theta = 1, the others s / level, with level = (their sum) / (r - q).
    """
    tails = np.cumsum(values[::-1])[::-1][:r]
    levels = tails / (r - np.arange(r))
    kept = int(np.argmax(values[:r] <= levels))  # the first q with all s / level at most 1
    return kept, float(levels[kept])


def _squared_singular_values(V: Floats) -> Floats:
    gram = V @ V.T if V.shape[0] <= V.shape[1] else V.T @ V
    return np.asarray(np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0))
