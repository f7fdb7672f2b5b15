"""A pool of cuts of the losses of several tasks, and proximal steps of their cut models.

A cut of task i is a pair (delta, psi): the loss is at least ``delta - w . psi`` everywhere. The
maximum of the cuts is a lower model of the loss. It depends only on the data of the task, so cuts
remain valid for any penalty and any weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.cutting_planes.active_set import RIDGE, active_set, move_pairs, refactor
from mlbench.solvers.jit import compiled_sums

_FIRST_CAPACITY = 130
_SPARE = 30
_IDLE_SHARE = 0.25
"""If fewer than this share of the cuts are inactive, the pool grows."""

_MIN_LEVEL = 1e-150

_REFRESH = 50
"""A factor is recomputed after this number of steps, to limit rounding errors."""

_MAX_MOVES = 2_000


class CutPool:
    """Cuts of k tasks in d dimensions.

    Parameters
    ----------
    deltas : (k,) array
    psis : (k, d) array
        The first cut of every task.

    Attributes
    ----------
    n_fallbacks : int
        The number of quadratic programs that needed pairwise coordinate steps, because the
        active-set method did not reach the tolerance.
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
        self.n_cuts = np.ones(k, dtype=np.int64)
        self.steps = np.zeros(k, dtype=np.int64)
        self.n_fallbacks = 0
        self.psi[:, 0], self.delta[:, 0], self.weight[:, 0] = psis, deltas, 1.0
        squares = np.einsum("ij,ij->i", psis, psis)
        self.level = np.maximum(squares, _MIN_LEVEL)
        self.gram[:, 0, 0] = squares
        self.factor[:, 0, 0] = np.sqrt(squares + (1.0 + RIDGE) * self.level)

    @property
    def _arrays(self) -> CutArrays:
        return CutArrays(*(getattr(self, name) for name in CutArrays._fields))

    def proximal_step(self, tasks: Ints, B: Floats, rho: Floats, tol: Floats) -> StepResult:
        """Minimize the models plus ``||w - b||^2 / (2 rho)`` for some of the tasks.

        Parameters
        ----------
        tasks : (t,) int array
        B : (t, d) array
            The center of each of these tasks.
        rho : (t,) array
        tol : (t,) array
            The allowed error of each minimum.

        Returns
        -------
        W, P : (t, d) arrays
            The minimizers, and the mixtures of cuts with ``W = B + rho * P``.
        v : (t,) array
            The same mixtures of the deltas: the model's value at w is ``v - w . p``.
        lowest : (t,) array
            The minima.
        """
        W, P, v, lowest, fallbacks = _proximal_steps(tasks, B, rho, tol, self._arrays)
        self.n_fallbacks += fallbacks
        return W, P, v, lowest

    def add(self, tasks: Ints, deltas: Floats, psis: Floats) -> None:
        """Add a cut of some tasks; in a full pool it replaces the cut inactive for longest."""
        if self._is_full(tasks):
            self._grow()
        _add(tasks, deltas, psis, self._arrays)

    def _is_full(self, tasks: Ints) -> bool:
        capacity = self.delta.shape[1]
        if self.n_cuts.max() < capacity:
            return False
        full = self.n_cuts[tasks] == capacity
        return bool((full & (self.n_support[tasks] > (1 - _IDLE_SHARE) * capacity)).any())

    def _grow(self) -> None:
        extra = self.delta.shape[1] // 2
        for name in ("delta", "weight", "idle", "support"):
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, extra))))
        self.psi = np.pad(self.psi, ((0, 0), (0, extra), (0, 0)))
        self.gram = np.pad(self.gram, ((0, 0), (0, extra), (0, extra)))
        self.factor = np.pad(self.factor, ((0, 0), (0, extra), (0, extra)))


StepResult = tuple[Floats, Floats, Floats, Floats]


class CutArrays(NamedTuple):
    """The arrays of a `CutPool`, for the compiled functions; the first axis is the task."""

    psi: Floats
    delta: Floats
    gram: Floats
    factor: Floats
    weight: Floats
    idle: Ints
    support: Ints
    n_support: Ints
    n_cuts: Ints
    steps: Ints
    level: Floats


@compiled_sums
def _proximal_steps(
    tasks: Ints, B: Floats, rho: Floats, tol: Floats, cuts: CutArrays
) -> tuple[Floats, Floats, Floats, Floats, int]:
    psi, delta, weight = cuts.psi, cuts.delta, cuts.weight
    W = np.empty_like(B)
    P = np.zeros_like(B)
    v = np.zeros(len(tasks))
    lowest = np.empty(len(tasks))
    fallbacks = 0
    for place in range(len(tasks)):
        i = tasks[place]
        m = cuts.n_cuts[i]
        # The dual over mixtures b of cuts: min 1/2 b'Qb - h'b, with Q = psi psi' and
        # h = (delta - psi B) / rho; then w = B + rho psi'b. The objectives differ by a factor rho.
        h = (delta[i, :m] - np.dot(psi[i, :m], B[place])) / rho[place]
        cuts.steps[i] += 1
        if cuts.steps[i] % _REFRESH == 0:
            refactor(
                cuts.gram[i], cuts.factor[i], cuts.support[i], cuts.n_support[i], cuts.level[i]
            )
        Q, L, chosen, size = cuts.gram[i], cuts.factor[i], cuts.support[i], cuts.n_support[i]
        exact = tol[place] / rho[place]
        gap, size = active_set(Q, h, weight[i], L, chosen, size, cuts.level[i], exact)
        if gap > exact:
            refactor(Q, L, chosen, size, cuts.level[i])
            gap, size = active_set(Q, h, weight[i], L, chosen, size, cuts.level[i], exact)
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
            refactor(Q, L, chosen, size, cuts.level[i])
        cuts.n_support[i] = size
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
        # v - w . p + ||w - B||^2 / (2 rho), where w - B = rho p
        lowest[place] = v[place] - np.dot(P[place], B[place] + W[place]) / 2
    return W, P, v, lowest, fallbacks


@compiled_sums
def _add(tasks: Ints, deltas: Floats, psis: Floats, cuts: CutArrays) -> None:
    psi, delta, gram, idle = cuts.psi, cuts.delta, cuts.gram, cuts.idle
    count = cuts.n_cuts
    for place in range(len(tasks)):
        i = tasks[place]
        idle[i, : count[i]] += 1
        for a in range(cuts.n_support[i]):
            idle[i, cuts.support[i, a]] = 0
        if count[i] < delta.shape[1]:
            j = count[i]
            count[i] += 1
        else:
            j = np.argmax(idle[i])
        psi[i, j] = psis[place]
        delta[i, j] = deltas[place]
        cuts.weight[i, j] = 0.0
        idle[i, j] = 0
        products = np.dot(psi[i, : count[i]], psis[place])
        gram[i, j, : count[i]] = products
        gram[i, : count[i], j] = products
        if gram[i, j, j] > cuts.level[i]:
            cuts.level[i] = gram[i, j, j]
            refactor(gram[i], cuts.factor[i], cuts.support[i], cuts.n_support[i], cuts.level[i])
