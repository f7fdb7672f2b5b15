"""Multi-task least squares with a penalty that ties the tasks together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from mlbench.methods.large_arrays import HESSIAN
from mlbench.methods.multitask.base import LinearProblem, LinearSolution, PenalizedTasks
from mlbench.solvers.newton.rounds import minimize, rounds_of
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.fista import fista
from mlbench.solvers.proximal.least_squares import LeastSquares


@dataclass(eq=False, repr=False)
class MTLReg(PenalizedTasks):
    """Multi-task regression: a joint penalty plus the squared loss on targets of -1 and 1.

    Minimizes ``Omega(W) + lam * sum_i 1/2 ||y_i - X_i w_i - b_i||^2``.

    Parameters
    ----------
    lam : float, default=1.0
        Weight of the losses in the objective above. W is 0 if and only if lam is at most the
        reciprocal of the dual norm of the rows ``X_i' y_i`` (centered if there is an intercept).
    fit_intercept : bool, default=True
        Fit an unpenalized intercept b_i for every label or task. The paper has none.
    tol : float, default=1e-6
        The relative duality gap, (objective - bound) / objective, at which to stop.

    References
    ----------
    Argyriou, Evgeniou & Pontil (2008), Convex multi-task feature learning, Machine Learning 73,
    243-272 (``l21``, ``trace``). Ke, Pan, Yin & Huang, equation (1).
    """

    lam: float = 1.0
    tol: float = field(default=1e-6, kw_only=True)

    revision = 2
    example_grid = tuple(
        {"penalty": penalty, "lam": lam, "tol": 1e-13}
        for penalty in ("l11", "l21", "trace")
        for lam in (1e-4, 0.1, 2.0)
    )
    path_tolerance = 1e-5
    large_arrays = HESSIAN

    @property
    def _constant_feature(self) -> bool:
        return False

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        squares = LeastSquares(problem.design, problem.y, self.fit_intercept)
        basis: Any = None
        if self.penalty == "trace" and squares.has_spectrum:
            quadratic, basis = squares.spectral()
        else:
            quadratic = squares.quadratic()
        rounds = rounds_of(self.penalty, quadratic)
        solve = partial(fista, quadratic, PENALTIES[self.penalty])
        if rounds is not None:
            solve = partial(minimize, quadratic, self.penalty, rounds)
        W = np.zeros_like(quadratic.linear)
        for lam in lams:
            found = solve(1 / lam, W, self.tol, self.max_iter, self.max_seconds)
            W = found.W
            coef = W if basis is None else W @ basis
            yield LinearSolution(
                coef, found.gap, found.n_iter, found.limit, squares.intercept(coef)
            )
