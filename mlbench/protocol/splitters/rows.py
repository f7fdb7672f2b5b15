"""Row numbers divided in two: for training and testing, or into folds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.number_text import counted
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices
from mlbench.protocol.splitters.grouping import grouped_folds
from mlbench.protocol.splitters.stratification import shuffled
from mlbench.solvers.arrays import Ints

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
    return part if isinstance(part, int) else math.floor(Fraction(str(part)) * n + Fraction(1, 2))


@cache
def is_rounded_exactly(share: float) -> bool:
    """Return whether the product of floats rounds like the decimal share, up to a million rows.

    It does not for .7 of 45 rows, which is 31.499999999999996. With the share p/q in lowest
    terms, halves are at odd multiples of q/2.
    """
    p, q = Fraction(str(share)).as_integer_ratio()
    if q % 2:
        return True
    n = np.arange(q // 2, 1_000_000, q)
    return bool((np.floor(share * n + 0.5) == (2 * p * n + q) // (2 * q)).all())


def identity_of_shares(*parts: int | float | None) -> dict[str, object]:
    """Return what the identity of splits says of shares that products of floats round otherwise."""
    shares = [part for part in parts if isinstance(part, float)]
    return {} if all(map(is_rounded_exactly, shares)) else {"shares": "decimal"}


def fold_sizes(n: int, folds: int, dataset: str) -> list[int]:
    """Return the sizes of folds of n rows.

    Raises
    ------
    DataError
        If there are fewer rows than folds.
    """
    if n < folds:
        raise DataError(f"{dataset}: {counted(n, 'sample')} cannot be divided into {folds} folds")
    return [n // folds + (fold < n % folds) for fold in range(folds)]


def take_fold(rows: Indices, sizes: Sequence[int], fold: int) -> tuple[Indices, Indices]:
    """Return the rows outside one of the folds that follow one another, and those inside."""
    inside = slice(sum(sizes[:fold]), sum(sizes[: fold + 1]))
    return np.delete(rows, inside), rows[inside]


def tuning_folds(
    n_samples: int,
    folds: int,
    axes: Axes,
    tasks: Indices | None = None,
    Y: Ints | None = None,
    stratify: Stratify | None = None,
    groups: Ints | None = None,
) -> list[TrainTest]:
    """Divide a training part into folds for tuning.

    Parameters
    ----------
    n_samples, folds : int
    axes : tuple
        Seed, data set, and number of the split.
    tasks : (n,) int array, optional
        Each task is then divided by itself.
    Y : (n, k) int array of 0/1, optional
        Labels, for `stratify`.
    stratify : {"labels", "label_pairs", "labelsets", "every_label"}, optional
    groups : (n,) int array, optional
        Samples of a group are in one fold.

    Raises
    ------
    DataError
        If there are fewer samples (of a task), or fewer groups, than folds.
    """
    rng = random_state("tuning folds", *axes)
    name = str(axes[1]) if len(axes) > 1 else "tuning"
    if groups is not None:
        part = grouped_folds(groups, folds, rng, name, Y, stratify, tasks)
        return [
            TrainTest(np.flatnonzero(part != fold), np.flatnonzero(part == fold))
            for fold in range(folds)
        ]
    divided = []
    for rows in rows_of_tasks(n_samples, tasks):
        sizes = fold_sizes(len(rows), folds, name)
        divided.append((shuffled(rows, sizes, rng, Y, stratify), sizes))
    return [
        _joined([take_fold(order, sizes, fold) for order, sizes in divided])
        for fold in range(folds)
    ]


def _joined(parts: list[tuple[Indices, Indices]]) -> TrainTest:
    return TrainTest(
        np.sort(np.concatenate([train for train, _ in parts])),
        np.sort(np.concatenate([test for _, test in parts])),
    )
