"""What one pivot of the path of a 1-norm SVM computes: the next event, and the step to it."""

from typing import NamedTuple

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.hinge.margin_basis import MIN_PIVOT, Basis
from mlbench.solvers.jit import compiled_sums

ON_MARGIN, ABOVE, BELOW = 0, 1, 2
"""On which side of the margin a sample is."""


class LinearProgram(NamedTuple):
    """The data of a task, (n, d), with its perturbed margins (n,) and costs (d,)."""

    X: Floats
    transposed: Floats
    y: Floats
    margin: Floats
    cost: Floats


class Vertex(NamedTuple):
    """Coefficients and their signs, (d,); how far each sample is below its margin, and its side."""

    w: Floats
    sign: Floats
    slack: Floats
    side: Ints


@compiled_sums
def write_violation_sum(X: Floats, y: Floats, side: Ints, violation_sum: Floats) -> None:
    """Write the sum of y_i x_i over the samples below the margin."""
    violation_sum[:] = 0.0
    for i in range(len(y)):
        if side[i] == BELOW:
            violation_sum += y[i] * X[i]


@compiled_sums
def multipliers_along(
    cost: Floats, sign: Floats, features: Ints, violation_sum: Floats, inverse: Floats, size: int
) -> tuple[Floats, Floats]:
    """Return the multipliers on the margin as ``constant + c * slope``.

    With A the rows ``y_i x_i`` of the basis, in its features, they solve
    ``A' alpha = sign * cost - c * violation_sum``: every feature of the basis has the correlation
    ``sign * cost``, to which samples below the margin contribute with the multiplier c.
    """
    constant = np.zeros(size)
    slope = np.zeros(size)
    for k in range(size):
        j = features[k]
        row = inverse[k, :size]
        constant += sign[j] * cost[j] * row
        slope -= violation_sum[j] * row
    return constant, slope


@compiled_sums
def add_correlations(
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
def next_event(
    cost: Floats,
    sign: Floats,
    constant: Floats,
    slope: Floats,
    size: int,
    fixed: Floats,
    rate: Floats,
) -> tuple[float, int, int, bool]:
    """Return c at the next pivot, and the sample that leaves the margin or the feature that enters.

    The last value is whether that sample goes below the margin.
    """
    at = np.inf
    leaving = -1
    entering = -1
    goes_below = False
    # Of alpha_e = constant + c slope, one that falls leaves where it is 0, and one that grows
    # faster than c where it is c.
    for e in range(size):
        if slope[e] < 0:
            value = -constant[e] / slope[e]
            if value < at:
                at, leaving, goes_below = value, e, False
        elif slope[e] > 1:
            value = constant[e] / (1 - slope[e])
            if value < at:
                at, leaving, goes_below = value, e, True
    # A feature enters where its correlation fixed + c rate reaches its cost in absolute value.
    for j in range(len(rate)):
        if sign[j] == 0 and rate[j] != 0:
            value = ((cost[j] if rate[j] > 0 else -cost[j]) - fixed[j]) / rate[j]
            if value < at:
                at, entering = value, j
    if entering >= 0:
        leaving = -1
    return at, leaving, entering, goes_below


@compiled_sums
def margins_along(
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
def longest_step(
    vertex: Vertex, features: Ints, size: int, direction: Floats, change: Floats
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
    least = MIN_PIVOT * np.abs(change).max()  # what changes by less is rounding
    for i in range(len(slack)):
        closes = (side[i] == BELOW and change[i] > least) or (
            side[i] == ABOVE and change[i] < -least
        )
        if closes:
            value = max(slack[i] / change[i], 0.0)
            if value < step:
                step, joining = value, i
    if joining >= 0:
        blocking = -1
    return step, blocking, joining


@compiled_sums
def recompute_vertex(program: LinearProgram, vertex: Vertex, basis: Basis, size: int) -> None:
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
