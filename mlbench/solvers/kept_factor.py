"""Quadratic programs over the unit simplex that change step by step, with a factor that is kept.

The program is ``min 1/2 b'Qb - h'b`` over b >= 0 with sum 1. The upper triangle R, row by row,
factors Q on the support of b plus two terms: a constant, ``level``, which changes nothing where
the sum is fixed and makes a zero row of Q no exception, and a little more on the diagonal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.compiled import compiled_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RIDGE = 1e-10
"""What is added to the diagonal, relative to the level."""

_MAX_CHANGES = 1000
_MAX_REPEATS = 10
_CANDIDATES = 8
"""Coordinates of the least gradients that are looked at again before all are."""


@compiled_sums
def _subtract(x: Floats, amount: float, y: Floats) -> None:
    for a in range(len(x)):
        x[a] -= amount * y[a]


@compiled_sums
def active_set(
    Q: Floats,
    h: Floats,
    weight: Floats,
    R: Floats,
    support: Ints,
    size: int,
    level: float,
    tol: float,
) -> tuple[float, int]:
    """Minimise from ``weight``, in place.

    Parameters
    ----------
    Q : (m, m) array, positive semidefinite
    h : (m,) array
    weight : (m or more,) array
        In the simplex.
    R, support, size
        The factor, and which coordinates it is of, in its order; both are brought up to date.
    level : float
    tol : float
        The gap to reach.

    Returns
    -------
    gap : float
        ``b'g - min g`` for the gradient g at b: the objective is at most this much above its
        minimum.
    size : int
        Of the support.

    Notes
    -----
    The right sides h and 1 are kept half solved. The weights at the beginning, times the ridge,
    are added to h: a proximal term, which changes the way, not the end.
    """
    m = len(h)
    aim = np.empty(m)
    by_h = np.empty(m)
    by_one = np.empty(m)
    gradient = np.empty(m)
    candidates = np.empty(_CANDIDATES, dtype=np.int64)
    n_candidates = 0
    anchor = RIDGE * level * weight[:m]
    base = h[support[0]]
    _half_solve(R, support, size, h, base, anchor, by_h, by_one)
    gap = np.inf
    repeats = 0
    for _ in range(_MAX_CHANGES):
        _aim_at(R, size, by_h, by_one, aim)
        leaving = _move(weight, support, size, aim)
        if leaving >= 0:
            weight[support[leaving]] = 0.0
            size = _leave(R, support, size, leaving, by_h, by_one)
            continue
        entering, n_candidates = _choose(Q, h, weight, support, size, candidates, n_candidates, tol)
        if entering < 0:
            gap, n_candidates = _price(Q, h, weight, support, size, gradient, candidates)
            if not gap > tol:
                break
            n_candidates -= 1
            entering = candidates[n_candidates]
        if weight[entering] > 0:
            repeats += 1
            if repeats > _MAX_REPEATS:
                break
            anchor[:] = RIDGE * level * weight[:m]
            _half_solve(R, support, size, h, base, anchor, by_h, by_one)
            n_candidates = 0
            continue
        size = enter(Q, R, support, size, entering, level)
        last = size - 1
        x = h[entering] - base + anchor[entering]
        y = 1.0
        for a in range(last):
            x -= R[a, last] * by_h[a]
            y -= R[a, last] * by_one[a]
        by_h[last] = x / R[last, last]
        by_one[last] = y / R[last, last]
    return gap, size


@compiled_sums
def refactor(Q: Floats, R: Floats, support: Ints, size: int, level: float) -> None:
    """Compute a factor anew."""
    for a in range(size):
        enter(Q, R, support, a, support[a], level)


@compiled_sums
def enter(Q: Floats, R: Floats, support: Ints, size: int, j: int, level: float) -> int:
    """Append a column for coordinate j to the factor; return its new size."""
    column = np.empty(size)
    for a in range(size):
        column[a] = Q[j, support[a]] + level
    rest = Q[j, j] + (1.0 + RIDGE) * level
    for a in range(size):
        x = column[a] / R[a, a]
        R[a, size] = x
        rest -= x * x
        _subtract(column[a + 1 : size], x, R[a, a + 1 : size])
    R[size, size] = np.sqrt(max(rest, RIDGE * level))
    support[size] = j
    return size + 1


@compiled_sums
def _leave(R: Floats, support: Ints, size: int, place: int, by_h: Floats, by_one: Floats) -> int:
    """Take a column out of the factor; rotate it, and what it has half solved, to a triangle."""
    for a in range(place):
        row = R[a, place:size]
        for b in range(len(row) - 1):
            row[b] = row[b + 1]
    for a in range(place, size - 1):
        support[a] = support[a + 1]
        row = R[a, a:size]
        below = R[a + 1, a:size]
        length = np.sqrt(row[1] ** 2 + below[1] ** 2)
        cosine = row[1] / length
        sine = below[1] / length
        for b in range(len(row) - 1):
            x = row[b + 1]
            y = below[b + 1]
            row[b] = cosine * x + sine * y
            below[b + 1] = cosine * y - sine * x
        for half in (by_h, by_one):
            x = half[a]
            y = half[a + 1]
            half[a] = cosine * x + sine * y
            half[a + 1] = cosine * y - sine * x
    return size - 1


@compiled_sums
def _half_solve(
    R: Floats,
    support: Ints,
    size: int,
    h: Floats,
    base: float,
    anchor: Floats,
    by_h: Floats,
    by_one: Floats,
) -> None:
    """Solve R'x = h, less a constant and plus the anchor, and R'x = 1."""
    for a in range(size):
        by_h[a] = h[support[a]] - base + anchor[support[a]]
        by_one[a] = 1.0
    for a in range(size):
        x = by_h[a] / R[a, a]
        y = by_one[a] / R[a, a]
        by_h[a] = x
        by_one[a] = y
        _subtract(by_h[a + 1 : size], x, R[a, a + 1 : size])
        _subtract(by_one[a + 1 : size], y, R[a, a + 1 : size])


@compiled_sums
def _aim_at(R: Floats, size: int, by_h: Floats, by_one: Floats, aim: Floats) -> None:
    """Write the x of sum 1 for which Rx is ``by_h`` plus a multiple of ``by_one``."""
    product = 0.0
    square = 0.0
    for a in range(size):
        product += by_h[a] * by_one[a]
        square += by_one[a] ** 2
    share = (1.0 - product) / square
    for a in range(size - 1, -1, -1):
        x = by_h[a] + share * by_one[a]
        row = R[a, a + 1 : size]
        later = aim[a + 1 : size]
        for b in range(len(row)):
            x -= row[b] * later[b]
        aim[a] = x / R[a, a]


@compiled_sums
def _move(weight: Floats, support: Ints, size: int, aim: Floats) -> int:
    """Move towards the aim as far as all stays positive; return which place is then 0, or -1."""
    step = 1.0
    leaving = -1
    for a in range(size):
        now = weight[support[a]]
        if aim[a] <= 0:
            ratio = now / (now - aim[a]) if now > aim[a] else 0.0
            if ratio <= step:
                step = ratio
                leaving = a
    for a in range(size):
        now = weight[support[a]]
        weight[support[a]] = now + step * (aim[a] - now)
    return leaving


@compiled_sums
def _choose(
    Q: Floats,
    h: Floats,
    weight: Floats,
    support: Ints,
    size: int,
    candidates: Ints,
    n_candidates: int,
    tol: float,
) -> tuple[int, int]:
    """Take out the candidate of least gradient, if it is far enough below the support's."""
    if n_candidates == 0:
        return -1, 0
    least = -h[support[0]] - tol
    for a in range(size):
        least += Q[support[0], support[a]] * weight[support[a]]
    best = -1
    for place in range(n_candidates):
        j = candidates[place]
        slope = -h[j]
        for a in range(size):
            slope += Q[j, support[a]] * weight[support[a]]
        if slope < least and weight[j] == 0:
            least = slope
            best = place
    if best < 0:
        return -1, 0
    j = candidates[best]
    candidates[best] = candidates[n_candidates - 1]
    return j, n_candidates - 1


@compiled_sums
def _price(
    Q: Floats,
    h: Floats,
    weight: Floats,
    support: Ints,
    size: int,
    gradient: Floats,
    candidates: Ints,
) -> tuple[float, int]:
    """Return the gap, and how many candidates were written: low gradients, the least last."""
    m = len(h)
    for j in range(m):
        gradient[j] = -h[j]
    for a in range(size):
        amount = weight[support[a]]
        row = support[a]
        for j in range(m):
            gradient[j] += amount * Q[row, j]
    mean = 0.0
    for a in range(size):
        mean += weight[support[a]] * gradient[support[a]]
    best = np.argmin(gradient)
    found = 0
    for j in range(m):
        far_below = gradient[j] < (mean + gradient[best]) / 2
        if far_below and j != best and found < len(candidates) - 1:
            candidates[found] = j
            found += 1
    candidates[found] = best
    return mean - gradient[best], found + 1
