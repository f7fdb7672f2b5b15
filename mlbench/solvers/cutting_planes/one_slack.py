"""Minimize 1/2 ||w||^2 plus a loss for each task by the one-slack cutting-plane method."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from mlbench.solvers.arrays import Floats
from mlbench.solvers.cutting_planes.proximal_bundle import ProximalBundle
from mlbench.solvers.design import Design
from mlbench.solvers.losses import Oracle

_STEP_SHARE = 0.9
"""The gap that a search aims at, relative to the tolerance: a margin for rounding."""


@dataclass(frozen=True)
class OneSlackSolution:
    """The result of a search."""

    W: Floats
    """(k, d) array."""
    gaps: Floats
    """(k,) array: of each task: an upper bound on (objective - optimum) / objective."""
    n_iter: int
    """The largest number of planes that were added for a task."""
    n_oracle_calls: int
    """Over all tasks."""
    limit: str | None
    """The limit that ended it before all gaps were within the tolerance."""


class OneSlack:
    """Minimizes ``1/2 ||w_i||^2 + C G_i(X_i w_i)`` for every task i.

    That is a proximal step of the loss G_i of length C from 0. The planes do not depend on C and
    are kept between calls of `solve`.

    References
    ----------
    Joachims (2006), Training linear SVMs in linear time, KDD, algorithm 1.
    """

    def __init__(self, design: Design, y: Floats, oracle: Oracle) -> None:
        self.bundle = ProximalBundle(design, y, oracle)
        self._W = np.zeros((design.n_tasks, design.n_features))
        self._losses = self.bundle.v.copy()
        self._n_counted = 0

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
        bundle = self.bundle
        began, n_iter = perf_counter(), 0
        limit = None
        bounds = np.zeros(len(self._W))
        while True:
            objectives = 0.5 * _squares(self._W) + C * self._losses
            gaps = np.maximum(objectives - bounds, 0.0) / np.maximum(objectives, 1e-300)
            tasks = np.flatnonzero(gaps > tol)
            if len(tasks) == 0:
                break
            if n_iter >= max_iter:
                limit = "max_iter"
                break
            if max_seconds is not None and perf_counter() - began > max_seconds:
                limit = "max_seconds"
                break
            zeros, rho = np.zeros((len(tasks), self._W.shape[1])), np.full(len(tasks), C)
            n_iter += bundle.step(
                tasks, zeros, rho, _STEP_SHARE * tol * objectives[tasks] / C, max_iter - n_iter
            )
            bounds = np.maximum(bounds, C * bundle.v - 0.5 * C**2 * _squares(bundle.P))
            found = bundle.best[tasks]
            losses = bundle.losses(tasks, found)
            better = 0.5 * _squares(found) + C * losses < objectives[tasks]
            self._W[tasks[better]], self._losses[tasks[better]] = found[better], losses[better]
        n_calls = bundle.n_oracle_calls - self._n_counted
        self._n_counted = bundle.n_oracle_calls
        return OneSlackSolution(self._W.copy(), gaps, n_iter, n_calls, limit)


def _squares(A: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", A, A))
