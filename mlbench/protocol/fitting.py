"""How a cell fits models and reads them."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Generator, Sequence

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone

from mlbench import estimator_adapter as adapter
from mlbench.protocol.arrays import Indices, Point
from mlbench.solvers.arrays import Floats, Ints, Matrix


class LockedFitter:
    """Fits and reads models on data that they cannot change.

    Methods that use numpy's or Python's own generators find them in the same state each time.
    A model that writes into its input fails instead of spoiling what others are fitted on.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(
        self, model: BaseEstimator, X: Matrix, Y: Ints, tasks: Ints | None = None
    ) -> BaseEstimator:
        """Fit a model; see :func:`mlbench.estimator_adapter.fit`."""
        self._begin(X, Y, tasks)
        return adapter.fit(model, X, Y, tasks)

    def fit_path(
        self,
        model: BaseEstimator,
        X: Matrix,
        Y: Ints,
        grid: Sequence[Point],
        tasks: Ints | None = None,
    ) -> Generator[tuple[int, BaseEstimator]]:
        """Fit along a grid; see :func:`mlbench.estimator_adapter.fit_path`."""
        self._begin(X, Y, tasks)
        yield from adapter.fit_path(model, X, Y, grid, tasks)

    def outputs(
        self,
        model: BaseEstimator,
        X: Matrix,
        tasks: Ints | None = None,
        n_labels: int | None = None,
    ) -> tuple[Floats, Ints]:
        """Read a model; see :func:`mlbench.estimator_adapter.outputs`."""
        self._begin(X, tasks)
        return adapter.outputs(model, X, tasks, n_labels)

    def _begin(self, *arrays: Matrix | None) -> None:
        np.random.seed(self.seed)
        random.seed(self.seed)
        for array in arrays:
            if array is None:
                continue
            for part in _buffers(array):
                part.flags.writeable = False


class TransferFitter(LockedFitter):
    """Fits the projections of methods that have one to a source first, to other rows and labels.

    A method has one if it has ``fit_projection(X, Y)`` and ``fit_classifiers(X, Y)``. All others
    see the training part alone. Where a method has ``fit_projection_path(X, Y, grid)``, too, all
    folds of a search share the projections of its candidates.

    Parameters
    ----------
    seed : int
    X : (n, d) array or CSR matrix
        The source's rows, prepared.
    Y : (n, k) array
        Its labels; NaN where one is missing.
    """

    def __init__(self, seed: int, X: Matrix, Y: Floats | Ints) -> None:
        super().__init__(seed)
        self.X = X
        self.Y = Y
        self._search: tuple[BaseEstimator, Sequence[Point]] | None = None
        self._projections: list[tuple[int, BaseEstimator]] = []

    def fit(
        self, model: BaseEstimator, X: Matrix, Y: Ints, tasks: Ints | None = None
    ) -> BaseEstimator:
        """Fit the projection to the source and the classifiers to the rows that are given."""
        if not has_projection(model):
            return super().fit(model, X, Y, tasks)
        self._begin(self.X, self.Y, X, Y)
        return _fit_classifiers(model.fit_projection(self.X, self.Y), X, Y, tasks)

    def fit_path(
        self,
        model: BaseEstimator,
        X: Matrix,
        Y: Ints,
        grid: Sequence[Point],
        tasks: Ints | None = None,
    ) -> Generator[tuple[int, BaseEstimator]]:
        """Fit along a grid; the projections of a path are fitted once for all calls."""
        if not has_projection(model):
            yield from super().fit_path(model, X, Y, grid, tasks)
        elif hasattr(model, "fit_projection_path"):
            self._begin(self.X, self.Y, X, Y)
            self._fit_projections(model, grid)
            for index, projection in self._projections:
                yield index, _fit_classifiers(copy.copy(projection), X, Y, tasks)
        else:
            for index, point in enumerate(grid):
                yield index, self.fit(clone(model).set_params(**point), X, Y, tasks)

    def _fit_projections(self, model: BaseEstimator, grid: Sequence[Point]) -> None:
        if self._search is None or self._search[0] is not model or self._search[1] is not grid:
            self._projections = list(model.fit_projection_path(self.X, self.Y, list(grid)))
            self._search = model, grid


class RatingFitter(LockedFitter):
    """Fits methods to ratings; a sample is the number of a row, and its task is a user.

    Projections are fitted to all rows and all users. What they see of the users that are to be
    learned is what the classifiers are given, so that held-out ratings are hidden from both.

    Parameters
    ----------
    seed : int
    X : (n, d) array or CSR matrix
        All rows, prepared.
    ratings : (n, k) array
        1, -1, or NaN where unknown; unknown for all users to be learned.
    users : int array
        The column of each of these.
    """

    def __init__(self, seed: int, X: Matrix, ratings: Floats, users: Indices) -> None:
        super().__init__(seed)
        self.X = X
        self.ratings = ratings
        self.users = users

    def fit(
        self, model: BaseEstimator, X: Matrix, Y: Ints, tasks: Ints | None = None
    ) -> BaseEstimator:
        """Fit a model to ratings of some rows."""
        return self._given(X, Y, tasks).fit(model, self.X[X], Y, tasks)

    def fit_path(
        self,
        model: BaseEstimator,
        X: Matrix,
        Y: Ints,
        grid: Sequence[Point],
        tasks: Ints | None = None,
    ) -> Generator[tuple[int, BaseEstimator]]:
        """Fit along a grid to ratings of some rows."""
        yield from self._given(X, Y, tasks).fit_path(model, self.X[X], Y, grid, tasks)

    def outputs(
        self,
        model: BaseEstimator,
        X: Matrix,
        tasks: Ints | None = None,
        n_labels: int | None = None,
    ) -> tuple[Floats, Ints]:
        """Read a model at some rows."""
        return super().outputs(model, self.X[X], tasks, n_labels)

    def _given(self, rows: Matrix, Y: Ints, tasks: Ints | None) -> TransferFitter:
        ratings = self.ratings.copy()
        ratings[rows, self.users[tasks]] = 2 * Y[:, 0] - 1
        return TransferFitter(self.seed, self.X, ratings)


def has_projection(model: BaseEstimator) -> bool:
    """Tell whether the projection and the classifiers of a method can be fitted apart."""
    return hasattr(model, "fit_projection") and hasattr(model, "fit_classifiers")


def takes_ratings(model: BaseEstimator) -> bool:
    """Tell whether a method has a projection, and classifiers of users that rate few rows."""
    if not has_projection(model):
        return False
    return "tasks" in inspect.signature(model.fit_classifiers).parameters


def _buffers(array: Matrix) -> tuple[npt.NDArray[np.generic], ...]:
    if isinstance(array, np.ndarray):
        return (array,)
    return array.data, array.indices, array.indptr


def _fit_classifiers(model: BaseEstimator, X: Matrix, Y: Ints, tasks: Ints | None) -> BaseEstimator:
    return model.fit_classifiers(X, Y, **({} if tasks is None else {"tasks": tasks}))
