"""Samples with a stated class imbalance, drawn with replacement for every task by itself.

Source: Ke et al., section 6.3, who draw positives and negatives at 1:1, 1:5 and 1:10.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mlbench.hashing import random_state
from mlbench.protocol.splits import Indices, Split

Ints = npt.NDArray[np.int64]


class Drawn(NamedTuple):
    """What was drawn for all tasks, one after the other: places in the part, labels, tasks."""

    places: Indices
    y: Ints
    tasks: Ints


def draw_imbalanced(
    Y: Ints, tasks: Ints | None, ratio: float, seed_axes: tuple[str | int, ...]
) -> Drawn:
    """Draw as many samples for each task as it has, one positive to ``ratio`` negatives.

    Parameters
    ----------
    Y : (n, k) int array of 0/1
        Labels of a part. Each label becomes a task with samples of its own.
    tasks : (n,) int array, optional
        Where there are tasks already, Y has one column and each task draws from its own rows.
    ratio : float
        Negatives per positive.
    seed_axes : tuple
        Names and numbers that the draws depend on, and nothing else.

    Returns
    -------
    Drawn
        Of the n samples of a task, n / (1 + ratio) are positive (rounded half up, at least one
        of each class); those of a class are equally likely. A task with samples of one class
        draws from that class alone.
    """
    if tasks is None:
        sources = [(task, np.arange(len(Y)), Y[:, task]) for task in range(Y.shape[1])]
    else:
        own = [(int(task), np.flatnonzero(tasks == task)) for task in np.unique(tasks)]
        sources = [(task, rows, Y[rows, 0]) for task, rows in own]
    places, labels, numbers = [], [], []
    for task, rows, y in sources:
        rng = random_state("imbalance", *seed_axes, task)
        chosen = _draw(y, ratio, rng)
        places.append(rows[chosen])
        labels.append(y[chosen])
        numbers.append(np.full(len(chosen), task, dtype=np.int64))
    return Drawn(np.concatenate(places), np.concatenate(labels), np.concatenate(numbers))


def _draw(y: Ints, ratio: float, rng: np.random.RandomState) -> Indices:
    n = len(y)
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    if not len(positive) or not len(negative):
        return np.sort(rng.choice(n, n))
    n_positive = min(max(int(np.floor(n / (1 + ratio) + 0.5)), 1), n - 1)
    drawn = [rng.choice(positive, n_positive), rng.choice(negative, n - n_positive)]
    return np.sort(np.concatenate(drawn))


def folds_of_drawn(folds: list[Split], places: Indices) -> list[Split]:
    """Divide drawn samples as the rows are divided that they come from.

    Parameters
    ----------
    folds : list of Split
        Folds of a part.
    places : int array
        The part's row behind each drawn sample. All samples of one row stay together, whatever
        their tasks.
    """
    return [
        Split(
            np.flatnonzero(np.isin(places, fold.train)),
            np.flatnonzero(np.isin(places, fold.test)),
        )
        for fold in folds
    ]
