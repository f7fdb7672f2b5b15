"""The hinge loss with the 1-norm, by an interior-point method: a path from small c to large c.

For one task the problem is the linear program

    min_w  ||w||_1 + c * sum_i max(0, 1 - y_i x_i . w)

with the dual

    max_alpha  sum_i alpha_i   where 0 <= alpha_i <= c and |sum_i alpha_i y_i x_i| <= 1.

A point that is strictly feasible at c remains so at a larger c. So the path keeps a point that is
not too close to the boundary, and the search for a c that is not much larger starts there.
"""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import NamedTuple, Self

import numpy as np
from scipy import linalg, sparse

from mlbench.solvers.arrays import Floats, Matrix
from mlbench.solvers.design import weighted_gram

_INTERIOR_GAP = 0.1
"""The next search starts from the last point whose relative gap is above this."""

_MAX_STRIDE = 10.0
"""How much larger the next c may be for a search to start from the last point."""

_STEP_SHARE = 0.995
"""The share of the longest step that keeps all variables positive."""

_PATIENCE = 15
"""After more steps than this without a smaller gap, rounding errors prevent progress."""

_MUCH_BETTER = 0.1
"""Small coefficients are kept only if the gap is smaller by this factor with them."""


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
    limit : str or None
        What ended the last search before it reached the gap: ``max_iter``, ``max_seconds``, or
        ``rounding``. The solution is the best that it found.

    Notes
    -----
    A step costs a weighted Gram matrix, O(n d^2) for dense rows and the squared numbers of nonzeros
    for sparse ones, and its factorization, O(d^3); 10 to 20 lead to a gap of 1e-3. Memory beyond
    the data: O(d^2 + n), and a copy of dense data.

    References
    ----------
    Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM Journal on
    Optimization 2.
    """

    def __init__(self, X: Matrix, transposed: Matrix, y: Floats) -> None:
        self.X, self.transposed, self.y = X, transposed, y
        self.limit: str | None = None
        self.reach = _largest_of_rows(transposed)
        self._pull = float(np.abs(transposed @ y).max(initial=0.0))
        self._w = np.zeros(X.shape[1])
        self._alpha = np.zeros(X.shape[0])
        self._interior: _Point | None = None
        self._c = 0.0

    def solution(self) -> Floats:
        """Return the w of the last search: (d,)."""
        return self._w

    def multipliers(self) -> Floats:
        """Return the alpha of the last search: (n,)."""
        return self._alpha

    def solve(self, c: float, tol: float, max_steps: int, deadline: float = inf) -> int:
        """Find the solution at c, starting from the last one.

        Parameters
        ----------
        c : float
            At least that of the last search.
        tol
            The relative gap, (objective - bound) / objective, to reach.
        max_steps : int
        deadline : float
            When to end, by the monotonic clock.

        Returns
        -------
        int
            The number of steps.
        """
        self.limit = None
        if c * self._pull <= 1:
            self._w, self._alpha = np.zeros_like(self._w), np.full_like(self._alpha, c)
            return 0
        near = self._interior if c <= _MAX_STRIDE * self._c else None
        point = interior = near or self._first_point(c)
        least = self.gap(self._w, self._alpha, c)
        n_steps, n_vain, least_here = 0, 0, inf
        while not least <= tol:
            system = _NewtonSystem.at(point, c, self)
            w, gap = system.solution(c)
            if gap > _INTERIOR_GAP:
                interior = point
            n_vain = 0 if gap < least_here else n_vain + 1
            least_here = min(gap, least_here)
            if gap < least:
                least, self._w, self._alpha = gap, w, point.alpha
            if least <= tol:
                break
            if n_vain > _PATIENCE:
                self.limit = "rounding"
            elif n_steps >= max_steps:
                self.limit = "max_iter"
            elif monotonic() >= deadline:
                self.limit = "max_seconds"
            if self.limit:
                break
            try:
                with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                    point = system.next_point()
            except (linalg.LinAlgError, ValueError):  # not positive, or not finite
                self.limit = "rounding"
                break
            n_steps += 1
        self._c = c
        self._interior = None if self.limit == "rounding" else interior
        return n_steps

    def gap(self, w: Floats, alpha: Floats, c: float) -> float:
        """Return the relative gap of w, which alpha proves."""
        losses = np.maximum(0.0, 1 - self.signed_scores(w))
        objective = float(np.abs(w).sum() + c * losses.sum())
        return (objective - float(alpha.sum())) / objective if objective > 0 else 0.0

    def _first_point(self, c: float) -> _Point:
        n, d = self.X.shape
        alpha = np.full(n, 0.5 * min(c, 1 / self._pull))
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
    headroom: Floats
    """``c - alpha``: complementary to the slack."""

    @classmethod
    def at(cls, point: _Point, c: float, path: HingeInteriorPath) -> Self:
        q = path.correlations(point.alpha)
        return cls(point, path, 1 - q, 1 + q, c - point.alpha)

    def solution(self, c: float) -> tuple[Floats, float]:
        """Return the coefficients and their gap; those that tend to 0 are 0."""
        point, path = self.point, self.path
        whole = point.plus - point.minus
        in_use = (point.plus * path.reach > self.above) | (point.minus * path.reach > self.below)
        w = np.where(in_use, whole, 0.0)
        gap, gap_of_whole = path.gap(w, point.alpha, c), path.gap(whole, point.alpha, c)
        return (whole, gap_of_whole) if gap_of_whole < _MUCH_BETTER * gap else (w, gap)

    def next_point(self) -> _Point:
        """Return the point after a predictor and a corrector step, each refined once.

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
        weights = 1 / (point.slack / self.headroom + point.excess / point.alpha)
        residual = path.signed_scores(point.plus - point.minus) - 1 + point.slack - point.excess
        normal = weighted_gram(path.X, weights)
        normal.flat[:: len(spread) + 1] += 1 / spread
        factor = linalg.cho_factor(normal, overwrite_a=True)

        def direction(targets: list[Floats]) -> tuple[_Point, Floats]:
            """Return the step that changes the products by the targets, and that of q."""
            plus, minus, slack, excess = targets
            # All but t = (spread) q and alpha are eliminated. What is left is
            # (diag(1 / spread) + X' diag(weights) X) t = X'(y h), alpha = h - weights y (X t).
            pull = path.signed_scores(plus / self.above - minus / self.below)
            h = weights * (excess / point.alpha - slack / self.headroom - pull - residual)
            t = linalg.cho_solve(factor, path.correlations(h))
            alpha = h - weights * path.signed_scores(t)
            # one step of iterative refinement of q = X'(y alpha) = t / spread
            change = linalg.cho_solve(factor, path.correlations(alpha) - t / spread)
            t, alpha = t + change, alpha - weights * path.signed_scores(change)
            q = t / spread
            step = _Point(
                alpha,
                (plus + point.plus * q) / self.above,
                (minus - point.minus * q) / self.below,
                (slack + point.slack * alpha) / self.headroom,
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
        # Mehrotra: the more the predictor alone reduces the products, the lower the target.
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
        others = (self.above, self.below, self.headroom, point.alpha)
        return list(zip(point[1:], others, strict=True))

    def _lengths(self, step: _Point, q: Floats) -> tuple[float, float]:
        """Return the longest primal and dual steps, up to 1, that keep all variables positive."""
        duals = ((self.above, -q), (self.below, q), (self.headroom, -step.alpha))
        primal = min(map(_length, self.point[1:], step[1:]))
        return primal, min(_length(self.point.alpha, step.alpha), *(_length(*it) for it in duals))


def _largest_of_rows(matrix: Matrix) -> Floats:
    largest = abs(matrix).max(axis=1)
    return np.asarray(largest.todense() if sparse.issparse(largest) else largest).ravel()


def _length(value: Floats, change: Floats) -> float:
    falling = change < 0
    return float(np.min(-value[falling] / change[falling], initial=1.0))
