"""Proximal steps of the losses of several tasks, by a proximal bundle method."""

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.cutting_planes.cut_pool import CutPool
from mlbench.solvers.design import Design
from mlbench.solvers.jit import compiled_sums
from mlbench.solvers.losses import Oracle

_MAX_ROUNDS = 20
"""The largest number of cuts per task and step."""

_QP_SHARE = 0.2
"""The accuracy of a quadratic program, relative to the error of its step."""

_QUERY_SHARE = 0.3
"""Where the oracle is called, between the best point and the minimum of the model."""


class ProximalBundle:
    """Tasks with their data and their bundle of cuts.

    Parameters
    ----------
    design : Design
    y : (N,) array of -1 and 1
        Every task has both.
    oracle : function

    Attributes
    ----------
    U : (k, d) array
        The latest proximal point of every task, initially 0.
    P, v : (k, d) and (k,) arrays
        The convex combination of cuts at U, and the same combination of their deltas: the loss of
        task i at any w is at least ``v[i] - w . P[i]``.
    best : (k, d) array
        The best known points of the latest steps.
    n_oracle_calls : int

    Notes
    -----
    A step calls the oracle near the best point, not at the minimum of the cut model, which is
    unstable. Either the cut excludes that minimum or, by convexity, the point is better than all
    before.
    """

    def __init__(self, design: Design, y: Floats, oracle: Oracle) -> None:
        self.design = design
        self.y = y
        self.oracle = oracle
        self.n_oracle_calls = 0
        self.U = np.zeros((design.n_tasks, design.n_features))
        self.best = self.U.copy()
        _, self.v, self.P = self._query(np.arange(design.n_tasks), self.U)
        self.pool = CutPool(self.v, self.P)

    def losses(self, tasks: Ints, W: Floats) -> Floats:
        """Return the losses of some of the tasks at W."""
        return self._call_oracle(tasks, W)[1][0]

    def step(
        self,
        tasks: Ints,
        center: Floats,
        rho: Floats,
        tol: Floats,
        max_rounds: int = _MAX_ROUNDS,
    ) -> int:
        """Move U to the minimum of the loss plus ``||u - center||^2 / (2 rho)`` for some tasks.

        Parameters
        ----------
        tasks : (t,) int array
        center : (t, d) array
        rho, tol : (t,) arrays
            The step sizes, and the allowed error of each minimum, which is exceeded only if the
            limit on the cuts of one step is reached.
        max_rounds : int

        Returns
        -------
        int
            The largest number of cuts added for a task.
        """
        exact = _QP_SHARE * tol
        least = np.full(len(tasks), np.inf)
        most = min(max_rounds, _MAX_ROUNDS)
        for n_rounds in range(most + 1):
            U, P, v, lowest = self.pool.proximal_step(tasks, center, rho, exact)
            self.U[tasks], self.P[tasks], self.v[tasks] = U, P, v
            if n_rounds == most:
                break
            query_point = self.best[tasks]
            query_point += _QUERY_SHARE * (U - query_point)
            losses, delta, psi = self._query(tasks, query_point)
            found = _with_distance(losses, query_point, center, rho)
            better = found < least
            self.best[tasks[better]] = query_point[better]
            least = np.minimum(found, least)
            off = least - lowest
            missed = np.flatnonzero(off > tol)
            if len(missed) == 0:
                break
            if len(missed) < len(tasks):
                tasks, center, rho, tol = tasks[missed], center[missed], rho[missed], tol[missed]
                off, least = off[missed], least[missed]
                delta, psi = delta[missed], psi[missed]
            self.pool.add(tasks, delta, psi)
            exact = _QP_SHARE * np.maximum(tol, off)
        return n_rounds

    def _query(self, tasks: Ints, W: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the losses of some tasks and the cuts (delta, psi) that attain them."""
        design, (values, c, delta) = self._call_oracle(tasks, W)
        return values, delta, np.ascontiguousarray(design.sparse_adjoint(c))

    def _call_oracle(self, tasks: Ints, W: Floats) -> tuple[Design, tuple[Floats, Floats, Floats]]:
        design, y = self._problem(tasks)
        self.n_oracle_calls += len(tasks)
        return design, self.oracle(design.scores(W), y, design.offsets)

    def _problem(self, tasks: Ints) -> tuple[Design, Floats]:
        if len(tasks) == self.design.n_tasks:
            return self.design, self.y
        return self.design.restrict(tasks), self.design.restrict_values(tasks, self.y)


@compiled_sums
def _with_distance(losses: Floats, W: Floats, center: Floats, rho: Floats) -> Floats:
    """Return losses at W plus ``||w - center||^2 / (2 rho)``."""
    result = losses.copy()
    for i in range(len(losses)):
        square = 0.0
        for j in range(W.shape[1]):
            square += (W[i, j] - center[i, j]) ** 2
        result[i] += square / (2 * rho[i])
    return result
