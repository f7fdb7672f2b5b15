"""The least-squares probabilistic classifier, one label at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.methods.kernels import GaussianBasis, gram_eigenpairs
from mlbench.methods.lspc.base import LeastSquaresProbabilistic
from mlbench.methods.parameters import require_positive
from mlbench.methods.task_path import TaskPathMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(eq=False, repr=False)
class LSPC(TaskPathMethod, LeastSquaresProbabilistic):
    """Least-squares probabilistic classifier: an independent kernel fit of each label.

    Class indicators are fitted by Gaussian basis functions centered on the training rows, with
    squared loss and an l2 penalty. Negative values are set to 0, and the two classes are
    normalized. With tasks, every task has a classifier of its own, fitted to its own rows.

    Parameters
    ----------
    rho : float, default=0.1
        Weight of the penalty ``rho * ||theta||^2`` of the coefficients.

    References
    ----------
    Sugiyama (2010), IEICE Transactions E93-D, 2690-2701; section 2 of Nam, Hachiya &
    Sugiyama, Computationally efficient multi-label classification by least-squares
    probabilistic classifiers.
    """

    rho: float = 0.1

    example_grid = tuple(
        {"width": width, "rho": rho} for width in (0.5, 1.0) for rho in (0.01, 1.0)
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "rho")

    def _fit_models(
        self, models: Sequence[LSPC], design: Floats, Y: Ints, tasks: Ints | None
    ) -> Iterator[LSPC]:
        centers, sigma = models[0].basis_.centers, models[0].basis_.sigma
        right = design.T @ np.column_stack([Y, np.ones(len(Y))])
        f, V = gram_eigenpairs(design, symmetric=len(design) == centers.points.shape[0])
        right = V.T @ right
        basis = GaussianBasis(centers, sigma, rotation=V)
        for model in models:
            model.basis_ = basis
            model.coefficients_ = right / (f + model.rho)[:, None]
            yield model

    def _class_fits(self, X: Matrix, tasks: Ints | None) -> tuple[Floats, Floats]:
        fits = self.basis_(X) @ self.coefficients_
        return fits[:, :-1], fits[:, -1:]

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        scores = super()._scores(X, tasks)
        if tasks is not None:
            fitted = [self.task_models_[task] for task in np.unique(tasks)]
            self._counts["undefined"] = sum(getattr(each, "n_undefined_", 0) for each in fitted)
        return scores

    def _join_reports(self) -> None:
        """Set nothing: a fit in closed form has no report."""
