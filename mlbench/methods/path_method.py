"""Base classes of the methods whose models share work along a grid of parameters."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from mlbench.methods.base import Grid, MultiLabelMethod, path_models
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps


class PathMethod(MultiLabelMethod):
    """Base class of the methods with `fit_path`.

    A subclass implements `_fit_group`, or `_fit_groups` if groups share more than their inputs.
    """

    _shared_parameters: ClassVar[Sequence[str]] = ()
    """Models with equal values of these parameters are fitted together."""

    def _fit_group(
        self, group: list[tuple[int, Self]], inputs: Any, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models of a group fitted, in any order; self is the first of them."""
        raise NotImplementedError

    def _prepare(self, X: Matrix, Y: Ints) -> tuple[Matrix, Ints]:
        """Check a model's parameters and training data."""
        return self._check_training(X, Y)[:2]

    def _prepare_inputs(self, X: Matrix) -> Any:
        """Return the part of the computation that depends on no parameter."""
        return X

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Fit all labels.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1

        Warns
        -----
        ConvergenceWarning
            A limit such as ``max_iter`` ended an iterative fit before it was within ``tol``.

        Raises
        ------
        MethodError
            A parameter is invalid.
        """
        list(self._fit_groups([[(0, self)]], X, Y, None))
        return self

    def fit_path(self, X: Matrix, Y: Ints, grid: Grid) -> Iterator[tuple[int, Self]]:
        """Yield (index, fitted model) for every point of a grid of parameters."""
        yield from self._fit_groups(path_models(self, grid, self._shared_parameters), X, Y, None)

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models of all groups fitted; a group may be emptied."""
        inputs = None
        for group in groups:
            for _, model in group:
                checked, labels = model._prepare(X, Y)
            if inputs is None:
                inputs = self._prepare_inputs(checked)
            yield from group[0][1]._fit_group(group, inputs, labels)


class PathMethodWithTasks(PathMethod):
    """Base class of the methods with `fit_path` that take tasks; their `_fit_groups` does, too."""

    def fit(self, X: Matrix, Y: Ints, tasks: Ints | None = None) -> Self:
        """Fit all labels, or all tasks.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1; with tasks (n, 1)
        tasks : (n,) int array of 0..T-1, optional
            Required if the method has ``needs_tasks``.

        Warns
        -----
        ConvergenceWarning
            A limit such as ``max_iter`` ended an iterative fit before it was within ``tol``.

        Raises
        ------
        MethodError
            A parameter is invalid, tasks are missing, or numbers overflowed.
        """
        list(self._fit_groups([[(0, self)]], X, Y, tasks))
        return self

    def fit_path(
        self, X: Matrix, Y: Ints, grid: Grid, tasks: Ints | None = None
    ) -> Iterator[tuple[int, Self]]:
        """Yield (index, fitted model) for every point of a grid of parameters."""
        yield from self._fit_groups(path_models(self, grid, self._shared_parameters), X, Y, tasks)


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
        for task in steps("task", range(model.n_tasks_)):
            rows = np.flatnonzero(of_task == task)
            classes = np.unique(labels[rows])
            if len(classes) < 2:
                for model in models.values():
                    score = 1.0 if 1 in classes else 2 * model.threshold - 1
                    model.task_models_.append(score)
                continue
            copies = [[(index, clone(model)) for index, model in group] for group in groups]
            for index, fitted in super()._fit_groups(copies, checked[rows], labels[rows], None):
                models[index].task_models_.append(fitted)
        for index, model in models.items():
            model._join_reports()
            yield index, model

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        if tasks is None:
            return self._label_scores(X)
        scores = np.empty((X.shape[0], 1))
        for task in np.unique(tasks):
            rows, fitted = tasks == task, self.task_models_[task]
            scores[rows] = fitted if isinstance(fitted, float) else fitted._label_scores(X[rows])
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
