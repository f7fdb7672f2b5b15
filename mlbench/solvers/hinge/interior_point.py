"""The hinge with a quadratic penalty and a free bias, by an interior-point method."""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from mlbench.solvers.arrays import Floats

MAX_STEPS = 100


def hinge_multipliers(
    Z: Any, y: Floats, C: float, tolerance: float = 1e-13
) -> tuple[Floats, Floats]:
    """Find the multipliers of ``min 1/2 ||w||^2 + C sum max(0, 1 - y (w'z + b))``.

    Mehrotra's primal-dual predictor-corrector method. A step costs O(n r^2), and the number of
    steps hardly depends on n or C; it suits many rows with few features.

    Parameters
    ----------
    Z : (n, r) array or CSR matrix
    y : (n,) array of -1 and 1
    C : float
    tolerance : float
        Of the mean complementarity, relative to that of the start.

    Returns
    -------
    inner : (n,) array
        Multipliers within (0, C), accurate to the tolerance.
    ends : (n,) array
        The same, with those that converge to 0 or C set to these values.

    References
    ----------
    Ferris & Munson (2002), Interior-point methods for massive support vector machines, SIAM
    Journal on Optimization 13.
    """
    # Primal: y (Zw + b) + violation - 1 = slack, with slack and violation at least 0. Dual:
    # w = Z'(y alpha), y'alpha = 0, 0 <= alpha <= C. The optimum has alpha slack = 0 and
    # (C - alpha) violation = 0, and a step aims at products of the size `target`.
    n, r = Z.shape
    w, b = np.zeros(r), 0.0
    alpha, violation, slack = np.full(n, C / 2), np.full(n, 2.0), np.ones(n)
    for _ in range(MAX_STEPS):
        complement = C - alpha
        mean = (alpha @ slack + complement @ violation) / (2 * n)
        if mean <= tolerance * C:
            break
        try:
            system = _NewtonSystem(Z, y, alpha, complement, slack, violation)
        except linalg.LinAlgError:  # the limit of double precision
            break
        violated = y * (Z @ w + b) + violation - 1 - slack, Z.T @ (y * alpha) - w, float(y @ alpha)
        one, two = -alpha * slack, -complement * violation
        predictor = system.direction(one, two, *violated)
        step = system.step_length(predictor)
        after = (alpha + step * predictor.alpha) @ (slack + step * predictor.slack)
        after += (complement - step * predictor.alpha) @ (violation + step * predictor.violation)
        # Mehrotra: the more the predictor alone reduces the products, the lower the target.
        target = mean * (after / (2 * n * mean)) ** 3
        one, two = (
            one + target - predictor.alpha * predictor.slack,
            two + target + predictor.alpha * predictor.violation,
        )
        change = system.direction(one, two, *violated)
        step = min(1.0, 0.995 * system.step_length(change))
        w, b = w + step * change.w, b + step * change.b
        alpha, slack = alpha + step * change.alpha, slack + step * change.slack
        violation = violation + step * change.violation
    at_zero, at_end = alpha / C < slack, (C - alpha) / C < violation
    return alpha, np.where(at_zero, 0.0, np.where(at_end, C, alpha))


class _Direction(NamedTuple):
    w: Floats
    b: float
    alpha: Floats
    slack: Floats
    violation: Floats


class _NewtonSystem:
    """Newton's equations at one point, reduced to the weights and the bias."""

    def __init__(
        self, Z: Any, y: Floats, alpha: Floats, complement: Floats, slack: Floats, violation: Floats
    ) -> None:
        self.Z, self.y = Z, y
        self.alpha, self.complement, self.slack, self.violation = (
            alpha,
            complement,
            slack,
            violation,
        )
        self.weight = 1 / (violation / complement + slack / alpha)
        self.factor = linalg.cho_factor(_normal_equations(Z, self.weight), overwrite_a=True)

    def direction(
        self, one: Floats, two: Floats, margin: Floats, weights: Floats, bias: float
    ) -> _Direction:
        """Return the step to given complementarities, and to constraints that hold.

        ``one`` and ``two`` are the changes of ``alpha * slack`` and ``complement * violation``; the
        others are the residuals of the constraints.
        """
        # Slack and violation are eliminated: alpha = weight (q - y (Zw + b)). With the equations
        # for w and b, a system of r + 1 unknowns is left.
        q = one / self.alpha - two / self.complement - margin
        pulled = self.y * self.weight * q
        right = np.append(weights + self.Z.T @ pulled, bias + pulled.sum())
        found = linalg.cho_solve(self.factor, right)
        w, b = found[:-1], float(found[-1])
        alpha = self.weight * (q - self.y * (self.Z @ w + b))
        slack = (one - self.slack * alpha) / self.alpha
        return _Direction(w, b, alpha, slack, (two + self.violation * alpha) / self.complement)

    def step_length(self, change: _Direction) -> float:
        """Return the largest step, up to 1, that keeps all variables positive."""
        return min(
            _step_length(self.alpha, change.alpha),
            _step_length(self.complement, -change.alpha),
            _step_length(self.slack, change.slack),
            _step_length(self.violation, change.violation),
        )


def _normal_equations(Z: Any, weight: Floats) -> Floats:
    r = Z.shape[1]
    weighted = Z.multiply(weight[:, None]).tocsr() if sparse.issparse(Z) else Z * weight[:, None]
    product = Z.T @ weighted
    H = np.empty((r + 1, r + 1))
    H[:r, :r] = product.toarray() if sparse.issparse(product) else product
    H[:r, r] = H[r, :r] = np.asarray(weighted.sum(axis=0)).ravel()
    H[r, r] = weight.sum()
    # Z' diag(weight) Z + I, bordered by the column of ones for the bias, which has no penalty
    H.flat[: r * (r + 1) : r + 2] += 1
    return H


def _step_length(value: Floats, change: Floats) -> float:
    falling = change < 0
    return float(np.min(-value[falling] / change[falling], initial=1.0))
