"""Douglas-Rachford splitting for a penalty plus losses given by cutting planes.

The problem is

    min_W  Omega(W) + lambda * sum_i G_i(X_i w_i)

for a norm with a proximal step and losses with an oracle, which returns the worst labeling for
given scores and thereby a cut. Douglas-Rachford splitting alternates proximal steps of the two
terms. The step of the losses is a small quadratic program over the cuts of each task, to which
cuts are added until the oracle confirms the solution.

The certificate: a convex combination p_i of cuts, with the same combination v_i of their deltas,
gives G_i(w) >= v_i - w . p_i. With V_i = lambda p_i, weak duality says

    optimum >= lambda * sum_i v_i / max(1, Omega_dual(V)),

where shrinking is allowed because the true labeling is a cut (0, 0). Convex combinations of such
points are dual points too. The latest one oscillates around the unit ball of the dual norm, and the
best one is moved toward it as long as the bound increases.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from mlbench.solvers.arrays import Flags, Floats, Ints
from mlbench.solvers.cutting_planes.proximal_bundle import ProximalBundle
from mlbench.solvers.design import Design
from mlbench.solvers.losses import Oracle
from mlbench.solvers.penalties import Penalty

_CHECK_EVERY = 5
_SHARES = (1.0, 0.7, 0.3, 0.1)
"""The weights of the latest dual point in convex combinations with the best one."""

_INNER = 0.01
"""The accuracy of a step, relative to the gap of the whole problem."""

_INNER_LAST = 0.05
"""The same relative to the tolerance; the looser one applies."""

_RELAXATION = 1.6
"""The relaxation of a step if the penalty couples the tasks; for separable ones 1 is better."""

_FIRST_STEP = 4.0
_TINY = 1e-300
_UNBALANCED = 3.0
_REBALANCE = 0.6
_SLOWER = 0.9
"""Every change reduces the next one by this factor, so that step sizes converge."""

_FRESH = 200
"""After this number of steps the changes of a step size start again at full size."""

_CALMER = 0.8
"""The additional factor when a step size changes direction."""


@dataclass(frozen=True)
class CuttingPlaneSolution:
    """The result of a search."""

    W: Floats
    """(k, d) array."""
    objective: float
    bound: float
    """The objective at W, and a lower bound of its minimum."""
    n_iter: int
    """Steps of the splitting."""
    n_oracle_calls: int
    """Calls of the oracle, over all tasks."""
    limit: str | None
    """The limit that ended it before the gap was within the tolerance."""

    @property
    def gap(self) -> float:
        """Return (objective - bound) / objective; 0 if the objective is."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0


class CuttingPlaneSplitting:
    """Solver for a sequence of values of lambda, preferably ascending.

    If the penalty is separable, every task has its own step size and stops once it is solved;
    otherwise all tasks are solved together.

    Parameters
    ----------
    design : Design
    y : (N,) array of -1 and 1
        Every task has both.
    oracle : function
    penalty : Penalty

    Notes
    -----
    Memory: the data and, for every task, its m cuts with their products, O(m (d + m)) numbers; m is
    close to the number of active cuts at the solution, at most about d.
    """

    def __init__(self, design: Design, y: Floats, oracle: Oracle, penalty: Penalty) -> None:
        self.penalty = penalty
        k = design.n_tasks
        self._cuts = ProximalBundle(design, y, oracle)
        self._W = np.zeros((k, design.n_features))
        self._losses = self._cuts.v.copy()
        self._best_P, self._best_v = self._cuts.P.copy(), self._cuts.v.copy()
        self._S, self._center = self._W.copy(), self._W.copy()
        n_parts = len(penalty.values(self._W))
        self._part = np.arange(k) if n_parts == k else np.zeros(k, dtype=np.int64)
        self._size = np.bincount(self._part)
        self._mu = _FIRST_STEP * np.sqrt(self._by_part(_squares(self._cuts.P)) / self._size)
        self._mu = np.maximum(self._mu, _TINY)
        self._relaxation = 1.0 if n_parts == k else _RELAXATION

    @property
    def n_oracle_calls(self) -> int:
        """The number of calls of the oracle, over all tasks."""
        return self._cuts.n_oracle_calls

    def _by_part(self, values: Floats) -> Floats:
        """Add up (k,) values of tasks to (p,) values of parts."""
        return np.asarray(np.bincount(self._part, weights=values), dtype=np.float64)

    def solve(
        self, lam: float, tol: float, max_iter: int, max_seconds: float | None = None
    ) -> CuttingPlaneSolution:
        """Minimize the objective for one lambda, warm-started from the last one.

        Parameters
        ----------
        lam : float
            The weight of the losses.
        tol
            The relative gap, (objective - bound) / objective, to reach.
        max_iter
            The largest number of splitting steps.
        """
        began, calls = perf_counter(), self.n_oracle_calls
        objectives = self._objectives(lam, self._W, self._losses)
        bounds = self._raised_bounds(lam)
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
            if n_iter % _FRESH == 0:
                steps = _StepSizes(len(objectives))
            open_ = excess > tol * objectives
            tasks = np.flatnonzero(open_[self._part])
            exact = np.maximum(_INNER * excess, _INNER_LAST * tol * objectives) / self._size
            before = self._S
            self._step(lam, tasks, exact[self._part[tasks]] / lam)
            if n_iter <= 3 or n_iter % _CHECK_EVERY == 0:
                bounds = self._raised_bounds(lam)
                losses = self._losses.copy()
                losses[tasks] = self._cuts.losses(tasks, self._S[tasks])
                found = self._objectives(lam, self._S, losses)
                better = open_ & (found < objectives)
                objectives = np.where(better, found, objectives)
                rows = better[self._part]
                self._W[rows], self._losses[rows] = self._S[rows], losses[rows]
            if n_iter % _CHECK_EVERY == 0:
                self._rebalance(lam, steps, open_, before)
        return CuttingPlaneSolution(
            self._W.copy(),
            float(objectives.sum()),
            float(bounds.sum()),
            n_iter,
            self.n_oracle_calls - calls,
            limit,
        )

    def _objectives(self, lam: float, W: Floats, losses: Floats) -> Floats:
        return self.penalty.values(W) + lam * self._by_part(losses)

    def _raised_bounds(self, lam: float) -> Floats:
        """Move the best dual points toward the latest if that raises their bounds; return these."""
        bounds = self.penalty.dual_bounds(lam * self._best_P, lam * self._best_v)
        for share in _SHARES:
            P = self._best_P + share * (self._cuts.P - self._best_P)
            v = self._best_v + share * (self._cuts.v - self._best_v)
            found = self.penalty.dual_bounds(lam * P, lam * v)
            better = found > bounds
            rows = better[self._part]
            self._best_P[rows], self._best_v[rows] = P[rows], v[rows]
            bounds = np.where(better, found, bounds)
        return np.maximum(bounds, 0.0)

    def _step(self, lam: float, tasks: Ints, tol: Floats) -> None:
        """Take one step of the splitting for some tasks."""
        mu, center = self._mu[self._part[tasks]], self._center[tasks]
        self._cuts.step(tasks, center, lam / mu, tol)
        U = self._cuts.U[tasks]
        self._S = self._S.copy()
        length = 1 / mu[:, None] if len(self._mu) > 1 else float(1 / mu[0])
        self._S[tasks] = self.penalty.prox(2 * U - center, length)
        self._center[tasks] = center + self._relaxation * (self._S[tasks] - U)

    def _rebalance(self, lam: float, steps: _StepSizes, open_: Flags, before: Floats) -> None:
        """Change the step sizes of parts whose relative residuals are unbalanced."""
        size = np.maximum(self._by_part(_squares(self._cuts.U)), self._by_part(_squares(self._S)))
        primal = self._by_part(_squares(self._cuts.U - self._S)) / np.maximum(size, _TINY)
        pull = self._by_part(_squares(lam * self._cuts.P))
        move = self._mu**2 * self._by_part(_squares(self._S - before))
        factors = steps.factors(np.sqrt(primal), np.sqrt(move / np.maximum(pull, _TINY)), open_)
        self._mu *= factors
        self._center = self._cuts.U - (self._cuts.U - self._center) / factors[self._part, None]


class _StepSizes:
    """The size of the changes of every step size; it decreases when the direction reverses."""

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
        factors = np.asarray((1 + self.change) ** direction)
        self.change[direction != 0] *= _SLOWER
        return factors


def _squares(A: Floats) -> Floats:
    """Return the sum of squares of every row."""
    return np.asarray(np.einsum("ij,ij->i", A, A))
