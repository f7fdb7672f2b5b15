"""Base class of the methods that fit every label by itself, and so every task, too."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from mlbench.methods.path_method import PathMethodWithTasks
from mlbench.solvers.arrays import Floats, Ints, Matrix


class TaskPathMethod(PathMethodWithTasks):
    """A path method that, with tasks, fits an independent model to the rows of each.

    A subclass implements `_fit_group` and `_label_scores`, and sets `fit_report_`; or it inherits
    from this class first and then from one that fits without tasks.

    Attributes
    ----------
    task_models_ : list, with tasks
        For each task a model with the attributes of one that is fitted without tasks, or the score
        of its only class. A task without rows has class 0.
    """

    fit_report_: dict[str, Any]
    task_models_: list[Self | float]

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
            classes = np.unique(labels[own])
            if len(classes) < 2:
                for model in models.values():
                    score = 1.0 if 1 in classes else 2 * model.threshold - 1
                    model.task_models_.append(score)
                continue
            copies = [[(index, clone(model)) for index, model in group] for group in groups]
            for index, fitted in super()._fit_groups(copies, checked[own], labels[own], None):
                models[index].task_models_.append(fitted)
        for index, model in models.items():
            model._join_reports()
            yield index, model

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        if tasks is None:
            return self._label_scores(X)
        scores = np.empty((X.shape[0], 1))
        for task in np.unique(tasks):
            own, fitted = tasks == task, self.task_models_[task]
            scores[own] = fitted if isinstance(fitted, float) else fitted._label_scores(X[own])
        return scores

    def _label_scores(self, X: Matrix) -> Floats:
        """Return the (m, k) scores of a model without tasks."""
        return super()._scores(X, None)

    def _join_reports(self) -> None:
        """Set the report of a model with tasks."""
        reports = [each.fit_report_ for each in self.task_models_ if not isinstance(each, float)]
        self.fit_report_ = {
            "gap": max((report["gap"] for report in reports), default=0.0),
            "converged": all(report["converged"] for report in reports),
        }
