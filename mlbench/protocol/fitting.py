"""Fitting models in a cell, and computing their scores."""

import copy
import random
from collections.abc import Generator, Sequence

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone

from mlbench import estimator_adapter as adapter
from mlbench.protocol.arrays import Point
from mlbench.solvers.arrays import Floats, Ints, Matrix

Source = tuple[Matrix, Floats | Ints]
"""Rows, prepared, and their labels: what projections are fitted to. A label may be NaN."""


class ModelFitter:
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
        """Fit a model; see :func:`mlbench.estimator_adapter.fit`.

        Where there is a source, a projection is fitted to it, and classifiers to what is given.
        """
        source, rows = self._source(X, Y, tasks), self._rows(X)
        if source is None or not has_projection(model):
            self._begin(rows, Y, tasks)
            return adapter.fit(model, rows, Y, tasks)
        self._begin(*source, rows, Y)
        return _fit_classifiers(model.fit_projection(*source), rows, Y, tasks)

    def fit_path(
        self,
        model: BaseEstimator,
        X: Matrix,
        Y: Ints,
        grid: Sequence[Point],
        tasks: Ints | None = None,
    ) -> Generator[tuple[int, BaseEstimator]]:
        """Fit along a grid; see :func:`mlbench.estimator_adapter.fit_path`."""
        source, rows = self._source(X, Y, tasks), self._rows(X)
        if source is None or not has_projection(model):
            self._begin(rows, Y, tasks)
            yield from adapter.fit_path(model, rows, Y, grid, tasks)
        elif hasattr(model, "fit_projection_path"):
            self._begin(*source, rows, Y)
            for index, projection in self._projections(model, source, grid):
                yield index, _fit_classifiers(copy.copy(projection), rows, Y, tasks)
        else:
            for index, point in enumerate(grid):
                yield index, self.fit(clone(model).set_params(**point), X, Y, tasks)

    def outputs(
        self,
        model: BaseEstimator,
        X: Matrix,
        tasks: Ints | None = None,
        n_labels: int | None = None,
    ) -> tuple[Floats, Ints]:
        """Read a model; see :func:`mlbench.estimator_adapter.outputs`."""
        rows = self._rows(X)
        self._begin(rows, tasks)
        return adapter.outputs(model, rows, tasks, n_labels)

    def probabilities(
        self, model: BaseEstimator, X: Matrix, tasks: Ints | None, n_labels: int
    ) -> Floats | None:
        """Read a model; see :func:`mlbench.estimator_adapter.probabilities`."""
        rows = self._rows(X)
        self._begin(rows, tasks)
        return adapter.probabilities(model, rows, tasks, n_labels)

    def _rows(self, X: Matrix) -> Matrix:
        """Return the features of samples."""
        return X

    def _source(self, X: Matrix, Y: Ints, tasks: Ints | None) -> Source | None:
        """Return what projections are fitted to; None where methods see the samples alone."""
        return None

    def _projections(
        self, model: BaseEstimator, source: Source, grid: Sequence[Point]
    ) -> list[tuple[int, BaseEstimator]]:
        return list(model.fit_projection_path(*source, list(grid)))

    def _begin(self, *arrays: Matrix | None) -> None:
        np.random.seed(self.seed)
        random.seed(self.seed)
        for array in arrays:
            if array is None:
                continue
            for part in _buffers(array):
                part.flags.writeable = False


def has_projection(model: BaseEstimator) -> bool:
    """Tell whether the projection and the classifiers of a method can be fitted apart."""
    return hasattr(model, "fit_projection") and hasattr(model, "fit_classifiers")


def _buffers(array: Matrix) -> tuple[npt.NDArray[np.generic], ...]:
    if isinstance(array, np.ndarray):
        return (array,)
    if hasattr(array, "iloc"):
        return ()
    return array.data, array.indices, array.indptr


def _fit_classifiers(model: BaseEstimator, X: Matrix, Y: Ints, tasks: Ints | None) -> BaseEstimator:
    return model.fit_classifiers(X, Y, **({} if tasks is None else {"tasks": tasks}))
