"""Base class of the methods whose models share work along a grid of parameters."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self

from mlbench.methods.base import Grid, MultiLabelMethod, path_models
from mlbench.solvers.arrays import Ints, Matrix


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
