"""The regularization path of the 1-norm SVM, by a parametric simplex method.

For one task the problem is the linear program

    min_w  ||w||_1 + c * sum_i max(0, 1 - y_i x_i . w),

whose solutions are piecewise constant in c (Zhu, Rosset, Hastie & Tibshirani
2003, 1-norm support vector machines). Between two pivots the samples that lie on the margin are as
many as the features in use. Their multipliers change linearly with c, until one reaches 0 or c, or
another feature enters; then w moves along an edge to the next vertex.

Ties would make pivots degenerate, so every margin and every cost is perturbed slightly.
"""

import numpy as np

from mlbench.solvers.arrays import Floats
from mlbench.solvers.hinge.margin_basis import Basis, exchange, invert
from mlbench.solvers.hinge.pivot import (
    ABOVE,
    BELOW,
    ON_MARGIN,
    LinearProgram,
    Vertex,
    add_correlations,
    longest_step,
    margins_along,
    multipliers_along,
    next_event,
    recompute_vertex,
    write_violation_sum,
)
from mlbench.solvers.jit import compiled_sums

_REFRESH = 60
"""The inverse of the basis is recomputed after this number of pivots, to limit rounding errors."""

_ROUNDING = 1e-9
"""A sum smaller than this, relative to its terms, counts as 0."""


class HingePath:
    """The solutions of one task, from small c to large c.

    Parameters
    ----------
    X : (n, d) array
    transposed : (d, n) array
        Its transpose, in C order as well.
    y : (n,) array of -1 and 1
    jitter : float
        The size of the perturbation, relative to margins and costs of 1.

    Attributes
    ----------
    c : float
    has_failed : bool
        Whether rounding errors ended the path.

    Notes
    -----
    The perturbed margins and costs decide which vertex is the solution. `solution` computes that
    vertex for margins of 1, since the perturbation would turn zero coefficients into small numbers
    and ties into a ranking.

    A pivot costs O(q (n + d + q)) for q features in use. Memory beyond the data: O(q^2), q at most
    min(n, d).
    """

    def __init__(self, X: Floats, transposed: Floats, y: Floats, jitter: float) -> None:
        n, d = X.shape
        capacity = min(n, d) + 1
        random = np.random.RandomState(0)
        self.c = 0.0
        self.has_failed = False
        margin, cost = 1.0 + jitter * random.rand(n), 1.0 + jitter * random.rand(d)
        self._program = LinearProgram(X, transposed, y, margin, cost)
        self._vertex = Vertex(np.zeros(d), np.zeros(d), margin.copy(), np.full(n, BELOW))
        self._basis = Basis(
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros((capacity, capacity)),
        )
        self._size = 0

    def advance(self, c: float, max_pivots: int) -> None:
        """Follow the path to c, unless ``max_pivots`` or rounding errors end it earlier."""
        if self.c >= c or self.has_failed:
            return
        try:
            self.c, self._size, self.has_failed = _advance(
                self._program, self._vertex, self._basis, self._size, self.c, c, max_pivots
            )
        except np.linalg.LinAlgError:
            self.has_failed = True

    def solution(self) -> Floats:
        """Return the solution at ``c``: (d,)."""
        inverse = self._basis.inverse[: self._size, : self._size]
        values = inverse.sum(axis=1)
        values[np.abs(values) <= _ROUNDING * np.abs(inverse).sum(axis=1)] = 0.0
        w = np.zeros_like(self._vertex.w)
        w[self._basis.features[: self._size]] = values
        return w

    def multipliers(self) -> Floats:
        """Return the dual solution at ``c``: (n,), every one between 0 and c."""
        X, y = self._program.X, self._program.y
        alpha = np.where(self._vertex.side == BELOW, self.c, 0.0)
        samples, features = self._basis.samples[: self._size], self._basis.features[: self._size]
        costs = self._vertex.sign[features] * self._program.cost[features]
        wanted = costs - X[:, features].T @ (alpha * y)
        inner = self._basis.inverse[: self._size, : self._size].T @ wanted
        alpha[samples] = np.clip(inner, 0.0, self.c)
        return alpha


@compiled_sums
def _advance(
    program: LinearProgram,
    vertex: Vertex,
    basis: Basis,
    size: int,
    c: float,
    end: float,
    max_pivots: int,
) -> tuple[float, int, bool]:
    """Follow the path from c to end; return the last c, the basis size, and whether it failed."""
    X, y, cost = program.X, program.y, program.cost
    w, sign, slack, side = vertex.w, vertex.sign, vertex.slack, vertex.side
    samples, features, inverse = basis.samples, basis.features, basis.inverse
    n, d = X.shape
    violation_sum = np.empty(d)
    fixed = np.empty(d)
    rate = np.empty(d)
    direction = np.empty(d)
    change = np.empty(n)
    write_violation_sum(X, y, side, violation_sum)
    for pivot in range(max_pivots + 1):
        if pivot % _REFRESH == _REFRESH - 1:
            if not invert(X, y, basis, size):
                return c, size, True
            recompute_vertex(program, vertex, basis, size)
            write_violation_sum(X, y, side, violation_sum)
        constant, slope = multipliers_along(cost, sign, features, violation_sum, inverse, size)
        # The correlation of every feature is fixed + c rate: samples below the margin have the
        # multiplier c, and those on it constant + c slope.
        fixed[:] = 0.0
        rate[:] = violation_sum
        add_correlations(X, y, samples[:size], constant, slope, fixed, rate)
        at, leaving, entering, goes_below = next_event(
            cost, sign, constant, slope, size, fixed, rate
        )
        if at >= end:
            return end, size, False
        if pivot == max_pivots:
            break
        c = max(c, at)
        entry = 0.0
        if leaving >= 0:
            # B w = margin, for the rows y x of the samples on the margin. The margin of the leaving
            # one changes alone: w moves along its column of the inverse.
            towards = -1.0 if goes_below else 1.0
            for k in range(size):
                direction[k] = towards * inverse[k, leaving]
        else:
            entry = 1.0 if fixed[entering] + c * rate[entering] > 0 else -1.0
            # All margins stay: B direction = -entry * (the column of the entering feature).
            column = np.empty(size)
            for e in range(size):
                column[e] = y[samples[e]] * X[samples[e], entering]
            for k in range(size):
                direction[k] = -entry * np.sum(inverse[k, :size] * column)
        margins_along(program.transposed, y, features, size, direction, entering, entry, change)
        step, blocking, joining = longest_step(vertex, features, size, direction, change)
        if not step < np.inf:
            return c, size, True
        for k in range(size):
            w[features[k]] += step * direction[k]
        if entering >= 0:
            w[entering] = step * entry
            sign[entering] = entry
        for i in range(n):
            slack[i] -= step * change[i]
        for e in range(size):
            if e != leaving:
                slack[samples[e]] = 0.0
        if leaving >= 0:
            left = samples[leaving]
            side[left] = BELOW if goes_below else ABOVE
            if goes_below:
                violation_sum += y[left] * X[left]
        if joining >= 0:
            if side[joining] == BELOW:
                violation_sum -= y[joining] * X[joining]
            side[joining] = ON_MARGIN
            slack[joining] = 0.0
        if blocking >= 0:
            w[features[blocking]] = 0.0
            sign[features[blocking]] = 0.0
        size = exchange(X, y, basis, size, leaving, blocking, joining, entering)
        if size < 0:
            return c, 0, True
    return c, size, False
