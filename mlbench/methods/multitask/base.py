"""Base class of the linear methods for several labels or tasks: path, scores and report."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.methods.linear_tasks import TwoClassTargets, linear_scores, two_class_targets
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethodWithTasks
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.design import Design
from mlbench.solvers.penalties import PENALTIES


@dataclass(frozen=True)
class LinearProblem:
    """The design and targets of the labels (with tasks: the tasks) that have two classes.

    Attributes
    ----------
    design : Design
        Of k' labels; its first feature is the constant 1 if the method asks for it.
    y : (N,) array of -1 and 1
        In the order of the design's scores.
    """

    design: Design
    y: Floats


@dataclass(frozen=True)
class LinearSolution:
    """The solution of a solver.

    Attributes
    ----------
    W : (k', d') array
        Coefficients of the problem's design.
    gap : float
        An upper bound on (objective - optimum) / objective.
    n_iter : int
    limit : str, optional
        The parameter whose limit ended the search before the gap was within ``tol``.
    intercept : (k',) array, optional
        Given if the solver has intercepts apart from W.
    n_oracle_calls : int, optional
        None if the solver has no oracle.
    """

    W: Floats
    gap: float
    n_iter: int
    limit: str | None = None
    intercept: Floats | None = None
    n_oracle_calls: int | None = None


@dataclass(eq=False, repr=False)
class LinearTasks(PathMethodWithTasks):
    """Base class of the methods that fit one weight vector per label or per task.

    A subclass declares the parameters below and its own, and implements `_solve_path`. Its scores
    are ``X @ coef_.T + intercept_``, with threshold 0. A label (with tasks: a task) with a single
    class in training is left out of the problem and scores -1 or 1.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant feature of 1, penalized like the others.
    tol : float
        The relative duality gap, (objective - bound) / objective, at which to stop.
    max_iter : int, default=10000
        The largest number of iterations.
    max_seconds : float, optional
        The largest time for one value of `path_parameter`; results then depend on the machine.

    Attributes
    ----------
    coef_ : (k, d) array
    intercept_ : (k,) array
    gap_ : float
        An upper bound on (objective - optimum) / objective.
    n_iter_ : int
    n_oracle_calls_ : int or None
        Calls of the oracle or of the proximal step of the loss, over all labels or tasks; None if
        there were none.
    fit_seconds_ : float
        The time for this model; the first model of a path includes what all share.
    converged_ : bool
        False if the fit reached a limit.
    constant_labels_ : int array
        The labels (with tasks: the tasks) with a single class in training.
    """

    _: KW_ONLY
    fit_intercept: bool = True
    tol: float = 1e-3
    max_iter: int = 10_000
    max_seconds: float | None = None

    threshold = 0.0

    path_parameter: ClassVar[str] = "lam"
    """The parameter that increases along a path: the weight of the loss."""

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        """Yield the solution for every weight of the loss; the weights ascend."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        require_positive(self, self.path_parameter, "tol")
        require_one_of(self, "fit_intercept", (True, False))
        require_count(self, "max_iter")
        if self.max_seconds is not None:
            require_positive(self, "max_seconds")

    @property
    def _constant_feature(self) -> bool:
        """Whether the first feature of the design is 1, penalized like the others."""
        return self.fit_intercept

    @property
    def _description(self) -> str:
        value = getattr(self, self.path_parameter)
        return f"{type(self).__name__} with {self.path_parameter}={value:g}"

    @property
    def _shared_parameters(self) -> Sequence[str]:  # type: ignore[override]
        """All parameters except the one that varies on the path."""
        return sorted(set(self.get_params()) - {self.path_parameter})

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models. A group ascends, and each model starts from the previous one.

        The groups are emptied on the way, so that the path keeps no reference to a yielded model.
        """
        for group in groups:
            started = perf_counter()
            for _, model in group:
                checked, labels, of_task = model._check_training(X, Y, tasks)
            group.sort(key=lambda item: getattr(item[1], self.path_parameter))
            first = group[0][1]
            targets = two_class_targets(labels, of_task, first.n_tasks_)
            if len(targets.fitted):
                problem = _problem(checked, targets, first._constant_feature)
                lams = [float(getattr(model, self.path_parameter)) for _, model in group]
                solutions = iter(first._solve_path(problem, lams))
            else:
                nothing = LinearSolution(np.zeros((0, first.n_features_in_)), 0.0, 0)
                solutions = iter([nothing] * len(group))
            group.reverse()
            while group:
                index, model = group.pop()
                model._set_solution(next(solutions), targets)
                model.fit_seconds_ = perf_counter() - started
                yield index, model
                started = perf_counter()

    @property
    def fit_report_(self) -> dict[str, Any]:
        """Gap, iterations, time and convergence of the fit."""
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


@dataclass(eq=False, repr=False)
class PenalizedTasks(LinearTasks):
    """Base class of the methods with a joint penalty of all weight vectors.

    Parameters
    ----------
    penalty : {"l21", "l11", "trace"}, default="l21"
        The norm ``Omega(W)`` of the weight vectors, one row per label or task. ``l21``: the sum
        over features of the 2-norm over labels, ``sum_j ||W[:, j]||_2``. ``l11``: the sum of
        absolute values. ``trace``: the sum of singular values.
    """

    penalty: str = "l21"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of(self, "penalty", tuple(PENALTIES))


def _problem(X: Matrix, targets: TwoClassTargets, constant_feature: bool) -> LinearProblem:
    if constant_feature:
        ones = np.ones((X.shape[0], 1))
        X = sparse.hstack([ones, X], "csr") if sparse.issparse(X) else np.hstack([ones, X])
    return LinearProblem(Design(X, len(targets.fitted), targets.parts), targets.y)
