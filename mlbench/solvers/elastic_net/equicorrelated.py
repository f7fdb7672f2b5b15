"""Least squares with an l1 and an equicorrelation penalty, by coordinate descent.

For centered columns A (m, p) and a target t the problem is

    min_b ||t - A b||^2 + lam2 b' D b + lam1 ||b||_1,    D = (1 - rho) I + rho 1 1'.

Neither D nor its root is formed: ``b' D b = (1 - rho) ||b||^2 + rho s^2`` with the running sum
``s = 1'b``. With ``a = ||a_l||^2`` a step is

    b_l <- soft(a_l'r + a b_l - lam2 rho (s - b_l), lam1 / 2) / (a + lam2).

Coordinates are updated in a working set: the nonzero coefficients and those kept by the sequential
strong rule. Then the optimality conditions of all coefficients are checked, violating ones join the
set, and so on until the certificate holds.

The certificate is the smaller of two bounds of the distance from the minimum: the duality gap of
the lasso that the problem is equivalent to, at a multiple of the residual that is feasible; and
``||v||^2 / (4 mu)`` for the shortest subgradient v, as the objective is strongly convex by 2 mu,
mu = lam2 times the least eigenvalue of D.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.elastic_net.centered_columns import CenteredColumns
from mlbench.solvers.elastic_net.coordinate_descent import (
    ColumnArrays,
    NetPenalty,
    SearchState,
    certify,
    descend,
)

_FIRST_EXACT = 100.0
_TIGHTER = 0.1
"""Sweeps continue while one lowers the objective by more than this multiple of the tolerance; the
multiple is reduced by this factor from check to check."""

_ROUNDING = 1e-28
"""A smaller relative decrease of the objective is rounding error."""


@dataclass(frozen=True)
class ElasticNetSolution:
    """The accuracy of the solution for all targets."""

    objective: float
    """Their sum."""
    gap: float
    """An upper bound of the sum's distance from its minimum."""
    n_sweeps: int
    """Rounds of steps through a working set, over all targets."""
    limit: str | None
    """The limit that ended the search before all gaps were within the tolerance: the number of
    sweeps or the floating-point precision.
    """


class EquicorrelatedElasticNet:
    """Solver for several targets, warm-started from the last solution.

    Parameters
    ----------
    columns : CenteredColumns
    n_targets : int
    lam2 : float, positive
    rho : float
        Above ``1 / (1 - p)`` and below 1.

    Attributes
    ----------
    B : (p, q) array
        The coefficients, one column per target.
    fitted : (m, q) array
        Their products with the columns, ``A b``.
    """

    def __init__(self, columns: CenteredColumns, n_targets: int, lam2: float, rho: float) -> None:
        self.columns = columns
        self.lam2 = lam2
        self.rho = rho
        self.B = np.zeros((columns.n_columns, n_targets))
        self.fitted = np.zeros((columns.n_rows, n_targets))
        self._lam1: float | None = None

    def copy(self) -> EquicorrelatedElasticNet:
        """Return a copy with coefficients of its own; the columns are shared."""
        other = copy(self)
        other.B = self.B.copy()
        other.fitted = self.fitted.copy()
        return other

    def solve(
        self, targets: Floats, constants: Floats, lam1: float, tol: float, max_sweeps: int
    ) -> ElasticNetSolution:
        """Solve for new targets or another lam1.

        Parameters
        ----------
        targets : (m, q) array
            If the columns have a shift, the targets are centered.
        constants : (q,) array
            Constants added to the objectives.
        lam1 : float, 0 or above
        tol : float
            The gap of a target's problem, relative to its objective, at which to stop.
        max_sweeps : int
            The largest number of sweeps for one target.
        """
        columns, q = self.columns, targets.shape[1]
        strength = self.lam2 * min(1 - self.rho, 1 + (columns.n_columns - 1) * self.rho)
        previous = lam1 if self._lam1 is None else max(self._lam1, lam1)
        self._lam1 = lam1
        threshold = 2 * lam1 - previous
        residuals = targets - self.fitted
        objectives, gaps = np.zeros(q), np.zeros(q)
        inside = np.zeros((columns.n_columns, q), dtype=np.bool_)
        joined, moving = np.zeros(q, dtype=np.bool_), np.ones(q, dtype=np.bool_)
        n_sweeps = np.zeros(q, dtype=np.int64)
        penalty = NetPenalty(float(lam1), float(self.lam2), float(self.rho))
        state = SearchState(objectives, gaps, inside, joined)
        exact, todo = _FIRST_EXACT * tol, np.arange(q)
        while True:
            certify(
                columns.products(residuals[:, todo]),
                self.B,
                (residuals[:, todo] ** 2).sum(axis=0),
                todo,
                penalty,
                float(threshold),
                strength,
                state,
            )
            objectives[todo] += constants[todo]
            going = (gaps > tol * objectives) & (n_sweeps < max_sweeps) & (joined | moving)
            todo = todo[going[todo]]
            if len(todo) == 0:
                break
            for target in todo.tolist():
                n_sweeps[target], moved = self._descend(
                    target,
                    np.flatnonzero(inside[:, target]),
                    residuals,
                    penalty,
                    max(exact, _ROUNDING) * objectives[target],
                    int(n_sweeps[target]),
                    max_sweeps,
                )
                moving[target] = moved > _ROUNDING * objectives[target]
            threshold = lam1
            exact *= _TIGHTER
        self.fitted = targets - residuals
        limit = None
        if (gaps > tol * objectives).any():
            limit = "max_sweeps" if (n_sweeps >= max_sweeps).any() else "precision"
        return ElasticNetSolution(
            float(objectives.sum()), float(gaps.sum()), int(n_sweeps.sum()), limit
        )

    def _descend(
        self,
        target: int,
        working: Ints,
        residuals: Floats,
        penalty: NetPenalty,
        enough: float,
        done: int,
        most: int,
    ) -> tuple[int, float]:
        """Sweep through the working set; return the number of sweeps and the last decrease."""
        columns = self.columns
        b, r = self.B[working, target], residuals[:, target].copy()
        done, moved = descend(
            ColumnArrays(
                columns.data, columns.indices, columns.indptr, columns.shift, columns.squares
            ),
            working,
            r,
            b,
            penalty,
            float(enough),
            done,
            most,
        )
        self.B[working, target], residuals[:, target] = b, r
        return done, moved
