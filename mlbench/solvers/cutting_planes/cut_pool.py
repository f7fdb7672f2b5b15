"""Cuts of several tasks' losses, kept, and the proximal steps of the models that they make.

A cut of task i is a pair (delta, psi): the loss is at least ``delta - w . psi`` everywhere. The
largest of the kept cuts is a model of the loss from below. It depends on the task's data alone, so
that cuts stay valid whatever the penalty and its weight.
"""

from __future__ import annotations

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.cutting_planes.active_set import RIDGE, active_set, refactor
from mlbench.solvers.cutting_planes.simplex_qp import move_pairs
from mlbench.solvers.jit import compiled_sums

_FIRST_CAPACITY = 130
_SPARE = 30
_IDLE_SHARE = 0.25
"""Where fewer than this share of the kept cuts are idle, room for more is made."""

_LEAST_LEVEL = 1e-150

_REFRESH = 50
"""A factor is computed anew after so many steps of its task, lest rounding adds up."""

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
        capacity = min(d + _SPARE, _FIRST_CAPACITY)
        self.psi = np.zeros((k, capacity, d))
        self.delta = np.zeros((k, capacity))
        self.gram = np.zeros((k, capacity, capacity))
        self.factor = np.zeros((k, capacity, capacity))
        self.weight = np.zeros((k, capacity))
        self.idle = np.zeros((k, capacity), dtype=np.int64)
        self.support = np.zeros((k, capacity), dtype=np.int64)
        self.n_support = np.ones(k, dtype=np.int64)
        self.count = np.ones(k, dtype=np.int64)
        self.steps = np.zeros(k, dtype=np.int64)
        self.n_fallbacks = 0
        self.psi[:, 0], self.delta[:, 0], self.weight[:, 0] = psis, deltas, 1.0
        squares = np.einsum("ij,ij->i", psis, psis)
        self.level = np.maximum(squares, _LEAST_LEVEL)
        self.gram[:, 0, 0] = squares
        self.factor[:, 0, 0] = np.sqrt(squares + (1.0 + RIDGE) * self.level)

    def proximal_step(self, tasks: Ints, B: Floats, rho: Floats, tol: Floats) -> StepResult:
        """Minimize the models plus ``||w - b||^2 / (2 rho)`` for some of the tasks.

        Parameters
        ----------
        tasks : (t,) int array
        B : (t, d) array
            The center of each of these tasks.
        rho : (t,) array
        tol : (t,) array
            How much each minimum may be missed by.

        Returns
        -------
        W, P : (t, d) arrays
            The minimizers, and the mixtures of cuts with ``W = B + rho * P``.
        v : (t,) array
            The same mixtures of the deltas: the model's value at w is ``v - w . p``.
        lowest : (t,) array
            The minima.
        """
        W, P, v, lowest, fallbacks = _proximal_steps(
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
        return W, P, v, lowest

    def add(self, tasks: Ints, deltas: Floats, psis: Floats) -> None:
        """Keep one more cut of some tasks; where there is no room, the longest idle one goes."""
        if self._is_full(tasks):
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

    def _is_full(self, tasks: Ints) -> bool:
        capacity = self.delta.shape[1]
        if self.count.max() < capacity:
            return False
        full = self.count[tasks] == capacity
        return bool((full & (self.n_support[tasks] > (1 - _IDLE_SHARE) * capacity)).any())

    def _grow(self) -> None:
        extra = self.delta.shape[1] // 2
        for name in ("delta", "weight", "idle", "support"):
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, extra))))
        self.psi = np.pad(self.psi, ((0, 0), (0, extra), (0, 0)))
        self.gram = np.pad(self.gram, ((0, 0), (0, extra), (0, extra)))
        self.factor = np.pad(self.factor, ((0, 0), (0, extra), (0, extra)))


StepResult = tuple[Floats, Floats, Floats, Floats]


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
) -> tuple[Floats, Floats, Floats, Floats, int]:
    W = np.empty_like(B)
    P = np.zeros_like(B)
    v = np.zeros(len(tasks))
    lowest = np.empty(len(tasks))
    fallbacks = 0
    for place in range(len(tasks)):
        i = tasks[place]
        m = count[i]
        h = (delta[i, :m] - np.dot(psi[i, :m], B[place])) / rho[place]
        steps[i] += 1
        if steps[i] % _REFRESH == 0:
            refactor(gram[i], factor[i], support[i], n_support[i], level[i])
        Q, L, chosen, size = gram[i], factor[i], support[i], n_support[i]
        exact = tol[place] / rho[place]
        gap, size = active_set(Q, h, weight[i], L, chosen, size, level[i], exact)
        if gap > exact:
            refactor(Q, L, chosen, size, level[i])
            gap, size = active_set(Q, h, weight[i], L, chosen, size, level[i], exact)
        if gap > exact:
            fallbacks += 1
            weight[i, :m] = move_pairs(
                np.ascontiguousarray(Q[:m, :m]), h, weight[i, :m].copy(), exact, _MAX_MOVES
            )
            size = 0
            for j in range(m):
                if weight[i, j] > 0:
                    chosen[size] = j
                    size += 1
            refactor(Q, L, chosen, size, level[i])
        n_support[i] = size
        total = 0.0
        for a in range(size):
            total += weight[i, chosen[a]]
        for a in range(size):
            j = chosen[a]
            weight[i, j] /= total
            v[place] += weight[i, j] * delta[i, j]
            for feature in range(P.shape[1]):
                P[place, feature] += weight[i, j] * psi[i, j, feature]
        W[place] = B[place] + rho[place] * P[place]
        lowest[place] = v[place] - np.dot(P[place], B[place] + W[place]) / 2
    return W, P, v, lowest, fallbacks


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
            refactor(gram[i], factor[i], support[i], n_support[i], level[i])
