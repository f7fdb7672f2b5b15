"""Minimise a penalty plus worst-case losses of linear scores by splitting, with cuts that are kept.

The problem is

    min_W  Omega(W) + lambda * sum_i G_i(X_i w_i)

for a norm with a proximal step and losses with an oracle: for any scores it names the worst
labelling, and so a cut. Douglas-Rachford splitting takes proximal steps of the two terms in turn.
That of the losses is a small quadratic program over each task's kept cuts, and more cuts, until
the oracle confirms it.

The certificate: a mixture p_i of cuts, with the same mixture v_i of their deltas, gives G_i(w) >=
v_i - w . p_i. With V_i = lambda p_i, weak duality says

    optimum >= lambda * sum_i v_i / max(1, Omega_dual(V)),

where shrinking is allowed because the true labelling is a cut (0, 0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.design import Design
from mlbench.solvers.losses import Oracle
from mlbench.solvers.penalties import Penalty
from mlbench.solvers.task_cuts import TaskCuts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_CHECK_EVERY = 5
_INNER = 0.02
"""How exact a step is, relative to the gap of the whole problem."""

_INNER_LAST = 0.1
"""The same relative to the tolerance, which is exact enough."""

_RELAXATION = 1.3
"""How far the centre moves where tasks are tied; for one alone, 1 does better."""

_FIRST_STEP = 4.0
_TINY = 1e-300
_UNBALANCED = 3.0
_REBALANCE = 0.6
_CALMER = 0.8
"""Whenever the step size turns back, its changes become smaller by this factor."""


@dataclass(frozen=True)
class CutSolution:
    """Where the search ended.

    Attributes
    ----------
    W : (k, d) array
    objective, bound : float
        The objective at W, and a lower bound of its minimum.
    n_iter : int
        Steps of the splitting.
    n_oracle_calls : int
        Labellings asked for, over all tasks.
    limit : {"max_iter", "max_seconds", None}
        What ended it before the gap was within the tolerance.
    """

    W: Floats
    objective: float
    bound: float
    n_iter: int
    n_oracle_calls: int
    limit: str | None

    @property
    def gap(self) -> float:
        """Return (objective - bound) / objective; 0 if the objective is."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0


class KeptCuts:
    """Solves the problem for one lambda after the other, best in ascending order.

    Tasks that the penalty does not tie together are parts with step sizes of their own, and rest
    once they are solved; the others go on side by side.

    Parameters
    ----------
    design : Design
    y : (N,) array of -1 and 1
        Every task has both.
    oracle : function
    penalty : Penalty
    n_threads : int
        How many groups the tasks are dealt to, whose losses are then dealt with side by side.

    Notes
    -----
    Memory: the data, and for every task its kept cuts with their products, O(m (d + m)) numbers
    for m cuts; m stays near the number of cuts in use at the solution, at most about d.
    """

    def __init__(
        self, design: Design, y: Floats, oracle: Oracle, penalty: Penalty, n_threads: int = 1
    ) -> None:
        self.penalty = penalty
        k = design.n_tasks
        self._groups = [
            _Group(
                tasks[0],
                tasks[-1] + 1,
                TaskCuts(design.of_tasks(tasks), design.rows_of(tasks, y), oracle),
            )
            for tasks in np.array_split(np.arange(k), min(n_threads, k))
        ]
        if len(self._groups) > 1:
            self._map: Callable[..., Iterable[None]] = ThreadPoolExecutor(len(self._groups)).map
        else:
            self._map = map
        self._W = np.zeros((k, design.n_features))
        self._U, self._P, self._v = (np.empty_like(self._W), np.empty_like(self._W), np.empty(k))
        self._read()
        self._losses = self._losses_at(np.arange(k), self._W)
        self._S, self._centre = self._W.copy(), self._W.copy()
        n_parts = len(penalty.values(self._W))
        self._part = np.arange(k) if n_parts == k else np.zeros(k, dtype=np.int64)
        self._size = np.bincount(self._part)
        self._mu = _FIRST_STEP * np.sqrt(self._by_part(_squares(self._P)) / self._size)
        self._mu = np.maximum(self._mu, _TINY)
        self._relaxation = 1.0 if n_parts == k else _RELAXATION

    @property
    def n_oracle_calls(self) -> int:
        """Return how many labellings were asked for, over all tasks."""
        return sum(group.cuts.n_oracle_calls for group in self._groups)

    def _by_part(self, values: Floats) -> Floats:
        """Add up (k,) values of tasks to (p,) values of parts."""
        return np.asarray(np.bincount(self._part, weights=values), dtype=np.float64)

    def solve(
        self, lam: float, tol: float, max_iter: int, max_seconds: float | None = None
    ) -> CutSolution:
        """Minimise the objective for one lambda, starting from where the last one ended.

        Parameters
        ----------
        lam : float
            The weight of the losses.
        tol
            The relative gap, (objective - bound) / objective, to reach.
        max_iter
            The most steps of the splitting.
        """
        began, calls = perf_counter(), self.n_oracle_calls
        objectives = self._objectives(lam, self._W, self._losses)
        bounds = np.maximum(self._bounds(lam), 0.0)
        steps = _StepSizes(len(objectives))
        limit = None
        n_iter = 0
        while (excess := objectives - bounds).sum() > tol * objectives.sum():
            if n_iter >= max_iter:
                limit = "max_iter"
                break
            if max_seconds is not None and perf_counter() - began > max_seconds:
                limit = "max_seconds"
                break
            n_iter += 1
            open_ = excess > tol * objectives
            tasks = np.flatnonzero(open_[self._part])
            exact = np.maximum(_INNER * excess, _INNER_LAST * tol * objectives) / self._size
            before = self._S
            self._step(lam, tasks, exact[self._part] / lam)
            if n_iter <= 3 or n_iter % _CHECK_EVERY == 0:
                bounds = np.maximum(bounds, self._bounds(lam))
                losses = self._losses.copy()
                losses[tasks] = self._losses_at(tasks, self._S[tasks])
                found = self._objectives(lam, self._S, losses)
                better = open_ & (found < objectives)
                objectives = np.where(better, found, objectives)
                rows = better[self._part]
                self._W[rows], self._losses[rows] = self._S[rows], losses[rows]
            if n_iter % _CHECK_EVERY == 0:
                self._rebalance(lam, steps, open_, before)
        return CutSolution(
            self._W.copy(),
            float(objectives.sum()),
            float(bounds.sum()),
            n_iter,
            self.n_oracle_calls - calls,
            limit,
        )

    def _objectives(self, lam: float, W: Floats, losses: Floats) -> Floats:
        return self.penalty.values(W) + lam * self._by_part(losses)

    def _bounds(self, lam: float) -> Floats:
        return self.penalty.dual_bounds(lam * self._P, lam * self._v)

    def _step(self, lam: float, tasks: Ints, tol: Floats) -> None:
        """Take one step of the splitting for some tasks."""
        mu = self._mu[self._part]
        self._loss_step(lam / mu, tasks, tol)
        U, centre = self._U[tasks], self._centre[tasks]
        self._S = self._S.copy()
        length = 1 / mu[tasks, None] if len(self._mu) > 1 else float(1 / self._mu[0])
        self._S[tasks] = self.penalty.prox(2 * U - centre, length)
        self._centre[tasks] = centre + self._relaxation * (self._S[tasks] - U)

    def _loss_step(self, rho: Floats, tasks: Ints, tol: Floats) -> None:
        """Find the proximal step U of the losses at the centre, with its mixtures of cuts."""

        def step(group: _Group) -> None:
            mine = tasks[group.holds(tasks)]
            if len(mine):
                group.cuts.step(mine - group.first, self._centre[mine], rho[mine], tol[mine])

        list(self._map(step, self._groups))
        self._read()

    def _read(self) -> None:
        """Collect where the groups are."""
        for group in self._groups:
            rows = slice(group.first, group.end)
            self._U[rows], self._P[rows], self._v[rows] = group.cuts.U, group.cuts.P, group.cuts.v

    def _losses_at(self, tasks: Ints, W: Floats) -> Floats:
        """Return the losses of some tasks, whose weights are the rows of W."""
        losses = np.empty(len(tasks))
        for group in self._groups:
            mine = group.holds(tasks)
            if mine.any():
                losses[mine] = group.cuts.losses(tasks[mine] - group.first, W[mine])
        return losses

    def _rebalance(self, lam: float, steps: _StepSizes, open_: Flags, before: Floats) -> None:
        """Change the step sizes of parts whose one relative residual is far above the other."""
        size = np.maximum(self._by_part(_squares(self._U)), self._by_part(_squares(self._S)))
        primal = self._by_part(_squares(self._U - self._S)) / np.maximum(size, _TINY)
        pull = self._by_part(_squares(lam * self._P))
        move = self._mu**2 * self._by_part(_squares(self._S - before))
        factors = steps.factors(np.sqrt(primal), np.sqrt(move / np.maximum(pull, _TINY)), open_)
        self._mu *= factors
        self._centre = self._U - (self._U - self._centre) / factors[self._part, None]


@dataclass(frozen=True)
class _Group:
    """Tasks one after the other, dealt with by one thread."""

    first: int
    end: int
    cuts: TaskCuts

    def holds(self, tasks: Ints) -> Flags:
        """Tell which of the tasks are in this group."""
        return (tasks >= self.first) & (tasks < self.end)


class _StepSizes:
    """How much the step size of every part is changed; less, each time that it turns back."""

    def __init__(self, n_parts: int) -> None:
        self.change = np.full(n_parts, _REBALANCE)
        self.last = np.zeros(n_parts)

    def factors(self, primal: Floats, dual: Floats, open_: Flags) -> Floats:
        """Return the factors for parts with these relative residuals."""
        direction = (primal > _UNBALANCED * dual).astype(np.float64)
        direction -= dual > _UNBALANCED * primal
        direction *= open_
        self.change[direction * self.last < 0] *= _CALMER
        self.last = np.where(direction != 0, direction, self.last)
        return np.asarray((1 + self.change) ** direction)


def _squares(A: Floats) -> Floats:
    """Return the sum of squares of every row."""
    return np.asarray(np.einsum("ij,ij->i", A, A))
