"""The regularization path of the 1-norm SVM, by a parametric simplex method.

For one task the problem is the linear program

    min_w  ||w||_1 + c * sum_i max(0, 1 - y_i x_i . w),

whose solutions are piecewise constant in c (Zhu, Rosset, Hastie & Tibshirani
2003, 1-norm support vector machines). Between two pivots the samples that lie on the margin are as
many as the features in use. Their multipliers change linearly with c, until one reaches 0 or c, or
another feature enters; then w moves along an edge to the next vertex.

Ties would make pivots degenerate, so every margin and every cost is perturbed slightly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.hinge.margin_basis import LEAST_PIVOT, Basis, exchange, invert
from mlbench.solvers.jit import compiled_sums

_REFRESH = 60
"""The inverse of the basis is recomputed after this number of pivots, to limit rounding errors."""

_ROUNDING = 1e-9
"""A sum smaller than this, relative to its terms, counts as 0."""

_ON_MARGIN, _ABOVE, _BELOW = 0, 1, 2


class _LinearProgram(NamedTuple):
    """The data of a task, with its perturbed margins and costs.

    Attributes
    ----------
    X : (n, d) array
    transposed : (d, n) array
    y : (n,) array of -1 and 1
    margin : (n,) array
    cost : (d,) array
    """

    X: Floats
    transposed: Floats
    y: Floats
    margin: Floats
    cost: Floats


class _Vertex(NamedTuple):
    """A vertex of the path.

    Attributes
    ----------
    w, sign : (d,) arrays
        The coefficients and their signs.
    slack : (n,) array
        By how much every sample is below its margin.
    side : (n,) int array
        On which side of the margin it is.
    """

    w: Floats
    sign: Floats
    slack: Floats
    side: Ints


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
        room = min(n, d) + 1
        random = np.random.RandomState(0)
        self.c = 0.0
        self.has_failed = False
        margin, cost = 1.0 + jitter * random.rand(n), 1.0 + jitter * random.rand(d)
        self._program = _LinearProgram(X, transposed, y, margin, cost)
        self._vertex = _Vertex(np.zeros(d), np.zeros(d), margin.copy(), np.full(n, _BELOW))
        self._basis = Basis(
            np.zeros(room, dtype=np.int64),
            np.zeros(room, dtype=np.int64),
            np.zeros((room, room)),
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
        alpha = np.where(self._vertex.side == _BELOW, self.c, 0.0)
        samples, features = self._basis.samples[: self._size], self._basis.features[: self._size]
        costs = self._vertex.sign[features] * self._program.cost[features]
        wanted = costs - X[:, features].T @ (alpha * y)
        inner = self._basis.inverse[: self._size, : self._size].T @ wanted
        alpha[samples] = np.clip(inner, 0.0, self.c)
        return alpha


@compiled_sums
def _advance(
    program: _LinearProgram,
    vertex: _Vertex,
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
    _violation_sum(X, y, side, violation_sum)
    for pivot in range(max_pivots + 1):
        if pivot % _REFRESH == _REFRESH - 1:
            if not invert(X, y, basis, size):
                return c, size, True
            _recompute_vertex(program, vertex, basis, size)
            _violation_sum(X, y, side, violation_sum)
        constant, slope = _multipliers_along(cost, sign, features, violation_sum, inverse, size)
        fixed[:] = 0.0
        rate[:] = violation_sum
        _add_correlations(X, y, samples[:size], constant, slope, fixed, rate)
        at, leaving, entering, goes_below = _next_event(
            cost, sign, constant, slope, size, fixed, rate, c
        )
        if at >= end:
            return end, size, False
        if pivot == max_pivots:
            break
        c = max(c, at)
        entry = 0.0
        if leaving >= 0:
            towards = -1.0 if goes_below else 1.0
            for k in range(size):
                direction[k] = towards * inverse[k, leaving]
        else:
            entry = 1.0 if fixed[entering] + c * rate[entering] > 0 else -1.0
            column = np.empty(size)
            for e in range(size):
                column[e] = y[samples[e]] * X[samples[e], entering]
            for k in range(size):
                direction[k] = -entry * np.sum(inverse[k, :size] * column)
        _margins_along(program.transposed, y, features, size, direction, entering, entry, change)
        step, blocking, joining = _longest_step(vertex, features, size, direction, change)
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
            side[left] = _BELOW if goes_below else _ABOVE
            if goes_below:
                violation_sum += y[left] * X[left]
        if joining >= 0:
            if side[joining] == _BELOW:
                violation_sum -= y[joining] * X[joining]
            side[joining] = _ON_MARGIN
            slack[joining] = 0.0
        if blocking >= 0:
            w[features[blocking]] = 0.0
            sign[features[blocking]] = 0.0
        size = exchange(X, y, basis, size, leaving, blocking, joining, entering)
        if size < 0:
            return c, 0, True
    return c, size, False


@compiled_sums
def _violation_sum(X: Floats, y: Floats, side: Ints, violation_sum: Floats) -> None:
    """Write the sum of y_i x_i over the samples below the margin."""
    violation_sum[:] = 0.0
    for i in range(len(y)):
        if side[i] == _BELOW:
            violation_sum += y[i] * X[i]


@compiled_sums
def _multipliers_along(
    cost: Floats, sign: Floats, features: Ints, violation_sum: Floats, inverse: Floats, size: int
) -> tuple[Floats, Floats]:
    """Return the multipliers on the margin as ``constant + c * slope``."""
    constant = np.zeros(size)
    slope = np.zeros(size)
    for k in range(size):
        j = features[k]
        row = inverse[k, :size]
        constant += sign[j] * cost[j] * row
        slope -= violation_sum[j] * row
    return constant, slope


@compiled_sums
def _add_correlations(
    X: Floats,
    y: Floats,
    samples: Ints,
    constant: Floats,
    slope: Floats,
    fixed: Floats,
    rate: Floats,
) -> None:
    """Add every feature's product with the multipliers to ``fixed + c * rate``."""
    for e in range(len(samples)):
        row = X[samples[e]]
        a = constant[e] * y[samples[e]]
        b = slope[e] * y[samples[e]]
        for j in range(len(row)):
            fixed[j] += a * row[j]
            rate[j] += b * row[j]


@compiled_sums
def _next_event(
    cost: Floats,
    sign: Floats,
    constant: Floats,
    slope: Floats,
    size: int,
    fixed: Floats,
    rate: Floats,
    c: float,
) -> tuple[float, int, int, bool]:
    """Return c at the next pivot, and the sample that leaves the margin or the feature that enters.

    The last value tells whether that sample goes below the margin.
    """
    at = np.inf
    leaving = -1
    entering = -1
    goes_below = False
    for e in range(size):
        if slope[e] < 0:
            value = -constant[e] / slope[e]
            if value < at:
                at, leaving, goes_below = value, e, False
        elif slope[e] > 1:
            value = constant[e] / (1 - slope[e])
            if value < at:
                at, leaving, goes_below = value, e, True
    for j in range(len(rate)):
        if sign[j] == 0 and rate[j] != 0:
            value = ((cost[j] if rate[j] > 0 else -cost[j]) - fixed[j]) / rate[j]
            if value < at:
                at, entering = value, j
    if entering >= 0:
        leaving = -1
    return at, leaving, entering, goes_below


@compiled_sums
def _margins_along(
    transposed: Floats,
    y: Floats,
    features: Ints,
    size: int,
    direction: Floats,
    entering: int,
    entry: float,
    change: Floats,
) -> None:
    """Write by how much every margin y x . w grows per unit of the direction."""
    change[:] = 0.0
    for k in range(size):
        amount = direction[k]
        row = transposed[features[k]]
        for i in range(len(row)):
            change[i] += amount * row[i]
    if entering >= 0:
        row = transposed[entering]
        for i in range(len(row)):
            change[i] += entry * row[i]
    for i in range(len(y)):
        change[i] *= y[i]


@compiled_sums
def _longest_step(
    vertex: _Vertex, features: Ints, size: int, direction: Floats, change: Floats
) -> tuple[float, int, int]:
    """Return the step to the first zero coefficient or the first sample that reaches the margin."""
    w, sign, slack, side = vertex.w, vertex.sign, vertex.slack, vertex.side
    step = np.inf
    blocking = -1
    joining = -1
    for k in range(size):
        j = features[k]
        if sign[j] * direction[k] < 0:
            value = max(-w[j] / direction[k], 0.0)
            if value < step:
                step, blocking = value, k
    least = LEAST_PIVOT * np.abs(change).max()
    for i in range(len(slack)):
        closes = (side[i] == _BELOW and change[i] > least) or (
            side[i] == _ABOVE and change[i] < -least
        )
        if closes:
            value = max(slack[i] / change[i], 0.0)
            if value < step:
                step, joining = value, i
    if joining >= 0:
        blocking = -1
    return step, blocking, joining


@compiled_sums
def _recompute_vertex(program: _LinearProgram, vertex: _Vertex, basis: Basis, size: int) -> None:
    """Recompute the vertex and all slacks from the inverse of the basis."""
    samples, features, inverse = basis.samples, basis.features, basis.inverse
    w, slack, margin = vertex.w, vertex.slack, program.margin
    slack[:] = 0.0
    for k in range(size):
        value = 0.0
        for e in range(size):
            value += inverse[k, e] * margin[samples[e]]
        w[features[k]] = value
        slack += value * program.transposed[features[k]]
    slack[:] = margin - program.y * slack
    for e in range(size):
        slack[samples[e]] = 0.0
