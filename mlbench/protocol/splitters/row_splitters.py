"""Division of the rows of a data set: at random, into folds, or as published."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.splitters.base import DrawnSplit, Splitter
from mlbench.protocol.splitters.rows import (
    Axes,
    TrainTest,
    divide_each_task,
    fold_sizes,
    identity_of_shares,
    number_of,
    take_fold,
    tuning_folds,
)
from mlbench.protocol.splitters.stratification import shuffled
from mlbench.solvers.arrays import Flags, Ints

if TYPE_CHECKING:
    from mlbench.data import Dataset


@dataclass(frozen=True, eq=False, kw_only=True)
class PartlyLabeledSplit(DrawnSplit):
    """A split of rows with unknown labels: each known label of a row is a sample.

    A label is then a task with rows of its own. Every method and metric for tasks leaves out what
    is unknown, in training, tuning, and testing.
    """

    keeps_tasks = True

    Y: Ints
    """(n, k) labels of the whole data set, 0 where unknown."""

    def folds(self, number: int, stratify: Stratify | None = None) -> list[TrainTest]:
        """Divide the rows of the training part; the labels of a row stay together.

        Raises
        ------
        DataError
            If some fold leaves no known value of a label to learn from.
        """
        rows = np.unique(self.train.rows)
        by_rows = tuning_folds(len(rows), number, self.axes, None, self.Y[rows], stratify)
        folds = []
        for fold in by_rows:
            held = np.isin(self.train.rows, rows[fold.test])
            folds.append(TrainTest(np.flatnonzero(~held), np.flatnonzero(held)))
        for fold in folds:
            _refuse_unlearnable(self.train.take(fold.train), self.Y.shape[1], str(self.axes[1]))
        return folds


def partly_labeled_split(
    data: Dataset, known: Flags, rows: TrainTest, axes: Axes, steps: Sequence[str]
) -> PartlyLabeledSplit:
    """Return a split of rows, with a sample for each of their known labels.

    Raises
    ------
    DataError
        If no training row knows some label, or no test row any.
    """
    train, test = (_labels_part(data, known, part) for part in (rows.train, rows.test))
    _refuse_unlearnable(train, data.Y.shape[1], data.name)
    if not len(test.Y):
        raise DataError(f"{data.name}: no label of the test part is known; change protocol.splits")
    return PartlyLabeledSplit(
        train=train,
        test=test,
        axes=axes,
        steps=steps,
        columns=np.arange(data.Y.shape[1]),
        Y=data.Y,
    )


def _labels_part(data: Dataset, known: Flags, rows: Indices) -> Part:
    places, labels = np.nonzero(known[rows])
    chosen = rows[places]
    return Part(data.X[chosen], data.Y[chosen, labels][:, None], labels, chosen, repeats_rows=True)


def _refuse_unlearnable(train: Part, n_labels: int, dataset: str) -> None:
    assert train.tasks is not None
    absent = np.setdiff1d(np.arange(n_labels), train.tasks)
    if absent.size:
        raise DataError(
            f"{dataset}: in a training part or tuning fold no row has a known value of label "
            f"number {absent[0] + 1}; drop rare labels with `min_positives`, or use larger "
            "training parts"
        )


@dataclass(frozen=True, kw_only=True)
class RowSplitter(Splitter):
    """Divides the rows of a data set, those of each task by themselves."""

    seed: int = 0

    @abstractmethod
    def divide(self, data: Dataset, index: int) -> TrainTest:
        """Return the rows of both parts."""

    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> DrawnSplit:
        """Draw a split; see :class:`Splitter`."""
        rows = self.divide(data, index)
        axes = (self.seed, data.name, index)
        if data.known is not None:
            return partly_labeled_split(data, data.known, rows, axes, steps)
        return DrawnSplit(
            train=_part(data, rows.train), test=_part(data, rows.test), axes=axes, steps=steps
        )

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data with a label that is never known."""
        if facts.fewest_known == 0:
            raise DataError(
                f"{dataset}: some label is unknown in all rows; leave it out of the labels, or "
                "write `min_positives: 1` in the data set"
            )


@dataclass(frozen=True, kw_only=True)
class RandomSplits(RowSplitter):
    """Shuffles the rows and takes the first for training, the next for testing."""

    kind = "random"

    train: int | float
    test: int | float | None = None
    """A number of samples, or a share; where there are tasks, of each task. All others are tested
    if `test` is None.
    """
    stratify: Stratify | None = None

    @cached_property
    def _own_identity(self) -> dict[str, object]:
        return {**super()._own_identity, **identity_of_shares(self.train, self.test)}

    def divide(self, data: Dataset, index: int) -> TrainTest:
        """Return the rows of both parts."""
        rng = random_state("split", self.seed, data.name, index)

        def divide(rows: Indices) -> tuple[Indices, Indices]:
            n_train, n_test = self._sizes(len(rows), data.name)
            order = shuffled(rows, (n_train, n_test), rng, data.Y, self.stratify)
            return order[:n_train], order[n_train : n_train + n_test]

        return divide_each_task(len(data.Y), data.tasks, divide)

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data with too few samples."""
        super().check(facts, dataset, tuning_folds)
        if not facts.n_tasks:
            self._sizes(facts.n_samples, dataset)

    def training_rows(self, facts: DatasetFacts) -> int:
        """Return the size of training parts."""
        return facts.n_samples if facts.n_tasks else number_of(self.train, facts.n_samples)

    def _sizes(self, n: int, dataset: str) -> tuple[int, int]:
        n_train = number_of(self.train, n)
        n_test = max(n - n_train, 0) if self.test is None else number_of(self.test, n)
        if isinstance(self.test, float):
            n_test = min(n_test, n - n_train)  # halves of both shares may be rounded up
        if n_train < 1 or n_test < 1 or n_train + n_test > n:
            raise DataError(
                f"{dataset}: {n} samples cannot be divided into {n_train} for training and "
                f"{n_test} for testing; change protocol.splits"
            )
        return n_train, n_test


@dataclass(frozen=True, kw_only=True)
class KFold(RowSplitter):
    """Tests every fold once in each repetition.

    The number of a split counts the folds of the first repetition, then those of the second.
    """

    kind = "kfold"

    folds: int
    stratify: Stratify | None = None

    def divide(self, data: Dataset, index: int) -> TrainTest:
        """Return the rows of both parts."""
        repeat, fold = divmod(index, self.folds)
        rng = random_state("kfold", self.seed, data.name, repeat)

        def divide(rows: Indices) -> tuple[Indices, Indices]:
            sizes = fold_sizes(len(rows), self.folds, data.name)
            return take_fold(shuffled(rows, sizes, rng, data.Y, self.stratify), sizes, fold)

        return divide_each_task(len(data.Y), data.tasks, divide)

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data with fewer samples than folds."""
        super().check(facts, dataset, tuning_folds)
        if self.folds > facts.n_samples:
            raise DataError(
                f"{dataset} has {facts.n_samples} samples, too few for {self.folds} folds"
            )


@dataclass(frozen=True, kw_only=True)
class PublishedSplit(RowSplitter):
    """Returns the published parts.

    Parameters
    ----------
    seed : int
        Of tuning folds and of methods; the parts do not depend on it.
    """

    kind = "published"

    def divide(self, data: Dataset, index: int) -> TrainTest:
        """Return the rows of both parts."""
        if data.published_train is None:
            raise _no_published_split(data.name)
        train = np.zeros(len(data.Y), dtype=bool)
        train[data.published_train] = True
        return TrainTest(np.flatnonzero(train), np.flatnonzero(~train))

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data without published parts."""
        super().check(facts, dataset, tuning_folds)
        if not facts.has_published_split:
            raise _no_published_split(dataset)


def _part(data: Dataset, rows: Indices) -> Part:
    tasks = None if data.tasks is None else data.tasks[rows]
    return Part(data.X[rows], data.Y[rows], tasks, rows)


def _no_published_split(dataset: str) -> DataError:
    return DataError(
        f"{dataset} has no published training and test part; "
        "use {kind: random, train: 0.6, repeats: 10}"
    )
