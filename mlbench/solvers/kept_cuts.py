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

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.cut_pool import CutPool
from mlbench.solvers.design import Design
from mlbench.solvers.penalties import Penalty

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Oracle = Callable[[Floats, Floats, Ints], tuple[Floats, Floats, Floats]]
"""(scores, y, offsets) to (values, c, delta): ``values[i] = delta[i] - s_i . c_i`` is the loss of
task i, and no smaller than that of any other labelling."""

_MAX_ROUNDS = 20
"""Cuts that a task may be given within one step of the splitting."""

_CHECK_EVERY = 5
_INNER = 0.02
"""How exact a step is, relative to the gap of the whole problem."""

_INNER_LAST = 0.1
"""The same relative to the tolerance, which is exact enough."""

_QP_SHARE = 0.2
_RELAXATION = 1.3
"""How far the centre moves where there are several tasks; for one alone, 1 does better."""

_FIRST_STEP = 4.0
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


class KeptCuts:
    """Solves the problem for one lambda after the other, best in ascending order.

    Parameters
    ----------
    design : Design
    y : (N,) array of -1 and 1
        Every task has both.
    oracle : function
    penalty : Penalty

    Notes
    -----
    Memory: the data, and for every task its kept cuts with their products, O(m (d + m)) numbers
    for m cuts; m stays near the number of cuts in use at the solution, at most about d.
    """

    def __init__(self, design: Design, y: Floats, oracle: Oracle, penalty: Penalty) -> None:
        self.design = design
        self.y = y
        self.oracle = oracle
        self.penalty = penalty
        self.n_oracle_calls = 0
        self._all = np.arange(design.n_tasks)
        self._W = np.zeros((design.n_tasks, design.n_features))
        self._losses, self._v, self._P = self._ask(self._all, self._W)
        self._pool = CutPool(self._v, self._P)
        self._centre = self._W
        scale = float(np.sqrt(np.mean(np.einsum("ij,ij->i", self._P, self._P))))
        self._mu = max(_FIRST_STEP * scale, 1e-300)
        self._relaxation = _RELAXATION if design.n_tasks > 1 else 1.0

    def _ask(self, tasks: Ints, W: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the losses of some tasks and the cuts (delta, psi) that attain them."""
        design, y = self.design, self.y
        if len(tasks) < design.n_tasks:
            design = self.design.of_tasks(tasks)
            y = np.concatenate([self.y[slice(*self.design.offsets[i : i + 2])] for i in tasks])
        values, c, delta = self.oracle(design.scores(W), y, design.offsets)
        self.n_oracle_calls += len(tasks)
        return values, delta, np.ascontiguousarray(design.back(c))

    def _losses_at(self, W: Floats) -> Floats:
        self.n_oracle_calls += self.design.n_tasks
        return self.oracle(self.design.scores(W), self.y, self.design.offsets)[0]

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
        best = _Best(self.penalty, lam, self._W, self._losses)
        best.raise_bound(self._v, self._P)
        limit = None
        n_iter = 0
        before = None
        self._change, self._last_direction = _REBALANCE, 0
        while best.gap > tol:
            if n_iter >= max_iter:
                limit = "max_iter"
                break
            if max_seconds is not None and perf_counter() - began > max_seconds:
                limit = "max_seconds"
                break
            n_iter += 1
            exact = max(_INNER * (best.objective - best.bound), _INNER_LAST * tol * best.objective)
            W, self._P, self._v = self._loss_step(lam, exact / (lam * self.design.n_tasks))
            S = self.penalty.prox(2 * W - self._centre, 1 / self._mu)
            pull = self._mu * (W - self._centre)
            self._centre = self._centre + self._relaxation * (S - W)
            if n_iter <= 3 or n_iter % _CHECK_EVERY == 0:
                best.lower(S, self._losses_at(S))
                best.raise_bound(self._v, self._P)
                if n_iter % _CHECK_EVERY == 0 and before is not None:
                    self._rebalance(W, S, S - before, pull)
            before = S
        self._W, self._losses = best.W, best.losses
        return CutSolution(
            best.W, best.objective, best.bound, n_iter, self.n_oracle_calls - calls, limit
        )

    def _loss_step(self, lam: float, tol: float) -> tuple[Floats, Floats, Floats]:
        """Return the proximal step of the losses at the centre, with its mixtures of cuts."""
        rho = lam / self._mu
        tasks = self._all
        W, P, v = self._pool.proximal_step(tasks, self._centre, rho, _QP_SHARE * tol)
        for _ in range(_MAX_ROUNDS):
            losses, delta, psi = self._ask(tasks, W[tasks])
            models = v[tasks] - np.einsum("ij,ij->i", P[tasks], W[tasks])
            missed = losses - models > tol
            if not missed.any():
                break
            tasks = tasks[missed]
            self._pool.add(tasks, delta[missed], psi[missed])
            W[tasks], P[tasks], v[tasks] = self._pool.proximal_step(
                tasks, self._centre[tasks], rho, _QP_SHARE * tol
            )
        return W, P, v

    def _rebalance(self, W: Floats, S: Floats, move: Floats, pull: Floats) -> None:
        """Change the step size where one relative residual is far above the other."""
        primal = _ratio(W - S, max(_norm(W), _norm(S)))
        dual = _ratio(self._mu * move, _norm(pull))
        if max(primal, dual) <= _UNBALANCED * min(primal, dual):
            return
        direction = 1 if primal > dual else -1
        if direction == -self._last_direction:
            self._change *= _CALMER
        self._last_direction = direction
        factor = (1 + self._change) ** direction
        self._mu *= factor
        self._centre = W - (W - self._centre) / factor


class _Best:
    """The best point and the best bound so far."""

    def __init__(self, penalty: Penalty, lam: float, W: Floats, losses: Floats) -> None:
        self.penalty, self.lam = penalty, lam
        self.objective = np.inf
        self.bound = 0.0
        self.lower(W, losses)

    @property
    def gap(self) -> float:
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0

    def lower(self, W: Floats, losses: Floats) -> None:
        objective = self.penalty.value(W) + self.lam * float(losses.sum())
        if objective < self.objective:
            self.objective, self.W, self.losses = objective, W, losses

    def raise_bound(self, v: Floats, P: Floats) -> None:
        bound = self.penalty.dual_bound(self.lam * P, self.lam * v)
        self.bound = max(self.bound, bound)


def _norm(A: Floats) -> float:
    return float(np.linalg.norm(A))


def _ratio(residual: Floats, size: float) -> float:
    return _norm(residual) / max(size, 1e-300)
