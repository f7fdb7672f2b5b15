"""A quadratic program over the unit simplex, by an active-set method that updates its factor.

A sequence of programs, each with a changed right-hand side or one more variable, is warm-started
from the last support and its Cholesky factor.
"""

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled, compiled_sums

RIDGE = 1e-10
"""Added to the diagonal of a factor, relative to the squared norm of the longest cut."""

_MAX_CHANGES = 1000
_MAX_REPEATS = 10


@compiled_sums
def active_set(
    Q: Floats,
    h: Floats,
    weight: Floats,
    L: Floats,
    support: Ints,
    size: int,
    level: float,
    tol: float,
) -> tuple[float, int]:
    """Minimize ``1/2 b'Qb - h'b`` over b >= 0 with sum 1, in place, starting from b.

    Parameters
    ----------
    Q : (capacity, capacity) array, positive semidefinite
        Only the first m rows and columns count.
    h : (m,) array
    weight : (capacity,) array
        b, then zeros.
    L : (capacity, capacity) array
        The Cholesky factor of Q on the support, in the order of the support, plus ``level``
        everywhere, which changes nothing where the sum is fixed and makes a variable with zeros
        in Q no exception, and `RIDGE` times ``level`` on the diagonal.
    support : (capacity,) int array
        Which b are not 0, in its first ``size`` places.
    level : float
        The largest diagonal element of Q.
    tol : float
        The gap to reach.

    Returns
    -------
    gap : float
        ``b'g - min g`` for the gradient g at b: the objective is at most this much above its
        minimum. It is above ``tol`` if rounding prevents further progress.
    size : int

    Notes
    -----
    The forward substitutions for the right-hand sides h and 1 are repeated only from the last
    changed row on. The initial weights, times the ridge, are added to h: a proximal term, which
    changes the iterates but not the solution.
    """
    m = len(h)
    target = np.empty(m)
    forward = np.empty(m)
    by_one = np.empty(m)
    gradient = np.empty(m)
    anchor = weight[:m].copy()
    base = h[support[0]]
    first = 0
    gap = np.inf
    repeats = 0
    for _ in range(_MAX_CHANGES):
        # On the support, b solves L L' b = h + mu 1 with 1'b = 1: L forward = h, L by_one = 1.
        for a in range(first, size):
            x = h[support[a]] - base + RIDGE * level * anchor[support[a]]
            y = 1.0
            for b in range(a):
                x -= L[a, b] * forward[b]
                y -= L[a, b] * by_one[b]
            forward[a] = x / L[a, a]
            by_one[a] = y / L[a, a]
        _solve_on_support(L, size, forward, by_one, target)
        # Go toward the target until the first weight reaches 0; that variable leaves.
        step = 1.0
        leaving = -1
        for a in range(size):
            now = weight[support[a]]
            if target[a] <= 0:
                ratio = now / (now - target[a]) if now > target[a] else 0.0
                if ratio <= step:
                    step = ratio
                    leaving = a
        for a in range(size):
            now = weight[support[a]]
            weight[support[a]] = now + step * (target[a] - now)
        if leaving >= 0:
            weight[support[leaving]] = 0.0
            size = _remove_from_factor(L, support, size, leaving)
            first = leaving
            continue
        _gradient(Q, h, weight, support, size, gradient)
        # b'g - min g bounds objective - minimum, because the objective is convex and the minimum
        # of g'x over the simplex is at a corner.
        entering = 0
        mean = 0.0
        for j in range(m):
            mean += weight[j] * gradient[j]
            if gradient[j] < gradient[entering]:
                entering = j
        gap = mean - gradient[entering]
        if not gap > tol:
            break
        first = size
        if weight[entering] > 0:  # already in the support: the ridge of the factor is in the way
            repeats += 1
            if repeats > _MAX_REPEATS:
                break
            anchor[:] = weight[:m]
            first = 0
            continue
        size = _append_to_factor(Q, L, support, size, entering, level)
    return gap, size


@compiled_sums
def _gradient(
    Q: Floats, h: Floats, weight: Floats, support: Ints, size: int, gradient: Floats
) -> None:
    """Write Qb - h, four rows at a time to reduce memory traffic."""
    m = len(h)
    gradient[:] = -h
    in_fours = size - size % 4
    for a in range(0, in_fours, 4):
        p, q, r, s = support[a], support[a + 1], support[a + 2], support[a + 3]
        bp, bq, br, bs = weight[p], weight[q], weight[r], weight[s]
        for j in range(m):
            gradient[j] += bp * Q[p, j] + bq * Q[q, j] + br * Q[r, j] + bs * Q[s, j]
    for a in range(in_fours, size):
        p, bp = support[a], weight[support[a]]
        for j in range(m):
            gradient[j] += bp * Q[p, j]


@compiled_sums
def _solve_on_support(
    L: Floats, size: int, forward: Floats, by_one: Floats, target: Floats
) -> None:
    """Write the x of sum 1 for which L'x is ``forward`` plus a multiple of ``by_one``."""
    product = 0.0
    square = 0.0
    for a in range(size):
        product += forward[a] * by_one[a]
        square += by_one[a] ** 2
    share = (1.0 - product) / square
    for a in range(size):
        target[a] = forward[a] + share * by_one[a]
    for a in range(size - 1, -1, -1):
        target[a] /= L[a, a]
        x = target[a]
        for b in range(a):
            target[b] -= L[a, b] * x


@compiled_sums
def _append_to_factor(Q: Floats, L: Floats, support: Ints, size: int, j: int, level: float) -> int:
    """Append a row for cut j to the factor."""
    # The new row l solves L l = q, and its diagonal is sqrt(q_jj - l'l).
    rest = Q[j, j] + (1.0 + RIDGE) * level
    for a in range(size):
        x = Q[j, support[a]] + level
        for b in range(a):
            x -= L[size, b] * L[a, b]
        L[size, a] = x / L[a, a]
        rest -= L[size, a] ** 2
    L[size, size] = np.sqrt(max(rest, RIDGE * level))
    support[size] = j
    return size + 1


@compiled_sums
def _remove_from_factor(L: Floats, support: Ints, size: int, place: int) -> int:
    """Remove a row from the factor and restore its triangular form by rotations."""
    for a in range(place, size - 1):
        support[a] = support[a + 1]
        L[a, : a + 2] = L[a + 1, : a + 2]
    # Without its row, the factor has one entry above the diagonal in each later row. A rotation of
    # two columns, which leaves L L' as it is, turns (L_aa, L_a,a+1) into (length, 0).
    for a in range(place, size - 1):
        length = np.hypot(L[a, a], L[a, a + 1])
        cosine = L[a, a] / length
        sine = L[a, a + 1] / length
        L[a, a] = length
        L[a, a + 1] = 0.0
        for b in range(a + 1, size - 1):
            x = L[b, a]
            y = L[b, a + 1]
            L[b, a] = cosine * x + sine * y
            L[b, a + 1] = cosine * y - sine * x
    return size - 1


@compiled_sums
def refactor(Q: Floats, L: Floats, support: Ints, size: int, level: float) -> None:
    """Recompute the factor that `active_set` updates, in place."""
    for a in range(size):
        _append_to_factor(Q, L, support, a, support[a], level)


@compiled
def move_pairs(Q: Floats, h: Floats, start: Floats, tol: float, max_steps: int) -> Floats:
    """Minimize the same by moving weight from the largest gradient to the smallest, pair by pair.

    Slow, but no step raises the objective. Returns b.
    """
    b = start.copy()
    gradient = Q @ b - h
    for step in range(max_steps):
        if step % 100 == 99:
            gradient = Q @ b - h
        low = int(np.argmin(gradient))
        high = low
        for i in range(len(b)):
            if b[i] > 0 and gradient[i] > gradient[high]:
                high = i
        if np.sum(b * gradient) - gradient[low] <= tol:
            break
        # Along e_low - e_high the objective has the slope -slope and this curvature.
        slope = gradient[high] - gradient[low]
        curvature = Q[high, high] + Q[low, low] - 2.0 * Q[high, low]
        amount = b[high]
        if curvature * amount > slope:
            amount = slope / curvature
        b[low] += amount
        b[high] -= amount
        gradient += amount * (Q[:, low] - Q[:, high])
    b /= b.sum()
    return b
