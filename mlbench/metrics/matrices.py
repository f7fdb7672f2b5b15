"""Checks of the matrices of one test split: truth, labels, scores, tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MethodError
from mlbench.solvers.arrays import Flags, Floats, Ints


def binary_matrix(name: str, values: ArrayLike, shape: tuple[int, ...] | None) -> Flags:
    """Return labels as booleans.

    Raises
    ------
    MethodError
        If there is another value than 0 and 1, or another shape.
    """
    array = _matrix(name, values, shape)
    truth = array == 1
    if array.dtype != bool and (wrong := ~truth & (array != 0)).any():
        row, column = np.argwhere(wrong)[0]
        value = array[row, column]
        raise MethodError(
            f"{name} must hold only 0 and 1; row {row}, column {column} is "
            f"{value.item() if isinstance(value, np.generic) else value!r}"
        )
    return np.ascontiguousarray(truth)


def score_matrix(values: ArrayLike, shape: tuple[int, ...], name: str = "scores") -> Floats:
    """Return scores, or other numbers with this name, as numbers.

    Raises
    ------
    MethodError
        If there is a NaN, something else than numbers, or another shape.
    """
    array = _matrix(name, values, shape)
    try:
        scores = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise MethodError(f"{name} must be numbers; got dtype {array.dtype}") from error
    nan = np.isnan(scores)
    if nan.any():
        row, column = np.argwhere(nan)[0]
        raise MethodError(
            f"{np.count_nonzero(nan)} of the {name} are NaN, the first in row {row}, column "
            f"{column}; a method must give every entry a number"
        )
    return scores


def task_places(values: ArrayLike, shape: tuple[int, ...]) -> tuple[Ints, Ints]:
    """Return the numbers of the tasks that occur, and the place of each row's among them.

    Raises
    ------
    MethodError
        If they are no integers, or Y is not one column with one task per row.
    """
    tasks = np.asarray(values)
    if tasks.shape != shape[:1]:
        raise MethodError(f"tasks has shape {tasks.shape}; expected one task per row, {shape[:1]}")
    if shape[1] != 1:
        raise MethodError(f"with tasks, Y must have one column; got {shape[1]}")
    if tasks.dtype.kind not in "iu":
        raise MethodError(f"tasks must be integers; got dtype {tasks.dtype}")
    numbers, places = np.unique(tasks, return_inverse=True)
    return np.asarray(numbers, dtype=np.int64), np.asarray(places, dtype=np.int64)


def _matrix(name: str, values: ArrayLike, shape: tuple[int, ...] | None) -> NDArray[np.generic]:
    array = np.asarray(values)
    if array.ndim != 2 or 0 in array.shape:
        raise MethodError(
            f"{name} has shape {array.shape}; expected (samples, labels), at least one of each"
        )
    if shape is not None and array.shape != shape:
        raise MethodError(f"{name} has shape {array.shape}, but Y has shape {shape}")
    return array
