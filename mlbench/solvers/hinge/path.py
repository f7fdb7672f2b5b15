"""The 1-norm SVM for every strength: a parametric simplex method along the path.

For one task the problem is the linear program

    min_w  ||w||_1 + c * sum_i max(0, 1 - y_i x_i . w),

whose solutions are constant in c but for finitely many jumps (Zhu, Rosset, Hastie & Tibshirani
2003, 1-norm support vector machines). Between two jumps the samples that lie on the margin are as
many as the features in use. Their multipliers change linearly with c, until one reaches 0 or c, or
another feature becomes worth its price; then w moves along an edge to the next vertex.

Ties would stop the method. So every margin and every price is raised by a tiny amount of its own.
"""

from __future__ import annotations

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.hinge.margin_basis import LEAST_PIVOT, exchange, invert
from mlbench.solvers.jit import compiled_sums

_REFRESH = 60
"""The inverse of the basis is computed anew after so many jumps, lest rounding adds up."""

_ROUNDING = 1e-9
"""A sum that is smaller, relative to what was added up, counts as 0."""

_ON_MARGIN, _ABOVE, _BELOW = 0, 1, 2


class HingePath:
    """The solutions of one task, from small strengths to large ones.

    Parameters
    ----------
    X : (n, d) array
    transposed : (d, n) array
        Its transpose, in C order as well.
    y : (n,) array of -1 and 1
    jitter : float
        The size of what breaks ties, relative to a margin and to a price of 1.

    Attributes
    ----------
    c : float
    has_failed : bool
        Whether rounding has ended the path.

    Notes
    -----
    Ties are broken by margins and prices that differ from 1 by the jitter. Which vertex is the
    solution is decided so; where that vertex lies, `solution` says for margins of 1, since the
    jitter would make small numbers of coefficients that are 0, and a ranking of ties.

    A jump costs O(q (n + d + q)) for q features in use. Memory beyond the data: O(q^2), q at most
    min(n, d).
    """

    def __init__(self, X: Floats, transposed: Floats, y: Floats, jitter: float) -> None:
        n, d = X.shape
        room = min(n, d) + 1
        random = np.random.RandomState(0)
        self._w = np.zeros(d)
        self.c = 0.0
        self.has_failed = False
        self._data = X, transposed, y
        self._margin = 1.0 + jitter * random.rand(n)
        self._cost = 1.0 + jitter * random.rand(d)
        self._sign = np.zeros(d)
        self._slack = self._margin.copy()
        self._side = np.full(n, _BELOW)
        self._samples = np.zeros(room, dtype=np.int64)
        self._features = np.zeros(room, dtype=np.int64)
        self._inverse = np.zeros((room, room))
        self._size = 0

    def advance(self, c: float, max_pivots: int) -> None:
        """Go on towards strength c, which is reached unless ``max_pivots`` end it, or rounding."""
        if self.c >= c or self.has_failed:
            return
        try:
            self.c, self._size, self.has_failed = _advance(
                *self._data,
                self._margin,
                self._cost,
                self._w,
                self._sign,
                self._slack,
                self._side,
                self._samples,
                self._features,
                self._inverse,
                self._size,
                self.c,
                c,
                max_pivots,
            )
        except np.linalg.LinAlgError:
            self.has_failed = True

    def solution(self) -> Floats:
        """Return the solution at ``c``: (d,)."""
        inverse = self._inverse[: self._size, : self._size]
        values = inverse.sum(axis=1)
        values[np.abs(values) <= _ROUNDING * np.abs(inverse).sum(axis=1)] = 0.0
        w = np.zeros_like(self._w)
        w[self._features[: self._size]] = values
        return w

    def multipliers(self) -> Floats:
        """Return the dual solution at ``c``: (n,), every one between 0 and c."""
        X, _, y = self._data
        alpha = np.where(self._side == _BELOW, self.c, 0.0)
        samples, features = self._samples[: self._size], self._features[: self._size]
        wanted = self._sign[features] * self._cost[features] - X[:, features].T @ (alpha * y)
        inner = self._inverse[: self._size, : self._size].T @ wanted
        alpha[samples] = np.clip(inner, 0.0, self.c)
        return alpha


@compiled_sums
def _advance(
    X: Floats,
    transposed: Floats,
    y: Floats,
    margin: Floats,
    cost: Floats,
    w: Floats,
    sign: Floats,
    slack: Floats,
    side: Ints,
    samples: Ints,
    features: Ints,
    inverse: Floats,
    size: int,
    c: float,
    end: float,
    max_pivots: int,
) -> tuple[float, int, bool]:
    """Pass the vertices between two strengths; return the last one's, its size, if it was lost."""
    n, d = X.shape
    violation_sum = np.empty(d)
    fixed = np.empty(d)
    rate = np.empty(d)
    direction = np.empty(d)
    change = np.empty(n)
    _violation_sum(X, y, side, violation_sum)
    for pivot in range(max_pivots + 1):
        if pivot % _REFRESH == _REFRESH - 1:
            if not invert(X, y, samples, features, inverse, size):
                return c, size, True
            _recompute_vertex(transposed, y, margin, w, slack, samples, features, inverse, size)
            _violation_sum(X, y, side, violation_sum)
        constant, slope = _multipliers_along(cost, sign, features, violation_sum, inverse, size)
        _correlations(X, y, samples, size, constant, slope, violation_sum, fixed, rate)
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
        _margins_along(transposed, y, features, size, direction, entering, entry, change)
        step, blocking, joining = _longest_step(
            w, sign, slack, side, features, size, direction, change, samples, leaving
        )
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
        size = exchange(
            X, y, samples, features, inverse, size, leaving, blocking, joining, entering
        )
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
def _correlations(
    X: Floats,
    y: Floats,
    samples: Ints,
    size: int,
    constant: Floats,
    slope: Floats,
    violation_sum: Floats,
    fixed: Floats,
    rate: Floats,
) -> None:
    """Write every feature's product with the multipliers as ``fixed + c * rate``."""
    fixed[:] = 0.0
    rate[:] = violation_sum
    for e in range(size):
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
    """Return the strength of the next jump, and which sample leaves the margin, or feature enters.

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
    w: Floats,
    sign: Floats,
    slack: Floats,
    side: Ints,
    features: Ints,
    size: int,
    direction: Floats,
    change: Floats,
    samples: Ints,
    leaving: int,
) -> tuple[float, int, int]:
    """Return how far w may go until a feature's place becomes 0, or a sample joins the margin."""
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
def _recompute_vertex(
    transposed: Floats,
    y: Floats,
    margin: Floats,
    w: Floats,
    slack: Floats,
    samples: Ints,
    features: Ints,
    inverse: Floats,
    size: int,
) -> None:
    """Compute the vertex and all distances to the margin anew, from the inverse of the basis."""
    slack[:] = 0.0
    for k in range(size):
        value = 0.0
        for e in range(size):
            value += inverse[k, e] * margin[samples[e]]
        w[features[k]] = value
        slack += value * transposed[features[k]]
    slack[:] = margin - y * slack
    for e in range(size):
        slack[samples[e]] = 0.0
