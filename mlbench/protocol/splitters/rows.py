"""Row numbers divided in two: for training and testing, or into folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.protocol.arrays import Indices

Axes = tuple[str | int, ...]
"""Names and numbers that random draws depend on, and nothing else."""


@dataclass(frozen=True, eq=False)
class TrainTest:
    """Numbers of the samples to train on and of those to test on: ascending and disjoint."""

    train: Indices
    test: Indices


def divide_each_task(
    n_samples: int,
    tasks: Indices | None,
    divide: Callable[[Indices], tuple[Indices, Indices]],
) -> TrainTest:
    """Divide the rows of each task by themselves, or all rows where there are no tasks."""
    return _joined([divide(rows) for rows in rows_of_tasks(n_samples, tasks)])


def rows_of_tasks(n_samples: int, tasks: Indices | None) -> list[Indices]:
    """Return the rows of each task, or all rows where there are no tasks."""
    if tasks is None:
        return [np.arange(n_samples)]
    return [np.flatnonzero(tasks == task) for task in np.unique(tasks)]


def number_of(part: int | float, n: int) -> int:
    """Return how many of n a part is: a number as it is, a share rounded half up."""
    return part if isinstance(part, int) else int(np.floor(part * n + 0.5))


def take_fold(rows: Indices, folds: int, fold: int, dataset: str) -> tuple[Indices, Indices]:
    """Return the rows outside one of the folds, and those inside.

    Raises
    ------
    DataError
        If there are fewer rows than folds.
    """
    if len(rows) < folds:
        raise DataError(f"{dataset}: {len(rows)} samples cannot be divided into {folds} folds")
    parts = np.array_split(rows, folds)
    return np.concatenate([part for i, part in enumerate(parts) if i != fold]), parts[fold]


def tuning_folds(
    n_samples: int, folds: int, axes: Axes, tasks: Indices | None = None
) -> list[TrainTest]:
    """Divide a training part into folds for tuning.

    Parameters
    ----------
    n_samples, folds : int
    axes : tuple
        Seed, data set, and number of the split.
    tasks : (n,) int array, optional
        Each task is then divided by itself.

    Raises
    ------
    DataError
        If there are fewer samples (of a task) than folds.
    """
    rng = random_state("tuning folds", *axes)
    shuffled = [rng.permutation(rows) for rows in rows_of_tasks(n_samples, tasks)]
    name = str(axes[1]) if len(axes) > 1 else "tuning"
    return [
        _joined([take_fold(rows, folds, fold, name) for rows in shuffled]) for fold in range(folds)
    ]


def _joined(parts: list[tuple[Indices, Indices]]) -> TrainTest:
    return TrainTest(
        np.sort(np.concatenate([train for train, _ in parts])),
        np.sort(np.concatenate([test for _, test in parts])),
    )
