"""The least-squares probabilistic classifier, one label at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.base import clone

from mlbench.methods.kernels import GaussianBasis, gram_eigenpairs
from mlbench.methods.lspc.base import LeastSquaresProbabilistic
from mlbench.methods.parameters import require_positive
from mlbench.methods.path_method import PathMethodWithTasks
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(eq=False, repr=False)
class LSPC(PathMethodWithTasks, LeastSquaresProbabilistic):
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

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; with tasks, each task shares the work of all groups."""
        if tasks is None:
            yield from super()._fit_groups(groups, X, Y, None)
            return
        models = dict(sorted(item for group in groups for item in group))
        for model in models.values():
            checked, labels, of_task = model._check_training(X, Y, tasks)
        if models:
            _fit_tasks(list(models.values()), checked, labels, of_task)
        yield from models.items()

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
        if tasks is None:
            return super()._scores(X, None)
        scores = np.empty((X.shape[0], 1))
        undefined = 0
        for task in np.unique(tasks):
            rows = tasks == task
            part = self.parts_[task]
            if isinstance(part, LSPC):
                scores[rows] = part._scores(X[rows], None)
                undefined += part.n_undefined_
            else:
                scores[rows] = part
        self._counts["undefined"] = undefined
        return scores


def _fit_tasks(models: Sequence[LSPC], X: Matrix, Y: Ints, tasks: Ints | None) -> Sequence[LSPC]:
    """Set ``parts_`` of every model: for each task a fitted LSPC or the constant score."""
    for model in models:
        model.parts_ = [None] * model.n_tasks_
    grid = [model.get_params() for model in models]
    for task in range(models[0].n_tasks_):
        rows = tasks == task
        seen = np.unique(Y[rows])
        if len(seen) == 2:
            for index, part in clone(models[0]).fit_path(X[rows], Y[rows], grid):
                models[index].parts_[task] = part
            continue
        positive = bool(seen.any())
        for model in models:
            low = 0.0 if model.scores == "clipped" else -1.0
            model.parts_[task] = 1.0 if positive else low
    return models
