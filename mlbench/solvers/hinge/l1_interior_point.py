"""The hinge loss with the 1-norm, by an interior-point method: a path from small c to large c.

For one task the problem is the linear program

    min_w  ||w||_1 + c * sum_i max(0, 1 - y_i x_i . w)

with the dual

    max_alpha  sum_i alpha_i   where 0 <= alpha_i <= c and |sum_i alpha_i y_i x_i| <= 1.

A point that is strictly feasible at c remains so at a larger c. So the path keeps a point that is
not too close to the boundary, and the search for the next c starts there.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy import linalg

from mlbench.solvers.arrays import Floats, Matrix
from mlbench.solvers.design import weighted_gram

_INTERIOR_GAP = 0.1
"""The relative gap of the point from which the next search starts."""

_STEP_SHARE = 0.995
"""The share of the longest step that keeps all variables positive."""

_PATIENCE = 15
"""After more steps than this without a smaller gap, rounding errors prevent progress."""


class _Point(NamedTuple):
    """A strictly feasible point of both programs.

    ``w = plus - minus``, and ``y x . w = 1 + excess - slack`` for every row, up to rounding.
    """

    alpha: Floats
    plus: Floats
    minus: Floats
    slack: Floats
    excess: Floats

    def moved(self, direction: _Point, primal: float, dual: float) -> _Point:
        lengths = (dual, primal, primal, primal, primal)
        steps = zip(self, direction, lengths, strict=True)
        return _Point(*(value + length * change for value, change, length in steps))


class HingeInteriorPath:
    """The solutions of one task, from small c to large c.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    transposed : (d, n) array or CSR matrix
        Its transpose.
    y : (n,) array of -1 and 1

    Attributes
    ----------
    has_failed : bool
        Whether rounding errors ended the last search; the solution is the best point before.

    Notes
    -----
    A step costs a weighted Gram matrix and its factorization, O(d^3); about ten lead to a gap of
    1e-3. Memory beyond the data: O(d^2 + n).

    References
    ----------
    Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM Journal on
    Optimization 2.
    """

    def __init__(self, X: Matrix, transposed: Matrix, y: Floats) -> None:
        self.X, self.transposed, self.y = X, transposed, y
        self.has_failed = False
        self._w = np.zeros(X.shape[1])
        self._alpha = np.zeros(X.shape[0])
        self._interior: _Point | None = None

    def solution(self) -> Floats:
        """Return the w of the last search: (d,)."""
        return self._w

    def multipliers(self) -> Floats:
        """Return the alpha of the last search: (n,)."""
        return self._alpha

    def solve(self, c: float, tol: float, max_steps: int) -> int:
        """Search the solution at c, which is at least as large as before.

        Parameters
        ----------
        c : float
        tol
            The relative gap, (objective - bound) / objective, to reach.
        max_steps : int

        Returns
        -------
        int
            The number of steps.
        """
        point = self._interior or self._first_point(c)
        self._interior, self.has_failed = None, False
        least, n_vain = np.inf, 0
        for n_steps in range(max_steps + 1):
            system = _NewtonSystem.at(point, c, self)
            gap = system.gap(c)
            if self._interior is None and not gap > _INTERIOR_GAP:
                self._interior = point
            n_vain = 0 if gap < least else n_vain + 1
            if gap < least:
                least, self._w, self._alpha = gap, system.w, point.alpha
            self.has_failed = n_vain > _PATIENCE
            if least <= tol or n_steps == max_steps or self.has_failed:
                break
            try:
                with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                    point = system.next_point()
            except (linalg.LinAlgError, ValueError):  # not positive, or not finite
                self.has_failed = True
                break
        if self._interior is None:
            self._interior = point
        return n_steps

    def _first_point(self, c: float) -> _Point:
        n, d = self.X.shape
        pull = np.abs(self.transposed @ self.y).max(initial=0.0)
        alpha = np.full(n, 0.5 * min(c, 1 / pull if pull > 0 else c))
        return _Point(alpha, np.full(d, c), np.full(d, c), np.full(n, 2.0), np.ones(n))

    def signed_scores(self, w: Floats) -> Floats:
        """Return y x . w of every row."""
        return np.asarray(self.y * (self.X @ w))

    def correlations(self, alpha: Floats) -> Floats:
        """Return the sum of alpha y x."""
        return np.asarray(self.transposed @ (self.y * alpha))


class _NewtonSystem(NamedTuple):
    """Newton's equations of the complementarities at a point, reduced to the features."""

    point: _Point
    path: HingeInteriorPath
    above: Floats
    """``1 - q`` and ``1 + q`` for the correlations q of alpha: complementary to plus and minus."""
    below: Floats
    room: Floats
    """``c - alpha``: complementary to the slack."""

    @classmethod
    def at(cls, point: _Point, c: float, path: HingeInteriorPath) -> Self:
        q = path.correlations(point.alpha)
        return cls(point, path, 1 - q, 1 + q, c - point.alpha)

    @property
    def w(self) -> Floats:
        """The coefficients; those that tend to 0 are 0."""
        point = self.point
        return np.where(
            (point.plus > self.above) | (point.minus > self.below), point.plus - point.minus, 0.0
        )

    def gap(self, c: float) -> float:
        """Return the relative gap of `w`."""
        w = self.w
        losses = np.maximum(0.0, 1 - self.path.signed_scores(w))
        objective = float(np.abs(w).sum() + c * losses.sum())
        return (objective - float(self.point.alpha.sum())) / objective if objective > 0 else 0.0

    def next_point(self) -> _Point:
        """Return the point after a predictor and a corrector step.

        Raises
        ------
        LinAlgError, ValueError
            Rounding errors have made the system indefinite or not finite.
        """
        point, pairs, path = self.point, self._pairs(), self.path
        products = [value * other for value, other in pairs]
        n_pairs = sum(map(len, products))
        mean = sum(map(np.sum, products)) / n_pairs
        spread = point.plus / self.above + point.minus / self.below
        weights = 1 / (point.slack / self.room + point.excess / point.alpha)
        residual = path.signed_scores(point.plus - point.minus) - 1 + point.slack - point.excess
        normal = weighted_gram(path.X, weights)
        normal.flat[:: len(spread) + 1] += 1 / spread
        factor = linalg.cho_factor(normal, overwrite_a=True)

        def direction(targets: list[Floats]) -> tuple[_Point, Floats]:
            """Return the step that changes the products by the targets, and that of q."""
            plus, minus, slack, excess = targets
            pull = path.signed_scores(plus / self.above - minus / self.below)
            h = weights * (excess / point.alpha - slack / self.room - pull - residual)
            t = linalg.cho_solve(factor, path.correlations(h))
            alpha = h - weights * path.signed_scores(t)
            q = t / spread
            step = _Point(
                alpha,
                (plus + point.plus * q) / self.above,
                (minus - point.minus * q) / self.below,
                (slack + point.slack * alpha) / self.room,
                (excess - point.excess * alpha) / point.alpha,
            )
            return step, q

        step, q = direction([-product for product in products])
        primal, dual = self._lengths(step, q)
        changes = list(zip(step[1:], (-q, q, -step.alpha, step.alpha), strict=True))
        after = sum(
            (value + primal * change) @ (other + dual * other_change)
            for (value, other), (change, other_change) in zip(pairs, changes, strict=True)
        )
        target = mean * (after / n_pairs / mean) ** 3
        step, q = direction(
            [
                target - product - change * other_change
                for product, (change, other_change) in zip(products, changes, strict=True)
            ]
        )
        exact_q = path.correlations(step.alpha)  # rounding errors of t would make it infeasible
        primal, dual = self._lengths(step, exact_q)
        return point.moved(step, _STEP_SHARE * primal, _STEP_SHARE * dual)

    def _pairs(self) -> list[tuple[Floats, Floats]]:
        """Return the complementary variables, primal and dual."""
        point = self.point
        others = (self.above, self.below, self.room, point.alpha)
        return list(zip(point[1:], others, strict=True))

    def _lengths(self, step: _Point, q: Floats) -> tuple[float, float]:
        """Return the longest primal and dual steps, up to 1, that keep all variables positive."""
        duals = ((self.above, -q), (self.below, q), (self.room, -step.alpha))
        primal = min(map(_length, self.point[1:], step[1:]))
        return primal, min(_length(self.point.alpha, step.alpha), *(_length(*it) for it in duals))


def _length(value: Floats, change: Floats) -> float:
    falling = change < 0
    return float(np.min(-value[falling] / change[falling], initial=1.0))
