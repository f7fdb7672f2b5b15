"""The algorithm of Ke et al. as printed, ended after a given number of steps.

For studies/ke-printed-algorithm.yaml. The paper gives neither mu nor the tolerance at which its
Algorithm 1 ends; here mu and the number of steps are parameters. Its Algorithm 2, which solves the
sub-problem of a task, ends after 5,000 steps, solved or not; so it does here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.methods.multitask.base import LinearProblem, LinearSolution, PenalizedTasks
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.solvers.arrays import Floats
from mlbench.solvers.losses import Oracle
from mlbench.solvers.losses.auc import auc_cuts
from mlbench.solvers.losses.f1 import f1_cuts
from mlbench.solvers.losses.hinge import hinge_cuts
from mlbench.solvers.penalties import PENALTIES

LOSSES = {"f1": f1_cuts, "auc": auc_cuts, "mistakes": hinge_cuts}

INNER_TOLERANCE = 1e-5


@dataclass(eq=False, repr=False)
class PrintedADMM(PenalizedTasks):
    """SMTL or MTL-CLS as Algorithm 1 of the paper leaves it after some steps.

    Parameters
    ----------
    loss : {"f1", "auc", "mistakes"}, default="f1"
        "mistakes" is the loss of MTL-CLS.
    lam : float, default=1.0
        Weight of the losses.
    mu : float, default=1.0
        Weight of the augmented term, constant.
    steps : int, default=10
        Steps of Algorithm 1, from W = S = Z = 0.
    inner_steps : int, default=5000
        The largest number of steps of Algorithm 2 for one sub-problem.

    References
    ----------
    Ke, Pan, Yin & Huang, Optimizing evaluation metrics for multi-task learning via the alternating
    direction method of multipliers: Algorithms 1 and 2, with the corrections in
    benchmarks/smtl/printed.py.
    """

    loss: str = "f1"
    lam: float = 1.0
    mu: float = 1.0
    steps: int = 10
    inner_steps: int = 5000

    example_grid = ({"lam": 0.01}, {"lam": 0.1})
    path_tolerance = 0.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of(self, "loss", tuple(LOSSES))
        require_positive(self, "mu")
        require_count(self, "steps")
        require_count(self, "inner_steps")

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        penalty, mu, oracle = PENALTIES[self.penalty], self.mu, LOSSES[self.loss]
        for lam in lams:
            W = np.zeros((problem.design.n_tasks, problem.design.n_features))
            Z = np.zeros_like(W)
            used = 0
            for _ in range(self.steps):
                S = penalty.prox(W + Z / mu, 1 / mu)
                B = S - Z / mu
                W, v, calls = coordinate_ascent(problem, B, lam / mu, oracle, self.inner_steps)
                Z += mu * (W - S)
                used += calls
            losses, _, _ = oracle(problem.design.scores(W), problem.y, problem.design.offsets)
            objective = float(penalty.values(W).sum() + lam * losses.sum())
            bound = max(0.0, float(penalty.dual_bounds(mu * (W - B), mu * v).sum()))
            gap = 1 - bound / objective if objective > 0 else 0.0
            limit = "steps" if gap > self.tol else None
            yield LinearSolution(W, gap, self.steps, limit, n_oracle_calls=used)


def coordinate_ascent(
    problem: LinearProblem, B: Floats, rho: float, oracle: Oracle, most: int
) -> tuple[Floats, Floats, int]:
    """Algorithm 2 for all tasks: minimize ``rho * G(w) + 1/2 ||w - b||^2`` through the dual.

    Returns
    -------
    W : (k, d) array
    v : (k,) array
        The deltas of the labelings, weighted by the dual variables, which sum to rho.
    calls : int
        Of the oracle, over all tasks.
    """
    W, v = B.copy(), np.zeros(len(B))
    open_ = np.arange(len(B))
    calls = 0
    for _ in range(most):
        design = problem.design.restrict(open_)
        y = problem.design.restrict_values(open_, problem.y)
        w = W[open_]
        _, c, delta = oracle(design.scores(w), y, design.offsets)
        calls += len(open_)
        K = rho * design.adjoint(c) + B[open_]
        gap = np.einsum("ij,ij->i", w, w - K) + rho * delta - v[open_]
        left = gap > INNER_TOLERANCE
        if not left.any():
            break
        open_, w, K, gap, delta = open_[left], w[left], K[left], gap[left], delta[left]
        step = K - w
        gamma = np.minimum(gap / np.einsum("ij,ij->i", step, step), 1.0)
        W[open_] = w + gamma[:, None] * step
        v[open_] = (1.0 - gamma) * v[open_] + gamma * rho * delta
    return W, v, calls
