"""Base class of the methods that fit every label by itself, and so every task, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from mlbench.methods.path_method import PathMethodWithTasks
from mlbench.solvers.arrays import Floats, Ints, Matrix


class TaskPathMethod(PathMethodWithTasks):
    """A path method that, with tasks, fits an independent model to the rows of each.

    A subclass implements `_fit_group` and `_label_scores`, and sets `fit_report_`.

    Attributes
    ----------
    task_models_ : list of models, with tasks
        One for each task; each has the attributes of a model that is fitted without tasks.
    """

    fit_report_: dict[str, Any]

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; with tasks, each task shares the work of all groups."""
        groups = list(groups)
        if tasks is None or not groups:
            yield from super()._fit_groups(groups, X, Y, None)
            return
        models = dict(sorted(chain.from_iterable(groups)))
        for model in models.values():
            checked, labels, of_task = model._check_training(X, Y, tasks)
            model.task_models_ = []
        for task in range(model.n_tasks_):
            own = np.flatnonzero(of_task == task)
            if len(own) == 1:  # one class, which a second copy of the row does not change
                own = np.repeat(own, 2)
            copies = [[(index, clone(model)) for index, model in group] for group in groups]
            for index, fitted in super()._fit_groups(copies, checked[own], labels[own], None):
                models[index].task_models_.append(fitted)
        for index, model in models.items():
            reports = [each.fit_report_ for each in model.task_models_]
            model.fit_report_ = {
                "gap": max(report["gap"] for report in reports),
                "converged": all(report["converged"] for report in reports),
            }
            yield index, model

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
