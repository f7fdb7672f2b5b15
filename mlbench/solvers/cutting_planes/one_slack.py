"""One-slack cutting planes for a max of linear functions with a squared 2-norm, task by task."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from mlbench.solvers.arrays import Flags, Floats, Ints
from mlbench.solvers.cutting_planes.simplex_qp import simplex_qp
from mlbench.solvers.design import Design
from mlbench.solvers.losses import Oracle

_MAX_IDLE = 50
"""A plane with weight 0 in this number of quadratic programs is dropped."""

_QP_SHARE = 0.02
"""The share of the tolerance allowed for the quadratic program."""

_BISECTIONS = 5
"""Steps of the line search between the best point and the minimizer of the planes."""

_QUERY_STEP = 0.1
"""The next plane is computed this far from the best point toward the minimizer of the planes."""


@dataclass(frozen=True)
class OneSlackSolution:
    """The result of a search.

    Attributes
    ----------
    W : (k, d) array
    gaps : (k,) array
        Of each task: an upper bound on (objective - optimum) / objective.
    n_iter : int
        The largest number of quadratic programs of a task.
    n_oracle_calls : int
        Over all tasks.
    limit : {"max_iter", "max_seconds", None}
        The limit that ended it before all gaps were within the tolerance.
    """

    W: Floats
    gaps: Floats
    n_iter: int
    n_oracle_calls: int
    limit: str | None


class OneSlack:
    """Minimizes ``1/2 ||w_i||^2 + C G_i(X_i w_i)`` for every task i.

    G_i is the loss of the oracle. The minimizer of the planes gives a lower bound; a line search
    goes from the best point toward it, and the next plane is computed near the new best point. The
    planes do not depend on C and are kept between calls of `solve`.

    Parameters
    ----------
    design : Design
    y : (N,) array of -1 and 1
    oracle : function

    References
    ----------
    Joachims (2006), Training linear SVMs in linear time, KDD, algorithm 1. Franc & Sonnenburg
    (2008), Optimized cutting plane algorithm for support vector machines, ICML (the line search).
    """

    def __init__(self, design: Design, y: Floats, oracle: Oracle) -> None:
        self.design = design
        self.labels = np.split(y, design.offsets[1:-1])
        self.oracle = oracle
        self.planes = [_WorkingSet(design.n_features) for _ in self.labels]

    def solve(
        self, C: float, tol: float, max_iter: int, max_seconds: float | None = None
    ) -> OneSlackSolution:
        """Find the weight vectors for one value of C.

        Parameters
        ----------
        C : float
        tol
            The relative gap to reach, in every task.
        max_iter
            The largest number of planes to add, for every task.
        """
        began = perf_counter()
        k = len(self.planes)
        W = np.stack(
            [planes.minimize(C, _QP_SHARE * tol * planes.latest_dual) for planes in self.planes]
        )
        gaps = np.zeros(k)
        active = np.arange(k)
        search = _LineSearch(self, C, active, W)
        n_iter, n_oracle_calls = 0, k
        limit = None
        while True:
            dual = np.array([self.planes[task].latest_dual for task in active])
            gaps[active] = np.maximum(search.primal - dual, 0.0) / search.primal
            W[active] = search.W
            open_ = gaps[active] > tol
            if not open_.any():
                break
            if n_iter >= max_iter:
                limit = "max_iter"
                break
            if max_seconds is not None and perf_counter() - began > max_seconds:
                limit = "max_seconds"
                break
            if not open_.all():
                active = active[open_]
                search.keep(open_)
            n_iter += 1
            target = np.empty_like(search.W)
            for i, (task, normal) in enumerate(zip(active, search.normals(), strict=True)):
                self.planes[task].add(normal, search.deltas[i])
                target[i] = self.planes[task].minimize(C, _QP_SHARE * tol * search.primal[i])
            n_oracle_calls += search.move(target)
        return OneSlackSolution(W, gaps, n_iter, n_oracle_calls, limit)


class _LineSearch:
    """The best points of some tasks, and the planes near them to add next."""

    def __init__(self, problem: OneSlack, C: float, tasks: Ints, W: Floats) -> None:
        self.problem = problem
        self.C = C
        self.tasks = tasks
        self.W = W.copy()
        self._set_rows()
        self.scores = self._scores(W)
        values, self.c, self.deltas = self._query(self.scores)
        self.primal = 0.5 * _dots(W, W) + C * values

    def keep(self, open_: Flags) -> None:
        """Drop the other tasks."""
        rows = np.repeat(open_, self.sizes)
        self.tasks, self.W = self.tasks[open_], self.W[open_]
        self.primal, self.deltas = self.primal[open_], self.deltas[open_]
        self.scores, self.c = self.scores[rows], self.c[rows]
        self._set_rows()

    def normals(self) -> Floats:
        """Return psi_i = X_i' c_i of the planes to add."""
        transposed = self.problem.design.transposed
        if self.problem.design.shared:
            return np.asarray(transposed[0] @ self.c.reshape(len(self.tasks), -1).T).T
        pieces = zip(self.tasks, np.split(self.c, self.offsets[1:-1]), strict=True)
        return np.stack([transposed[i] @ piece for i, piece in pieces])

    def move(self, target: Floats) -> int:
        """Search along the line to the target, and compute the next planes.

        Returns
        -------
        int
            The number of oracle calls.
        """
        base, base_scores = self.W, self.scores
        step = target - base
        step_scores = self._scores(target) - base_scores
        fixed, mixed, quadratic = _dots(base, base), _dots(base, step), _dots(step, step)
        k = len(self.tasks)
        low, high = np.zeros(k), np.ones(k)
        best, theta = np.zeros(k), np.ones(k)
        for trial in range(_BISECTIONS + 2):
            last = trial == _BISECTIONS + 1
            if last:
                theta = best + _QUERY_STEP * (1 - best)
            values, c, deltas = self._query(base_scores + self._spread(theta) * step_scores)
            primal = 0.5 * (fixed + 2 * theta * mixed + theta**2 * quadratic) + self.C * values
            better = primal < self.primal
            self.primal = np.where(better, primal, self.primal)
            best = np.where(better, theta, best)
            if last:
                self.c, self.deltas = c, deltas
                break
            falling = np.add.reduceat(c * step_scores, self.offsets[:-1])
            slope = mixed + theta * quadratic - self.C * falling
            low, high = np.where(slope < 0, theta, low), np.where(slope < 0, high, theta)
            theta = 0.5 * (low + high)
        self.W = base + best[:, None] * step
        self.scores = base_scores + self._spread(best) * step_scores
        return k * (_BISECTIONS + 2)

    def _set_rows(self) -> None:
        labels = [self.problem.labels[task] for task in self.tasks]
        self.y = np.concatenate(labels)
        self.sizes = np.array([len(y) for y in labels])
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)])

    def _query(self, scores: Floats) -> tuple[Floats, Floats, Floats]:
        return self.problem.oracle(scores, self.y, self.offsets)

    def _spread(self, values: Floats) -> Floats:
        return np.repeat(values, self.sizes)

    def _scores(self, W: Floats) -> Floats:
        blocks = self.problem.design.blocks
        if self.problem.design.shared:
            return np.asarray(blocks[0] @ W.T).T.ravel()
        return np.concatenate([blocks[i] @ w for i, w in zip(self.tasks, W, strict=True)])


class _WorkingSet:
    """The planes of one task, and their weights in the quadratic program.

    The first is that of the true labeling: no loss, no normal.
    """

    def __init__(self, n_features: int) -> None:
        self.normals = np.zeros((1, n_features))
        self.deltas = np.zeros(1)
        self.products = np.zeros((1, 1))
        self.weights = np.ones(1)
        self.idle = np.zeros(1, dtype=np.int64)
        self.latest_dual = 0.0
        """A lower bound on the objective of the latest C: that of the planes as weighed."""

    def add(self, normal: Floats, delta: float) -> None:
        keep = self.idle < _MAX_IDLE
        keep[0] = True
        m = int(keep.sum())
        products = np.empty((m + 1, m + 1))
        products[:m, :m] = self.products[np.ix_(keep, keep)]
        self.normals = np.vstack([self.normals[keep], normal])
        products[m] = products[:, m] = self.normals @ normal
        self.products = products
        self.deltas = np.append(self.deltas[keep], delta)
        self.weights = np.append(self.weights[keep], 0.0)
        self.idle = np.append(self.idle[keep], 0)

    def minimize(self, C: float, tol: float) -> Floats:
        """Return the w that minimizes the objective with G replaced by the planes, within tol."""
        self.weights, _ = simplex_qp(self.products, self.deltas / C, self.weights, tol / C**2)
        self.idle = np.where(self.weights > 0, 0, self.idle + 1)
        w = C * (self.weights @ self.normals)
        self.latest_dual = float(C * (self.deltas @ self.weights) - 0.5 * (w @ w))
        return np.asarray(w)


def _dots(A: Floats, B: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", A, B))
