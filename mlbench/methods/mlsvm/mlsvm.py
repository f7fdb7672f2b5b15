"""Joint dimensionality reduction and multi-label classification by SVMs, in its four forms."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.methods.base import RandomState, TransformerMethod
from mlbench.methods.large_arrays import SINGULAR_VECTORS, LargeArray
from mlbench.methods.linear_tasks import linear_scores
from mlbench.methods.mlsvm.alternation import JointSolution
from mlbench.methods.mlsvm.problem import JointProblem, TrainingData
from mlbench.methods.mlsvm.solvers import MAX_ITER, SOLVERS
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethodWithTasks
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.certificate import StoppingCriterion
from mlbench.solvers.proximal.douglas_rachford import SplittingState
from mlbench.solvers.spectral_support_norm import HalfSquaredSpectralSupport

_MAX_HISTORY = 200
"""Iterations of a history that a report holds."""


@dataclass(eq=False, repr=False)
class MLSVM(PathMethodWithTasks, TransformerMethod):
    """Base class of the four methods.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses, ``sum_l 1/2 ||w_l||^2 + C * sum of losses``.
    r : int or float, default=0.5
        The number of directions, or as a float from 0 to 1 a share of the labels with two classes.
        It is cut to the largest rank of a linear map to the labels, at which the SVMs are
        independent.
    solver : {"primal_dual", "fw", "paper"}, default="primal_dual"
        A splitting method for the convex relaxation, which reaches any gap; the Frank-Wolfe method
        for it, which is slow; or the alternation of the paper from a random projection, which
        need not converge and keeps its best iterate.
    round : bool, default=False
        Fit the SVMs again on the r leading directions; the solution of the relaxation may use
        more.
    tol : float, default=1e-3
        The relative duality gap, (objective - bound) / objective, at which to stop.
    max_iter : int, optional
        The largest number of iterations; by default 10000, 100 for "fw" and 20 for "paper".
    max_seconds : float, optional
        The largest time for one fit; results then depend on the machine.
    random_state : int, optional
        Seed of the initial projection of ``solver="paper"``.

    Attributes
    ----------
    coef_ : (k, d) array
    intercept_ : (k,) array
    components_ : (q, d) array
        The leading directions: r, or fewer if the coefficients have lower rank.
    r_effective_ : int
        r, cut to the number of labels of two classes and to the rank of the inputs.
    obj_alpha_, obj_Q_ : float
        The two sides of the saddle point: the optimum of the relaxation lies between them.
    gap_ : float
        (obj_alpha_ - obj_Q_) / obj_alpha_.
    history_ : (n_iter, 2) array
        obj(alpha) and obj(Q) of every iteration of "fw" and "paper"; empty for "primal_dual".
    rounding_loss_ : float or None
        How much larger the objective of the rounded model is, relative to obj_alpha_.
    n_iter_ : int
        1 if r is so large that the SVMs are independent.
    fit_seconds_ : float
        The time for this model; the first model of a path includes what all share.
    converged_ : bool
        False if the fit reached a limit.
    constant_labels_ : int array
        The labels (with tasks: the tasks) with a single class in training; they score -1 or 1.

    References
    ----------
    Ji & Ye (2009), Linear dimensionality reduction for multi-label classification. IJCAI,
    1077-1082.
    """

    C: float = 1.0
    r: float = 0.5
    solver: str = "primal_dual"
    round: bool = False
    tol: float = 1e-3
    max_iter: int | None = None
    max_seconds: float | None = None
    random_state: RandomState = None

    large_arrays = (*SINGULAR_VECTORS, LargeArray("inputs in the basis", "n", "m", 2))
    threshold = 0.0
    example_grid = (
        {"r": 1, "C": 0.1},
        {"r": 2, "C": 0.1},
        {"r": 2, "C": 10.0},
        {"r": 2, "C": 1.0, "round": True},
        {"r": 3, "C": 1.0},
    )
    path_tolerance = 0.1

    loss: ClassVar[str]
    """``hinge`` or ``squared_hinge``."""

    def _check_parameters(self) -> None:
        require_positive(self, "C", "tol")
        share = isinstance(self.r, Real) and not isinstance(self.r, Integral) and 0 < self.r <= 1
        count = isinstance(self.r, Integral) and not isinstance(self.r, bool) and self.r >= 1
        if not (share or count):
            raise MethodError(
                f"{type(self).__name__}: r must be a whole number of at least 1, or a share of the "
                f"labels above 0 and at most 1.0; got {self.r!r}"
            )
        require_one_of(self, "solver", tuple(SOLVERS))
        require_one_of(self, "round", (True, False))
        if self.max_iter is not None:
            require_count(self, "max_iter")
        if self.max_seconds is not None:
            require_positive(self, "max_seconds")

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all share one decomposition of X, a group the projection's constraint.

        The default solver takes r and, for each r, C in ascending order, with warm starts. The
        groups are emptied on the way, so that the path keeps no reference to a yielded model.
        """
        inputs = None
        started = perf_counter()
        for group in groups:
            for _, model in group:
                checked, labels, of_task = model._check_training(X, Y, tasks)
            if inputs is None:
                inputs = TrainingData(checked, labels, of_task, model.n_tasks_)
            problem = inputs.problem(model.loss, getattr(model, "mu", None))
            group.sort(key=lambda item: (-item[1]._n_directions(problem), -item[1].C))
            state_at_least_C: SplittingState | None = None
            state: SplittingState | None = None
            r_before = 0
            while group:
                index, model = group.pop()
                r = model._n_directions(problem)
                if r != r_before:
                    state = state_at_least_C
                stop = StoppingCriterion(
                    model.tol, model.max_iter or MAX_ITER[model.solver], model.max_seconds
                )
                solution, state = SOLVERS[model.solver](
                    problem, r, float(model.C), stop, state, model.random_state
                )
                if r != r_before:
                    state_at_least_C, r_before = state, r
                model._set_solution(solution, problem, r, inputs)
                model.fit_seconds_ = perf_counter() - started
                yield index, model
                started = perf_counter()

    def _features(self, X: Matrix) -> Floats:
        return np.asarray(X @ self.components_.T)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    @property
    def fit_report_(self) -> dict[str, Any]:
        """Gap, bounds, iterations, time and convergence of the fit."""
        report = {
            "gap": self.gap_,
            "obj_alpha": self.obj_alpha_,
            "obj_Q": self.obj_Q_,
            "iterations": self.n_iter_,
            "seconds": self.fit_seconds_,
            "converged": self.converged_,
            "r": self.r_effective_,
        }
        if self.rounding_loss_ is not None:
            report["rounding_loss"] = self.rounding_loss_
        if len(self.history_) > 0:
            report["history"] = _thinned(self.history_)
        return report

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return linear_scores(X, self.coef_, self.intercept_, tasks)

    def _n_directions(self, problem: JointProblem) -> int:
        """Return r as a number of directions, cut to the largest rank."""
        n_labels = problem.design.n_tasks
        wanted = self.r if isinstance(self.r, Integral) else ceil(self.r * n_labels)
        return int(min(wanted, problem.largest_rank))

    def _set_solution(
        self, solution: JointSolution, problem: JointProblem, r: int, inputs: TrainingData
    ) -> None:
        """Set the learned attributes; labels of a single class score their constants."""
        W, basis = solution.W, HalfSquaredSpectralSupport(max(r, 1)).directions(solution.W)[0]
        basis = basis[:, :r]
        self.rounding_loss_ = None
        if self.round and r > 0:
            coef = problem.svms(basis, self.C).coef
            W = coef @ basis.T
            rounded = 0.5 * float(np.vdot(coef, coef)) + self.C * problem.total_loss(W)
            self.rounding_loss_ = rounded / solution.objective - 1.0
        weights, offsets = problem.to_features(W)
        self.coef_ = np.zeros((len(inputs.targets.constants), self.n_features_in_))
        self.intercept_ = inputs.targets.constants.copy()
        self.coef_[inputs.targets.fitted] = weights
        self.intercept_[inputs.targets.fitted] = problem.biases(W) - offsets
        self.components_ = _with_fixed_signs(problem.to_features(basis.T)[0])
        self.r_effective_ = r
        self.obj_alpha_, self.obj_Q_ = solution.objective, solution.bound
        self.gap_, self.n_iter_ = float(solution.gap), solution.n_iter
        self.history_ = solution.history
        self.converged_ = solution.limit is None
        if solution.limit is not None:
            warnings.warn(
                f"{type(self).__name__} with C={self.C:g}, r={r}, solver={self.solver!r} ended on "
                f"{solution.limit}: its relative gap is {self.gap_:.2g}, above tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=2,
            )


def _thinned(history: Floats) -> dict[str, list[float]]:
    """Return a history as lists; a long one is thinned at geometrically spaced iterations."""
    n = len(history)
    places = np.arange(n)
    if n > _MAX_HISTORY:
        places = np.unique(np.geomspace(1, n, _MAX_HISTORY).round().astype(int)) - 1
    objective, bound = history[places].T.tolist()
    return {"iteration": (places + 1).tolist(), "objective": objective, "bound": bound}


def _with_fixed_signs(directions: Floats) -> Floats:
    """Return the rows with a positive largest entry."""
    if directions.size == 0:
        return directions
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    return np.asarray(directions * np.where(largest < 0, -1.0, 1.0)[:, None])


class OrthonormalMap(MLSVM):
    """MLSVM-T: SVMs of all labels on one orthonormal projection, Q'Q = I."""


@dataclass(eq=False, repr=False)
class OrthonormalFeatures(MLSVM):
    """MLSVM-F: SVMs of all labels on features that are orthonormal, Q'(X'X + mu I)Q = I.

    Parameters
    ----------
    mu : float, default=0.01
        Weight of the ridge ``mu I`` added to the covariance of the features, as a multiple of the
        mean squared norm of the centered rows.
    """

    mu: float = 0.01

    _shared_parameters = ("mu",)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "mu")


class MLSVMTL1(OrthonormalMap):
    """MLSVM-T-L1: hinge-loss SVMs of all labels on one orthonormal projection of the inputs.

    Minimizes ``sum_l 1/2 ||w_l||^2 + C sum_i max(0, 1 - y_il (w_l'Q'x_i + b_l))`` over W, b and Q
    with Q'Q = I, or rather its convex relaxation, in which Q Q' is any convex combination of
    projections. The relaxation is the spectral r-support norm of the coefficients W Q'. With r at
    least the number of labels these are plain SVMs with the same C.
    """

    loss = "hinge"


class MLSVMFL1(OrthonormalFeatures):
    """MLSVM-F-L1: hinge-loss SVMs of all labels on a few features that are orthonormal.

    As `mlsvm_t_l1` with Q'(X'X + mu I)Q = I instead, for centered X. That is `mlsvm_t_l1` on
    whitened inputs. With r at least the number of labels these are SVMs with the kernel
    ``X (X'X + mu I)^-1 X'``.
    """

    loss = "hinge"


class MLSVMTL2(OrthonormalMap):
    """MLSVM-T-L2: squared-hinge SVMs of all labels on one orthonormal projection of the inputs.

    As `mlsvm_t_l1` with the loss ``max(0, 1 - y_il (w_l'Q'x_i + b_l))^2``.
    """

    loss = "squared_hinge"


class MLSVMFL2(OrthonormalFeatures):
    """MLSVM-F-L2: squared-hinge SVMs of all labels on a few features that are orthonormal.

    As `mlsvm_f_l1` with the loss ``max(0, 1 - y_il (w_l'Q'x_i + b_l))^2``.
    """

    loss = "squared_hinge"
