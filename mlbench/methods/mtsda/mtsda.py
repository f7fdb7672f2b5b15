"""Multi-task sparse discriminant analysis (MtSDA): sparse optimal scoring for many labels."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Real
from time import perf_counter
from typing import Any, Self

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.methods.base import TransformerMethod
from mlbench.methods.mtsda.alternation import (
    AlternationLimits,
    AlternationResult,
    OptimalScoringProblem,
)
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix

_PATH_PARAMETERS = {"lam1", "lam2", "rho"}
_LIMIT_REASONS = {
    "max_rounds": "the objective was still decreasing",
    "max_sweeps": "the coefficients had not converged yet",
    "precision": "rounding errors prevent the accuracy that tol asks for",
}


@dataclass(eq=False, repr=False)
class BaseMtSDA(PathMethod, TransformerMethod):
    """Base class of the two MtSDA methods; a subclass defines `_rho`.

    Parameters
    ----------
    lam1 : float, default=0.2
        Weight of the penalty ``lam1 * ||b_j||_1``, relative to ``lam1_max_``: from 1 on all
        coefficients are 0.
    lam2 : float, default=0.1
        Weight of the penalty ``lam2 * b_j' Omega b_j``, in units of n: with 1, b'Omega b counts
        like the variance of a feature.
    units : {"relative", "absolute"}, default="relative"
        Whether lam1 and lam2 are relative, as above, or the weights of the objective themselves.
    standardize : bool, default=True
        Scale every feature to variance 1. Features are always centered, and constant ones are
        left out.
    center : {"xy", "x"}, default="xy"
        With ``xy`` the labels are centered too, so that scores include the means of the labels.
        ``x`` follows the paper: the scores of every label average to 0 over the training rows,
        and 1/2 is not a useful threshold; use the threshold ``train_f1_global`` with it.
    init : {"symmetric", "paper"}, default="symmetric"
        The initial Theta. ``symmetric``: the targets closest to the labels; lam1 then decreases to
        its value in steps with warm starts. ``paper``: from the first rows (Algorithm 2), with
        lam1 at its value from the start; it depends on the order of the rows.
    theta_step : {"range", "paper"}, default="range"
        The update of Theta. ``paper`` is equation (9), which violates the constraint.
    tol : float, default=1e-5
        The alternation stops when the relative decrease of the objective in a round and the
        relative duality gap of B given Theta are at most tol.
    max_rounds : int, default=50
        The largest number of updates of B.
    max_sweeps : int, default=10000
        The largest number of coordinate descent sweeps for one column of B in one update.

    Attributes
    ----------
    scalings_ : (d, q) CSC matrix
        The coefficients B, for features as they are: ``transform(X) = X @ scalings_ - offset_``.
    offset_ : (q,) array
    theta_ : (k, q) array
        The scores Theta; rows of zeros for labels of one class.
    intercept_ : (k,) array
        What is added to ``transform(X) @ pinv(theta_)``: the labels' means with ``center="xy"``.
    lam1_, lam2_, lam1_max_ : float
        On the scale of the objective.
    objectives_ : (n_iter_,) array
        The objective after every update of B that counts: one at scores that raised it does not.
    n_iter_ : int
        Their number.
    n_sweeps_ : int
        Sweeps of coordinate descent in them, over all columns of B.
    coefficient_gap_ : float
        A bound on (objective - minimum over B) / objective, for Theta as it is. The distance from
        the minimum over both is unknown: the problem is not convex.
    converged_ : bool
        False if the fit reached a limit.
    constant_labels_ : int array
        The labels with a single class in training, which is their score.

    References
    ----------
    Han, Wu, Jia, Zhuang & Yu (2010), Multi-task sparse discriminant analysis (MtSDA) with
    overlapping categories, AAAI: equation (1), Algorithm 2.
    """

    lam1: float = 0.2
    lam2: float = 0.1
    units: str = "relative"
    standardize: bool = True
    center: str = "xy"
    init: str = "symmetric"
    theta_step: str = "range"
    tol: float = 1e-5
    max_rounds: int = 50
    max_sweeps: int = 10_000

    path_tolerance = 1e-10
    revision = 3
    example_grid = tuple(
        {"lam1": lam1, "lam2": lam2} for lam2 in (0.01, 1.0) for lam1 in (0.02, 0.5, 1.5)
    )

    @property
    def _rho(self) -> float:
        raise NotImplementedError

    @property
    def _shared_parameters(self) -> Sequence[str]:  # type: ignore[override]
        """All parameters except the ones that vary on the path."""
        return sorted(set(self.get_params()) - _PATH_PARAMETERS)

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; those of a group share the standardized X.

        Those that differ only in ``lam1`` share one decreasing sequence of it, the same as that of
        an independent fit, so the models are equal. The groups are emptied on the way, so that the
        path keeps no reference to a yielded model.
        """
        for group in groups:
            cells: dict[tuple[float, float], list[tuple[int, Self]]] = {}
            for index, model in group:
                checked, labels, _ = model._check_training(X, Y)
                model._check_rho()
                cells.setdefault((model._rho, model.lam2), []).append((index, model))
            problem = OptimalScoringProblem(
                checked, labels, model.standardize, model.center, model.init, model.theta_step
            )
            relative = model.units == "relative"
            group.clear()
            for (rho, strength), cell in cells.items():
                started = perf_counter()
                cell.sort(key=lambda item: item[1].lam1)
                lam2 = float(strength) * (problem.n if relative else 1)
                lam1_path = problem.lam1_path(lam2, rho)
                while cell:
                    index, model = cell.pop()
                    model.lam1_max_ = problem.lam1_max
                    model.lam1_ = float(model.lam1) * (problem.lam1_max if relative else 1)
                    model.lam2_ = lam2
                    limits = AlternationLimits(model.tol, model.max_rounds, model.max_sweeps)
                    model._set_solution(lam1_path.at(model.lam1_, limits), problem)
                    model.fit_seconds_ = perf_counter() - started
                    yield index, model
                    started = perf_counter()

    def _check_parameters(self) -> None:
        require_positive(self, "lam1", zero=True)
        require_positive(self, "lam2", "tol")
        require_count(self, "max_rounds")
        require_count(self, "max_sweeps")
        require_one_of(self, "units", ("relative", "absolute"))
        require_one_of(self, "standardize", (True, False))
        require_one_of(self, "center", ("xy", "x"))
        require_one_of(self, "init", ("symmetric", "paper"))
        require_one_of(self, "theta_step", ("range", "paper"))

    def _check_rho(self) -> None:
        """Check rho given the number of features."""

    def _set_solution(self, found: AlternationResult, problem: OptimalScoringProblem) -> None:
        columns = problem.columns
        coefficients = found.B / columns.scale[:, None]
        self.offset_ = columns.mean @ coefficients
        row, column = np.nonzero(coefficients)
        self.scalings_ = sparse.csc_matrix(
            (coefficients[row, column], (columns.kept[row], column)),
            shape=(self.n_features_in_, coefficients.shape[1]),
        )
        self.theta_ = found.theta
        self._decoder = linalg.pinv(found.theta) if found.theta.size else found.theta.T
        # By pinv they are 0 but for rounding, and AUC would rank by that.
        self._decoder[:, self.constant_labels_] = 0
        self.intercept_ = problem.intercept
        self.objectives_ = np.array(found.objectives)
        self.n_iter_ = len(found.objectives)
        self.n_sweeps_ = found.n_sweeps
        self.coefficient_gap_ = found.gap
        self.converged_ = found.limit is None
        if found.limit is not None:
            warnings.warn(
                f"{type(self).__name__} with lam1={self.lam1:g}, lam2={self.lam2:g} ended on "
                f"{found.limit} after {self.n_iter_} rounds: {_LIMIT_REASONS[found.limit]}",
                ConvergenceWarning,
                stacklevel=2,
            )

    @property
    def fit_report_(self) -> dict[str, Any]:
        """Iterations, time and convergence of the fit; ``gap`` is unknown, see above."""
        return {
            "gap": None,
            "coefficient_gap": self.coefficient_gap_,
            "iterations": self.n_iter_,
            "sweeps": self.n_sweeps_,
            "seconds": self.fit_seconds_,
            "converged": self.converged_,
        }

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def _features(self, X: Matrix) -> Floats:
        Z = X @ self.scalings_
        return np.asarray(Z.toarray() if sparse.issparse(Z) else Z) - self.offset_

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return self._features(X) @ self._decoder + self.intercept_


class MtSDAIdentity(BaseMtSDA):
    """MtSDA with Omega = I: sparse discriminant directions for all labels together.

    Minimizes over coefficients B (d, q) and scores Theta (k, q)

        (1/n) sum_j (||Y theta_j - X b_j||^2 + lam2 b_j' Omega b_j + lam1 ||b_j||_1)

    subject to ``(1/n) (Y Theta)'(Y Theta) = I``, q the rank of Y by alternation. Labels are
    predicted if the score ``Theta^+' B' x`` plus the label's mean is above 1/2.
    """

    @property
    def _rho(self) -> float:
        return 0.0


@dataclass(eq=False, repr=False)
class MtSDAEquicorrelation(BaseMtSDA):
    """MtSDA with Omega = (1 - rho) I + rho 1 1': the sum of coefficients is penalized too.

    Minimizes over coefficients B (d, q) and scores Theta (k, q)

        (1/n) sum_j (||Y theta_j - X b_j||^2 + lam2 b_j' Omega b_j + lam1 ||b_j||_1)

    subject to ``(1/n) (Y Theta)'(Y Theta) = I``, q the rank of Y by alternation. Labels are
    predicted if the score ``Theta^+' B' x`` plus the label's mean is above 1/2. With rho = 0
    this is `MtSDAIdentity`.

    Parameters
    ----------
    rho : float, default=0.1
        Correlation in the penalty matrix ``Omega = (1 - rho) I + rho 1 1'``, between 1/(1 - d) for
        d features and 1. Positive values favor coefficients that sum to 0, negative ones
        coefficients of equal sign.
    """

    rho: float = 0.1

    example_grid = (
        *BaseMtSDA.example_grid,
        *({"rho": rho, "lam1": lam1} for rho in (-0.05, 0.8) for lam1 in (0.05, 0.3)),
    )

    @property
    def _rho(self) -> float:
        return float(self.rho)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.rho, bool) or not isinstance(self.rho, Real) or not self.rho < 1:
            raise MethodError(
                f"{type(self).__name__}: rho must be a number below 1, and above 1/(1 - d) for d "
                f"features; got {self.rho!r}"
            )

    def _check_rho(self) -> None:
        d = self.n_features_in_
        least = 1 / (1 - d) if d > 1 else -inf
        if not self.rho > least:
            raise MethodError(
                f"{type(self).__name__}: rho must lie between 1/(1 - d) and 1, which for "
                f"{d} features is ({least:g}, 1); got {self.rho!r}"
            )
