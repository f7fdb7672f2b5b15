"""The alternation of MtSDA: coefficients for given scores, scores for given coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlbench.methods.base import Floats, Ints, Matrix
from mlbench.methods.feature_scales import require_scale
from mlbench.methods.mtsda.optimal_scoring import ScoreSpace
from mlbench.solvers.elastic_net.centred_columns import centred_columns
from mlbench.solvers.elastic_net.equicorrelated import EquicorrelatedNet, NetSolution

_RUNG = 10 ** (-3 / 19)
"""The factor between the values of lam1 on the way down from its largest."""

_LOWEST_RUNG = 1e-4
_RUNG_TOL = 1e-3
_INNER = 0.1
"""How exact an update of B is, relative to the fall of the objective in the round before."""


@dataclass(frozen=True)
class Limits:
    """When to stop.

    Attributes
    ----------
    tol : float
        The relative gap of B, and the least relative decrease of the objective in a round.
    max_rounds, max_sweeps : int
    """

    tol: float
    max_rounds: int
    max_sweeps: int


@dataclass(frozen=True)
class Alternated:
    """Where an alternation ended.

    Attributes
    ----------
    B : (p, q) array
        For the centred and scaled columns that are not constant.
    theta : (k, q) array
    objectives : list of float
        After every update of B.
    gap : float
        A bound on (objective - minimum over B) / objective.
    n_sweeps : int
    limit : str or None
        What ended it too early.
    """

    B: Floats
    theta: Floats
    objectives: list[float]
    gap: float
    n_sweeps: int
    limit: str | None


class Problem:
    """What does not depend on the penalties: the columns of X, the labels, the first scores.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    Y : (n, k) array of 0 and 1
        Labels of one class take no part.
    standardise : bool
    center : {"xy", "x"}
    init : {"symmetric", "paper"}
    theta_step : {"range", "paper"}

    Attributes
    ----------
    columns : CentredColumns
    intercept : (k,) array
        The scores where the projections are 0.
    lam1_max : float
        The least lam1 at which all coefficients are 0 for the first scores.
    """

    def __init__(
        self, X: Matrix, Y: Ints, standardise: bool, center: str, init: str, theta_step: str
    ) -> None:
        require_scale(X)
        self.n = len(Y)
        self.columns = centred_columns(X, standardise)
        means = Y.mean(axis=0)
        varied = (means > 0) & (means < 1)
        centred = (Y - means) * varied
        labels = centred if center == "xy" else Y * varied.astype(np.float64)
        self.intercept = means if center == "xy" else np.where(varied, 0.0, means)
        self._scores = ScoreSpace(labels)
        self._targets = self.columns.reduced(centred)
        self._outside = labels.T @ labels - self._targets.T @ self._targets
        self._by_steps = init == "symmetric"
        self._literal = theta_step == "paper"
        if self._by_steps:
            self._start = self._scores.symmetric_start()
        else:
            self._start = self._scores.first_rows_start()
        correlations = self.columns.products(self._targets @ self._start)
        self.lam1_max = 2 * float(abs(correlations).max(initial=0.0))

    def descent(self, lam2: float, rho: float) -> Descent:
        """Return the way down from lam1_max for one (lam2, rho)."""
        net = EquicorrelatedNet(self.columns, self._start.shape[1], lam2, rho)
        return Descent(self, net, self._start, self._by_steps)

    def update_coefficients(
        self, net: EquicorrelatedNet, theta: Floats, lam1: float, tol: float, max_sweeps: int
    ) -> NetSolution:
        """Solve for B; objective and gap are n times those of equation (1)."""
        outside = np.sum(theta * (self._outside @ theta), axis=0)
        return net.solve(self._targets @ theta, outside, lam1, tol, max_sweeps)

    def update_scores(self, net: EquicorrelatedNet, theta: Floats) -> Floats:
        """Return the scores for the coefficients of the net."""
        cross = self._targets.T @ net.fitted
        if self._literal:
            return self._scores.procrustes_step(cross, net.fitted.T @ net.fitted)
        return self._scores.range_step(theta, cross)


class Descent:
    """Solutions for falling lam1, each from rough ones on the way down.

    The way goes by fixed factors, so that where it leads does not depend on what else is asked.

    Parameters
    ----------
    problem : Problem
    net : EquicorrelatedNet
    theta : (k, q) array
    by_steps : bool
        Go down step by step; if not, start each lam1 from the first scores.
    """

    def __init__(
        self, problem: Problem, net: EquicorrelatedNet, theta: Floats, by_steps: bool
    ) -> None:
        self._problem = problem
        self._net = net
        self._theta = theta
        self._by_steps = by_steps
        self._rung = problem.lam1_max

    def at(self, lam1: float, limits: Limits) -> Alternated:
        """Alternate at lam1, which is not above that of the call before."""
        problem = self._problem
        last = max(lam1, _LOWEST_RUNG * problem.lam1_max)
        while self._by_steps and self._rung * _RUNG > last:
            self._rung *= _RUNG
            problem.update_coefficients(
                self._net, self._theta, self._rung, _RUNG_TOL, limits.max_sweeps
            )
            self._theta = problem.update_scores(self._net, self._theta)
        return _alternate(problem, self._net.copy(), self._theta, lam1, limits)


def _alternate(
    problem: Problem, net: EquicorrelatedNet, theta: Floats, lam1: float, limits: Limits
) -> Alternated:
    objectives: list[float] = []
    sweeps, exact, settled = 0, _RUNG_TOL, False
    while True:
        found = problem.update_coefficients(net, theta, lam1, exact, limits.max_sweeps)
        sweeps += found.n_sweeps
        objectives.append(found.objective / problem.n)
        last = len(objectives) == limits.max_rounds
        if len(objectives) > 1:
            fall = 1 - objectives[-1] / objectives[-2] if objectives[-2] > 0 else 0.0
            settled = fall <= limits.tol and exact <= limits.tol
            exact = min(exact, max(limits.tol, fall * _INNER))
        if settled or found.limit:
            break
        if last:
            found = problem.update_coefficients(net, theta, lam1, limits.tol, limits.max_sweeps)
            sweeps += found.n_sweeps
            objectives[-1] = found.objective / problem.n
            break
        theta = problem.update_scores(net, theta)
    gap = found.gap / found.objective if found.objective > 0 else 0.0
    limit = found.limit or (None if settled else "max_rounds")
    return Alternated(net.B, theta, objectives, gap, sweeps, limit)
