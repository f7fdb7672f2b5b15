"""Samples with a stated class imbalance, drawn with replacement for every task by itself.

Source: Ke et al., section 6.3, who draw positives and negatives at 1:1, 1:5 and 1:10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlbench.dataset_facts import DatasetFacts
from mlbench.hashing import random_state
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.splitters.base import Division, DrawnSplit, Splitter
from mlbench.protocol.splitters.rows import Axes, TrainTest
from mlbench.solvers.arrays import Ints

if TYPE_CHECKING:
    from mlbench.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Imbalanced(Splitter):
    """Draws both parts of another splitter's splits anew, each by itself.

    Each label becomes a task with separate samples. Where there are tasks, each draws from its
    rows.
    """

    kind = "imbalanced"
    makes_tasks = True

    inner: Splitter
    ratio: float
    """Negatives per positive."""

    @property
    def allows_imbalance(self) -> bool:  # type: ignore[override]
        """Whether tasks may draw separate samples from the inner splitter's parts."""
        return self.inner.allows_imbalance

    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> ImbalancedSplit:
        """Draw a split; see :class:`~mlbench.protocol.splitters.base.Splitter`."""
        inner = self.inner.draw(data, index, steps)
        axes = inner.axes
        train = draw_imbalanced(inner.train.Y, inner.train.tasks, self.ratio, (*axes, "train"))
        test = draw_imbalanced(inner.test.Y, inner.test.tasks, self.ratio, (*axes, "test"))
        return ImbalancedSplit(
            train=_part(inner.train, train),
            test=_part(inner.test, test),
            axes=axes,
            steps=inner.steps,
            inner=inner,
            places=train.places,
        )

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data that cannot be divided so."""
        self.inner.check(facts, dataset, tuning_folds)

    def examine(
        self, data: Dataset, n_splits: int, folds: int, stratify: Stratify | None
    ) -> Division:
        """Refuse data that cannot be divided so."""
        return self.inner.examine(data, n_splits, folds, stratify)

    def identity(self, index: int) -> dict[str, object]:
        """Return what a split depends on, as entries of a cell's identity."""
        return {**self.inner.identity(index), "imbalance": {"ratio": self.ratio}}


@dataclass(frozen=True, eq=False, kw_only=True)
class ImbalancedSplit(DrawnSplit):
    """A split with samples drawn from another's."""

    keeps_tasks = True

    inner: DrawnSplit
    places: Indices
    """The sample of the inner training part behind each drawn sample."""

    def folds(self, number: int, stratify: Stratify | None = None) -> list[TrainTest]:
        """Divide the training part; twins of a row stay together."""
        return folds_of_drawn(self.inner.folds(number, stratify), self.places)


class Drawn(NamedTuple):
    """The samples drawn for all tasks, one task after the other."""

    places: Indices
    y: Ints
    tasks: Ints


def draw_imbalanced(Y: Ints, tasks: Ints | None, ratio: float, axes: Axes) -> Drawn:
    """Draw as many samples for each task as it has, one positive to ``ratio`` negatives.

    Parameters
    ----------
    Y : (n, k) int array of 0/1
        Labels of a part. Each label becomes a task with separate samples.
    tasks : (n,) int array, optional
        Where there are tasks already, Y has one column and each task draws from its rows.
    ratio : float
        Negatives per positive.
    axes : tuple
        Names and numbers that the draws depend on, and nothing else.

    Returns
    -------
    Drawn
        Of the n samples of a task, n / (1 + ratio) are positive (rounded half up, at least one
        of each class). Within a class, all samples are equally likely. A task with samples of one
        class draws from that class alone.
    """
    if tasks is None:
        sources = [(task, np.arange(len(Y)), Y[:, task]) for task in range(Y.shape[1])]
    else:
        rows_of = {int(task): np.flatnonzero(tasks == task) for task in np.unique(tasks)}
        sources = [(task, rows, Y[rows, 0]) for task, rows in rows_of.items()]
    places, labels, numbers = [], [], []
    for task, rows, y in sources:
        rng = random_state("imbalance", *axes, task)
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


def folds_of_drawn(folds: list[TrainTest], places: Indices) -> list[TrainTest]:
    """Divide drawn samples as the rows are divided that they come from.

    Parameters
    ----------
    folds : list of TrainTest
        Folds of a part.
    places : int array
        The part's row behind each drawn sample. All samples of one row stay together, whatever
        their tasks.
    """
    return [
        TrainTest(
            np.flatnonzero(np.isin(places, fold.train)),
            np.flatnonzero(np.isin(places, fold.test)),
        )
        for fold in folds
    ]


def _part(part: Part, drawn: Drawn) -> Part:
    rows = part.rows[drawn.places]
    return Part(part.X[drawn.places], drawn.y[:, None], drawn.tasks, rows)
