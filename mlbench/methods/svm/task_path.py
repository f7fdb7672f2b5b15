"""Base class of the methods that fit every label by itself, and so every task, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from mlbench.methods.base import Grid
from mlbench.methods.path_method import PathMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix


class TaskPathMethod(PathMethod):
    """A path method that, with tasks, fits an independent model to the rows of each.

    A subclass implements `_fit_group` and `_label_scores`, and sets `fit_report_`.

    Attributes
    ----------
    task_models_ : list of models, with tasks
        One for each task; each has the attributes of a model that is fitted without tasks.
    """

    fit_report_: dict[str, Any]

    def fit(self, X: Matrix, Y: Ints, tasks: Ints | None = None) -> Self:
        """Fit all labels, or all tasks.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1; with tasks (n, 1)
        tasks : (n,) int array of 0..T-1, optional
        """
        if tasks is None:
            return super().fit(X, Y)
        list(self._fit_tasks([self], [{}], X, Y, tasks))
        return self

    def fit_path(
        self, X: Matrix, Y: Ints, grid: Grid, tasks: Ints | None = None
    ) -> Iterator[tuple[int, Self]]:
        """Yield (index, fitted model) for every point of a grid of parameters."""
        if tasks is None:
            yield from super().fit_path(X, Y, grid)
        else:
            models = [clone(self).set_params(**point) for point in grid]
            yield from enumerate(self._fit_tasks(models, grid, X, Y, tasks))

    def _fit_tasks(
        self, models: list[Self], grid: Grid, X: Matrix, Y: Ints, tasks: Ints
    ) -> Iterator[Self]:
        """Yield the models, fitted; each task shares the work of the grid."""
        for model in models:
            X, Y, tasks = model._check_training(X, Y, tasks)  # type: ignore[assignment]
            model.task_models_ = []
        for task in range(int(np.max(tasks)) + 1):
            own = np.flatnonzero(tasks == task)
            if len(own) == 1:  # one class, which a second copy of the row does not change
                own = np.repeat(own, 2)
            fitted = dict(clone(self).fit_path(X[own], Y[own], grid))
            for index, model in enumerate(models):
                model.task_models_.append(fitted[index])
        for model in models:
            reports = [each.fit_report_ for each in model.task_models_]
            model.fit_report_ = {
                "gap": max(report["gap"] for report in reports),
                "converged": all(report["converged"] for report in reports),
            }
            yield model

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        if tasks is None:
            return self._label_scores(X)
        scores = np.empty((X.shape[0], 1))
        for task in np.unique(tasks):
            own = tasks == task
            scores[own] = self.task_models_[task]._label_scores(X[own])
        return scores

    def _label_scores(self, X: Matrix) -> Floats:
        """Return the (m, k) scores of a model without tasks."""
        raise NotImplementedError
