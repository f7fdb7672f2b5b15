"""The alternation of MtSDA: coefficients for given scores, scores for given coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlbench.methods.feature_scales import require_scale
from mlbench.methods.mtsda.optimal_scoring import ScoreSpace
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.elastic_net.centered_columns import centered_columns
from mlbench.solvers.elastic_net.equicorrelated import ElasticNetSolution, EquicorrelatedElasticNet

_PATH_STEP = 10 ** (-3 / 19)
"""The factor between the values of lam1 on the way down from its largest."""

_MIN_STEP = 1e-4
_ROUGH_TOL = 1e-3
_INNER_SHARE = 0.1
"""How exact an update of B is, relative to the fall of the objective in the round before."""


@dataclass(frozen=True)
class AlternationLimits:
    """When to stop."""

    tol: float
    """The relative gap of B, and the least relative decrease of the objective in a round."""
    max_rounds: int
    max_sweeps: int


@dataclass(frozen=True)
class AlternationResult:
    """Where an alternation ended."""

    B: Floats
    """(p, q) array: for the centered and scaled columns that are not constant."""
    theta: Floats
    """(k, q) array."""
    objectives: list[float]
    """After every update of B."""
    gap: float
    """A bound on (objective - minimum over B) / objective."""
    n_sweeps: int
    limit: str | None
    """What ended it too early."""


class OptimalScoringProblem:
    """What does not depend on the penalties: the columns of X, the labels, the first scores.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    Y : (n, k) array of 0 and 1
        Labels of one class take no part.
    standardize : bool
    center : {"xy", "x"}
    init : {"symmetric", "paper"}
    theta_step : {"range", "paper"}

    Attributes
    ----------
    columns : CenteredColumns
    intercept : (k,) array
        The scores where the projections are 0.
    lam1_max : float
        The least lam1 at which all coefficients are 0 for the first scores.
    accelerates : bool
        Whether scores may go beyond their steps.
    """

    def __init__(
        self, X: Matrix, Y: Ints, standardize: bool, center: str, init: str, theta_step: str
    ) -> None:
        require_scale(X)
        self.n = len(Y)
        self.columns = centered_columns(X, standardize)
        means = Y.mean(axis=0)
        varied = (means > 0) & (means < 1)
        centered = (Y - means) * varied
        labels = centered if center == "xy" else Y * varied.astype(np.float64)
        self.intercept = means if center == "xy" else np.where(varied, 0.0, means)
        self._scores = ScoreSpace(labels)
        self._targets = self.columns.reduced(centered)
        self._outside = labels.T @ labels - self._targets.T @ self._targets
        self._follows_path = init == "symmetric"
        self.accelerates = theta_step == "range"
        if self._follows_path:
            self._start = self._scores.symmetric_start()
        else:
            self._start = self._scores.first_rows_start()
        correlations = self.columns.products(self._targets @ self._start)
        self.lam1_max = 2 * float(abs(correlations).max(initial=0.0))

    def lam1_path(self, lam2: float, rho: float) -> Lam1Path:
        """Return the way down from lam1_max for one (lam2, rho)."""
        net = EquicorrelatedElasticNet(self.columns, self._start.shape[1], lam2, rho)
        return Lam1Path(self, net, self._start, self._follows_path)

    def update_coefficients(
        self, net: EquicorrelatedElasticNet, theta: Floats, lam1: float, tol: float, max_sweeps: int
    ) -> ElasticNetSolution:
        """Solve for B; objective and gap are n times those of equation (1)."""
        outside = np.sum(theta * (self._outside @ theta), axis=0)
        return net.solve(self._targets @ theta, outside, lam1, tol, max_sweeps)

    def update_scores(self, net: EquicorrelatedElasticNet, theta: Floats) -> Floats:
        """Return the scores for the coefficients of the net."""
        cross = self._targets.T @ net.fitted
        if self.accelerates:
            return self._scores.range_step(theta, cross)
        return self._scores.procrustes_step(cross, net.fitted.T @ net.fitted)

    def beyond(self, step: Floats, before: Floats, factor: float) -> Floats:
        """Return scores beyond a step, or the step itself where the constraint may be violated."""
        return self._scores.beyond(step, before, factor) if self.accelerates else step


class Lam1Path:
    """Solutions for falling lam1, each from rough ones on the way down.

    The way goes by fixed factors, so that where it leads does not depend on what else is asked.

    Parameters
    ----------
    problem : OptimalScoringProblem
    net : EquicorrelatedElasticNet
    theta : (k, q) array
    follows_path : bool
        Go down step by step; if not, start each lam1 from the first scores.
    """

    def __init__(
        self,
        problem: OptimalScoringProblem,
        net: EquicorrelatedElasticNet,
        theta: Floats,
        follows_path: bool,
    ) -> None:
        self._problem = problem
        self._net = net
        self._theta = theta
        self._follows_path = follows_path
        self._lam1 = problem.lam1_max

    def at(self, lam1: float, limits: AlternationLimits) -> AlternationResult:
        """Alternate at lam1, which is at most the lam1 of the previous call."""
        problem = self._problem
        last = max(lam1, _MIN_STEP * problem.lam1_max)
        while self._follows_path and self._lam1 * _PATH_STEP > last:
            self._lam1 *= _PATH_STEP
            problem.update_coefficients(
                self._net, self._theta, self._lam1, _ROUGH_TOL, limits.max_sweeps
            )
            self._theta = problem.update_scores(self._net, self._theta)
        return _alternate(problem, self._net.copy(), self._theta, lam1, limits)


class _Momentum:
    """Steps of the scores, each beyond the step itself by a growing factor (Nesterov).

    The minimum over B is a concave function of the scores, so a step from any scores lowers the
    objective at those; the factor starts anew where going beyond the step raised it.
    """

    def __init__(self, problem: OptimalScoringProblem, theta: Floats) -> None:
        self._problem = problem
        self._count = 0
        self.step = theta

    def after(self, step: Floats) -> Floats:
        """Return the scores to go on with, given the step from the scores before."""
        self._count += 1
        factor = self._count / (self._count + 3)
        before, self.step = self.step, step
        return self._problem.beyond(step, before, factor)

    def restart(self) -> Floats:
        """Return the last step itself."""
        self._count = 0
        return self.step


def _alternate(
    problem: OptimalScoringProblem,
    net: EquicorrelatedElasticNet,
    theta: Floats,
    lam1: float,
    limits: AlternationLimits,
) -> AlternationResult:
    objectives: list[float] = []
    sweeps, exact, settled, beyond = 0, _ROUGH_TOL, False, False
    momentum = _Momentum(problem, theta)
    for left in range(limits.max_rounds - 1, -1, -1):
        found = problem.update_coefficients(net, theta, lam1, exact, limits.max_sweeps)
        sweeps += found.n_sweeps
        objective = found.objective / problem.n
        if beyond and objective > objectives[-1]:
            theta, beyond = momentum.restart(), False
        else:
            objectives.append(objective)
            if len(objectives) > 1:
                fall = 1 - objectives[-1] / objectives[-2] if objectives[-2] > 0 else 0.0
                settled = fall <= limits.tol and exact <= limits.tol
                exact = min(exact, max(limits.tol, fall * _INNER_SHARE))
            if settled or found.limit:
                break
            if left:
                theta = momentum.after(problem.update_scores(net, theta))
                beyond = problem.accelerates
    if not settled and not found.limit:
        found = problem.update_coefficients(net, theta, lam1, limits.tol, limits.max_sweeps)
        sweeps += found.n_sweeps
        objectives[-1] = found.objective / problem.n
    gap = found.gap / found.objective if found.objective > 0 else 0.0
    limit = found.limit or (None if settled else "max_rounds")
    return AlternationResult(net.B, theta, objectives, gap, sweeps, limit)
