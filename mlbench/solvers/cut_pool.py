"""Cuts of several tasks' losses, kept, and the proximal steps of the models that they make.

A cut of task i is a pair (delta, psi): the loss is at least ``delta - w . psi`` everywhere. The
largest of the kept cuts is a model of the loss from below. It depends on the task's data alone, so
that cuts stay valid whatever the penalty and its weight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.compiled import compiled_sums
from mlbench.solvers.simplex_qp import move_pairs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FIRST_CAPACITY = 130
_SPARE = 30
_IDLE_SHARE = 0.25
"""Where fewer than this share of the kept cuts are idle, room for more is made."""

_RIDGE = 1e-10
"""What is added to the diagonal of a factor, relative to the longest cut's squared norm."""

_LEAST_LEVEL = 1e-150

_REFRESH = 50
"""A factor is computed anew after so many steps of its task, lest rounding adds up."""

_MAX_CHANGES = 1000
_MAX_REPEATS = 10
_MAX_MOVES = 2_000


class CutPool:
    """Kept cuts of k tasks in d dimensions.

    Parameters
    ----------
    deltas : (k,) array
    psis : (k, d) array
        The first cut of every task.

    Attributes
    ----------
    n_fallbacks : int
        How many quadratic programs were finished by moves of pairs, since the active set
        method had not reached their tolerance.
    """

    def __init__(self, deltas: Floats, psis: Floats) -> None:
        k, d = psis.shape
        room = min(d + _SPARE, _FIRST_CAPACITY)
        self.psi = np.zeros((k, room, d))
        self.delta = np.zeros((k, room))
        self.gram = np.zeros((k, room, room))
        self.factor = np.zeros((k, room, room))
        self.weight = np.zeros((k, room))
        self.idle = np.zeros((k, room), dtype=np.int64)
        self.support = np.zeros((k, room), dtype=np.int64)
        self.n_support = np.ones(k, dtype=np.int64)
        self.count = np.ones(k, dtype=np.int64)
        self.steps = np.zeros(k, dtype=np.int64)
        self.n_fallbacks = 0
        self.psi[:, 0], self.delta[:, 0], self.weight[:, 0] = psis, deltas, 1.0
        squares = np.einsum("ij,ij->i", psis, psis)
        self.level = np.maximum(squares, _LEAST_LEVEL)
        self.gram[:, 0, 0] = squares
        self.factor[:, 0, 0] = np.sqrt(squares + (1.0 + _RIDGE) * self.level)

    def proximal_step(self, tasks: Ints, B: Floats, rho: Floats, tol: Floats) -> StepResult:
        """Minimise the models plus ``||w - b||^2 / (2 rho)`` for some of the tasks.

        Parameters
        ----------
        tasks : (t,) int array
        B : (t, d) array
            The centre of each of these tasks.
        rho : (t,) array
        tol : (t,) array
            How much each minimum may be missed by.

        Returns
        -------
        W, P : (t, d) arrays
            The minimisers, and the mixtures of cuts with ``W = B + rho * P``.
        v : (t,) array
            The same mixtures of the deltas: the model's value at w is ``v - w . p``.
        """
        W, P, v, fallbacks = _proximal_steps(
            tasks,
            B,
            rho,
            tol,
            self.psi,
            self.delta,
            self.gram,
            self.factor,
            self.weight,
            self.support,
            self.n_support,
            self.count,
            self.steps,
            self.level,
        )
        self.n_fallbacks += fallbacks
        return W, P, v

    def add(self, tasks: Ints, deltas: Floats, psis: Floats) -> None:
        """Keep one more cut of some tasks; where there is no room, the longest idle one goes."""
        if self._crowded(tasks):
            self._grow()
        _add(
            tasks,
            deltas,
            psis,
            self.psi,
            self.delta,
            self.gram,
            self.weight,
            self.idle,
            self.support,
            self.n_support,
            self.count,
            self.factor,
            self.level,
        )

    def _crowded(self, tasks: Ints) -> bool:
        room = self.delta.shape[1]
        if self.count.max() < room:
            return False
        full = self.count[tasks] == room
        return bool((full & (self.n_support[tasks] > (1 - _IDLE_SHARE) * room)).any())

    def _grow(self) -> None:
        extra = self.delta.shape[1] // 2
        for name in ("delta", "weight", "idle", "support"):
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, extra))))
        self.psi = np.pad(self.psi, ((0, 0), (0, extra), (0, 0)))
        self.gram = np.pad(self.gram, ((0, 0), (0, extra), (0, extra)))
        self.factor = np.pad(self.factor, ((0, 0), (0, extra), (0, extra)))


StepResult = tuple[Floats, Floats, Floats]


@compiled_sums
def _proximal_steps(
    tasks: Ints,
    B: Floats,
    rho: Floats,
    tol: Floats,
    psi: Floats,
    delta: Floats,
    gram: Floats,
    factor: Floats,
    weight: Floats,
    support: Ints,
    n_support: Ints,
    count: Ints,
    steps: Ints,
    level: Floats,
) -> tuple[Floats, Floats, Floats, int]:
    W = np.empty_like(B)
    P = np.zeros_like(B)
    v = np.zeros(len(tasks))
    fallbacks = 0
    for place in range(len(tasks)):
        i = tasks[place]
        m = count[i]
        h = (delta[i, :m] - np.dot(psi[i, :m], B[place])) / rho[place]
        steps[i] += 1
        if steps[i] % _REFRESH == 0:
            _refactor(gram[i], factor[i], support[i], n_support[i], level[i])
        Q = gram[i]
        exact = tol[place] / rho[place]
        gap = _active_set(Q, h, weight[i], factor[i], support[i], n_support, i, level[i], exact)
        if gap > exact:
            _refactor(gram[i], factor[i], support[i], n_support[i], level[i])
            gap = _active_set(Q, h, weight[i], factor[i], support[i], n_support, i, level[i], exact)
        if gap > exact:
            fallbacks += 1
            weight[i, :m] = move_pairs(
                np.ascontiguousarray(Q[:m, :m]), h, weight[i, :m].copy(), exact, _MAX_MOVES
            )
            n_support[i] = 0
            for j in range(m):
                if weight[i, j] > 0:
                    support[i, n_support[i]] = j
                    n_support[i] += 1
            _refactor(gram[i], factor[i], support[i], n_support[i], level[i])
        total = 0.0
        for a in range(n_support[i]):
            total += weight[i, support[i, a]]
        for a in range(n_support[i]):
            j = support[i, a]
            weight[i, j] /= total
            v[place] += weight[i, j] * delta[i, j]
            for feature in range(P.shape[1]):
                P[place, feature] += weight[i, j] * psi[i, j, feature]
        W[place] = B[place] + rho[place] * P[place]
    return W, P, v, fallbacks


@compiled_sums
def _active_set(
    Q: Floats,
    h: Floats,
    weight: Floats,
    L: Floats,
    support: Ints,
    n_support: Ints,
    i: int,
    level: float,
    tol: float,
) -> float:
    """Minimise 1/2 b'Qb - h'b over the simplex from ``weight``, in place; return the gap.

    L is the Cholesky factor of Q on the support, plus a constant that changes nothing where
    the sum is fixed and makes a zero cut no exception. The right sides h and 1 are kept half
    solved, from the row on that last changed. The weights at the beginning, times the ridge, are
    added to h: a proximal term, which changes the way, not the end.
    """
    m = len(h)
    aim = np.empty(m)
    forward = np.empty(m)
    by_one = np.empty(m)
    gradient = np.empty(m)
    anchor = weight[:m].copy()
    size = n_support[i]
    base = h[support[0]]
    first = 0
    gap = np.inf
    repeats = 0
    for _ in range(_MAX_CHANGES):
        for a in range(first, size):
            x = h[support[a]] - base + _RIDGE * level * anchor[support[a]]
            y = 1.0
            for b in range(a):
                x -= L[a, b] * forward[b]
                y -= L[a, b] * by_one[b]
            forward[a] = x / L[a, a]
            by_one[a] = y / L[a, a]
        _aim_at(L, size, forward, by_one, aim)
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
        if leaving >= 0:
            weight[support[leaving]] = 0.0
            size = _leave(L, support, size, leaving)
            first = leaving
            continue
        for j in range(m):
            gradient[j] = -h[j]
        for a in range(size):
            amount = weight[support[a]]
            row = support[a]
            for j in range(m):
                gradient[j] += amount * Q[row, j]
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
        if weight[entering] > 0:
            repeats += 1
            if repeats > _MAX_REPEATS:
                break
            anchor[:] = weight[:m]
            first = 0
            continue
        size = _enter(Q, L, support, size, entering, level)
    n_support[i] = size
    return gap


@compiled_sums
def _aim_at(L: Floats, size: int, forward: Floats, by_one: Floats, aim: Floats) -> None:
    """Write the x of sum 1 for which L'x is ``forward`` plus a multiple of ``by_one``."""
    product = 0.0
    square = 0.0
    for a in range(size):
        product += forward[a] * by_one[a]
        square += by_one[a] ** 2
    share = (1.0 - product) / square
    for a in range(size):
        aim[a] = forward[a] + share * by_one[a]
    for a in range(size - 1, -1, -1):
        aim[a] /= L[a, a]
        x = aim[a]
        for b in range(a):
            aim[b] -= L[a, b] * x


@compiled_sums
def _enter(Q: Floats, L: Floats, support: Ints, size: int, j: int, level: float) -> int:
    """Append a row for cut j to the factor."""
    rest = Q[j, j] + (1.0 + _RIDGE) * level
    for a in range(size):
        x = Q[j, support[a]] + level
        for b in range(a):
            x -= L[size, b] * L[a, b]
        L[size, a] = x / L[a, a]
        rest -= L[size, a] ** 2
    L[size, size] = np.sqrt(max(rest, _RIDGE * level))
    support[size] = j
    return size + 1


@compiled_sums
def _leave(L: Floats, support: Ints, size: int, place: int) -> int:
    """Take a row out of the factor and rotate it back to a triangle."""
    for a in range(place, size - 1):
        support[a] = support[a + 1]
        L[a, : a + 2] = L[a + 1, : a + 2]
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
def _refactor(Q: Floats, L: Floats, support: Ints, size: int, level: float) -> None:
    for a in range(size):
        _enter(Q, L, support, a, support[a], level)


@compiled_sums
def _add(
    tasks: Ints,
    deltas: Floats,
    psis: Floats,
    psi: Floats,
    delta: Floats,
    gram: Floats,
    weight: Floats,
    idle: Ints,
    support: Ints,
    n_support: Ints,
    count: Ints,
    factor: Floats,
    level: Floats,
) -> None:
    for place in range(len(tasks)):
        i = tasks[place]
        idle[i, : count[i]] += 1
        for a in range(n_support[i]):
            idle[i, support[i, a]] = 0
        if count[i] < delta.shape[1]:
            j = count[i]
            count[i] += 1
        else:
            j = np.argmax(idle[i])
        psi[i, j] = psis[place]
        delta[i, j] = deltas[place]
        weight[i, j] = 0.0
        idle[i, j] = 0
        products = np.dot(psi[i, : count[i]], psis[place])
        gram[i, j, : count[i]] = products
        gram[i, : count[i], j] = products
        if gram[i, j, j] > level[i]:
            level[i] = gram[i, j, j]
            _refactor(gram[i], factor[i], support[i], n_support[i], level[i])
