"""Multi-task least squares with a penalty that ties the tasks together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlbench.methods.multitask.base import LinearProblem, LinearSolution, LinearTasks
from mlbench.methods.parameters import require_one_of
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.fista import fista
from mlbench.solvers.proximal.least_squares import LeastSquares


class MTLReg(LinearTasks):
    """Multi-task regression: squared loss on targets of -1 and 1, and a joint penalty.

    Minimizes ``penalty(W) + lam * sum_i 1/2 ||y_i - X w_i - b_i||^2`` over the weight vectors
    w_i of the labels (with tasks: of the tasks, each on its own rows). A label is predicted where
    its score is above 0.

    Parameters
    ----------
    penalty : {"l21", "l11", "trace"}, default="l21"
        ``l11``: the sum of absolute values. ``l21``: the sum over features of the 2-norm over
        labels. ``trace``: the sum of the singular values of W.
    lam : float, default=1.0
        The weight of the loss. W is 0 if and only if lam is at most 1 over the dual norm of the
        rows ``X' y_i``, X and y_i less their means if there is an intercept.
    fit_intercept : bool, default=True
        Fit an intercept b_i for every label, which is not penalized. The paper has none.
    tol : float, default=1e-6
        The duality gap, relative to the objective, at which to stop.
    max_iter : int, default=10000
        The most steps.
    max_seconds : float, optional
        The most time for one value of lam, once what a path shares is computed.

    Attributes
    ----------
    coef_ : (k, d) array
    intercept_ : (k,) array
    gap_ : float
        The duality gap, relative to the objective.
    n_iter_ : int
    fit_seconds_ : float
    converged_ : bool
        False if the fit ended on a limit.
    constant_labels_ : int array
        The labels (with tasks: the tasks) of one class in training; they score -1 or 1.

    References
    ----------
    Argyriou, Evgeniou & Pontil (2008), Convex multi-task feature learning, Machine Learning 73,
    243-272 (``l21``, ``trace``). Ke, Pan, Yin & Huang, equation (1).
    """

    example_grid = tuple(
        {"penalty": penalty, "lam": lam, "tol": 1e-13}
        for penalty in ("l11", "l21", "trace")
        for lam in (1e-4, 0.1, 2.0)
    )
    path_tolerance = 1e-5

    def __init__(
        self,
        penalty: str = "l21",
        lam: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        max_seconds: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    @property
    def _constant_feature(self) -> bool:
        return False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of(self, "penalty", tuple(PENALTIES))

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        squares = LeastSquares(problem.design, problem.y, self.fit_intercept)
        basis: Any = None
        if self.penalty == "trace" and squares.has_spectrum:
            quadratic, basis = squares.spectral()
        else:
            quadratic = squares.quadratic()
        W = np.zeros_like(quadratic.linear)
        for lam in lams:
            found = fista(
                quadratic,
                PENALTIES[self.penalty],
                1 / lam,
                W,
                self.tol,
                self.max_iter,
                self.max_seconds,
            )
            W = found.W
            coef = W if basis is None else W @ basis
            yield LinearSolution(
                coef, found.gap, found.n_iter, found.limit, squares.intercept(coef)
            )
