"""What the linear methods for several labels or tasks share: problem, path, scores and report."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.methods.base import Grid, MultiLabelMethod, path_models
from mlbench.methods.linear_tasks import TwoClassTargets, linear_scores, two_class_targets
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.design import Design


@dataclass(frozen=True)
class LinearProblem:
    """The labels (with tasks: the tasks) of two classes, as a solver wants them.

    Attributes
    ----------
    design : Design
        Of k' labels; its first feature is the constant 1 where the method asks for it.
    y : (N,) array of -1 and 1
        In the order of the design's scores.
    """

    design: Design
    y: Floats


@dataclass(frozen=True)
class LinearSolution:
    """What a solver found.

    Attributes
    ----------
    W : (k', d') array
        Coefficients of the problem's design.
    gap : float
        An upper bound on (objective - optimum) / objective.
    n_iter : int
    limit : str, optional
        The parameter that ended the search before the gap was small enough.
    intercept : (k',) array, optional
        Where the solver has intercepts apart from W.
    n_oracle_calls : int, optional
        None where the solver asks no oracle.
    """

    W: Floats
    gap: float
    n_iter: int
    limit: str | None = None
    intercept: Floats | None = None
    n_oracle_calls: int | None = None


class LinearTasks(MultiLabelMethod):
    """Base of the methods that fit one weight vector per label, or per task.

    A subclass states its parameters, `fit_intercept`, `tol`, `max_iter` and `max_seconds` among
    them, and writes `_solve_path`. Its scores are ``X @ coef_.T + intercept_``, cut at 0. A label
    (or task) of one class in training is left out of the problem and scores -1 or 1.

    Attributes
    ----------
    coef_ : (k, d) array
    intercept_ : (k,) array
    gap_ : float
        An upper bound on (objective - optimum) / objective.
    n_iter_ : int
    n_oracle_calls_ : int or None
        None where no oracle was asked: the solver has none, or every label had one class.
    fit_seconds_ : float
        The time for this model; the first of a path bears what all share.
    converged_ : bool
        False if the fit ended on a limit.
    constant_labels_ : int array
        The labels (with tasks: the tasks) that had one class in training.
    """

    threshold = 0.0

    fit_intercept: bool
    tol: float
    max_iter: int
    max_seconds: float | None

    path_parameter: str = "lam"
    """The parameter that grows along a path: the weight of the loss."""

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        """Yield the solution for every strength; they ascend, so each may start from the last."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        require_positive(self, self.path_parameter, "tol")
        require_one_of(self, "fit_intercept", (True, False))
        require_count(self, "max_iter")
        if self.max_seconds is not None:
            require_positive(self, "max_seconds")

    @property
    def _constant_feature(self) -> bool:
        """Whether the design begins with a feature of ones, penalized like the others."""
        return self.fit_intercept

    @property
    def _description(self) -> str:
        value = getattr(self, self.path_parameter)
        return f"{type(self).__name__} with {self.path_parameter}={value:g}"

    def fit(self, X: Matrix, Y: Ints, tasks: Ints | None = None) -> Self:
        """Fit one weight vector per column of Y, or per task.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1; with tasks (n, 1)
        tasks : (n,) int array of 0..T-1, optional

        Warns
        -----
        ConvergenceWarning
            ``max_iter`` or ``max_seconds`` ended the fit before the gap was within ``tol``.

        Raises
        ------
        MethodError
            A parameter is wrong, or numbers overflowed.
        """
        list(_fit_models([self], X, Y, tasks))
        return self

    def fit_path(
        self, X: Matrix, Y: Ints, grid: Grid, tasks: Ints | None = None
    ) -> Iterator[tuple[int, Self]]:
        """Yield (index, fitted model) for every point of a grid of parameters.

        Points that differ in the weight of the loss only are fitted in its ascending order,
        each started from the one before.
        """
        others = sorted(set(self.get_params()) - {self.path_parameter})
        for group in path_models(self, grid, others):
            for _, model in group:
                model.check_parameters()
            group.sort(key=lambda item: getattr(item[1], self.path_parameter))
            indices, models = map(list, zip(*group, strict=True))
            group.clear()
            yield from zip(indices, _fit_models(models, X, Y, tasks), strict=True)

    @property
    def fit_report_(self) -> dict[str, Any]:
        """How well, and at what cost, the model was fitted."""
        report = {
            "gap": self.gap_,
            "iterations": self.n_iter_,
            "seconds": self.fit_seconds_,
            "converged": self.converged_,
        }
        if self.n_oracle_calls_ is not None:
            report["oracle_calls"] = self.n_oracle_calls_
        return report

    def _set_solution(self, solution: LinearSolution, targets: TwoClassTargets) -> None:
        """Set the learned attributes; labels of a single class score their constants."""
        if not (np.isfinite(solution.gap) and np.isfinite(solution.W).all()):
            raise MethodError(
                f"{self._description} went beyond the range of floating-point numbers; scale the "
                f"features, for example standardize them, or choose a smaller {self.path_parameter}"
            )
        width = self.n_features_in_
        fitted = targets.fitted
        self.coef_ = np.zeros((len(targets.constants), width))
        self.intercept_ = targets.constants.copy()
        self.coef_[fitted] = solution.W[:, solution.W.shape[1] - width :]
        if solution.intercept is not None:
            self.intercept_[fitted] = solution.intercept
        elif self._constant_feature:
            self.intercept_[fitted] = solution.W[:, 0]
        else:
            self.intercept_[fitted] = 0.0
        self.gap_ = float(solution.gap)
        self.n_iter_ = int(solution.n_iter)
        self.converged_ = solution.limit is None
        self.n_oracle_calls_ = solution.n_oracle_calls
        if solution.limit is not None:
            warnings.warn(
                f"{self._description} ended on {solution.limit}={getattr(self, solution.limit):g}: "
                f"its relative gap is {self.gap_:.2g}, above tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=2,
            )

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return linear_scores(X, self.coef_, self.intercept_, tasks)


def _fit_models(
    models: list[LinearTasks], X: Matrix, Y: Ints, tasks: Ints | None
) -> Iterator[LinearTasks]:
    """Yield the models fitted; they ascend in strength and differ in nothing else.

    The list is emptied on the way: a path holds no model that its user has let go.
    """
    started = perf_counter()
    for model in models:
        checked, labels, of_task = model._check_training(X, Y, tasks)
    first = models[0]
    targets = two_class_targets(labels, of_task, first.n_tasks_)
    if len(targets.fitted):
        problem = _problem(checked, targets, first._constant_feature)
        lams = [float(getattr(model, first.path_parameter)) for model in models]
        solutions = iter(first._solve_path(problem, lams))
    else:
        nothing = LinearSolution(np.zeros((0, first.n_features_in_)), 0.0, 0)
        solutions = iter([nothing] * len(models))
    models.reverse()
    while models:
        model = models.pop()
        model._set_solution(next(solutions), targets)
        model.fit_seconds_ = perf_counter() - started
        yield model
        del model
        started = perf_counter()


def _problem(X: Matrix, targets: TwoClassTargets, constant_feature: bool) -> LinearProblem:
    if constant_feature:
        ones = np.ones((X.shape[0], 1))
        X = sparse.hstack([ones, X], "csr") if sparse.issparse(X) else np.hstack([ones, X])
    return LinearProblem(Design(X, len(targets.fitted), targets.parts), targets.y)
