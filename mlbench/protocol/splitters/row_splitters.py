"""Division of the rows of a data set: at random, into folds, or as published."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError, about_key
from mlbench.hashing import random_state
from mlbench.number_text import counted
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.splitters.base import Division, DrawnSplit, Splitter
from mlbench.protocol.splitters.grouping import grouped_folds, grouped_parts
from mlbench.protocol.splitters.partly_labeled import partly_labeled_split
from mlbench.protocol.splitters.rows import (
    TrainTest,
    divide_each_task,
    fold_sizes,
    identity_of_shares,
    number_of,
    rows_of_tasks,
    take_fold,
)
from mlbench.protocol.splitters.stratification import shuffled

if TYPE_CHECKING:
    from mlbench.data import Dataset


MOST_EXAMINED = 100
"""Splits that are drawn before a run, to see whether they can be."""


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
            train=_part(data, rows.train),
            test=_part(data, rows.test),
            axes=axes,
            steps=steps,
            groups=data.groups,
        )

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data with a label that is never known."""
        if facts.fewest_known == 0:
            raise DataError(
                f"{dataset}: some label is unknown in all rows; leave it out of the labels, or "
                "write `min_positives: 1` in the data set"
            )

    def examine(
        self, data: Dataset, n_splits: int, folds: int, stratify: Stratify | None
    ) -> Division:
        """Draw splits and tuning folds of data with groups, which none may divide."""
        told = super().examine(data, n_splits, folds, stratify)
        if data.groups is None:
            return told
        bare = without_features(data)
        n_groups = int(data.groups.max()) + 1
        off = 0
        for index in range(min(n_splits, MOST_EXAMINED)):
            split = self.draw(bare, index)
            train, test = np.unique(split.train.rows), np.unique(split.test.rows)
            shared = np.intersect1d(data.groups[train], data.groups[test])
            if shared.size:
                raise DataError(
                    f"{data.name}: {shared.size} of {n_groups} groups are in both parts of split "
                    f"{index}; use splits of the kind random or kfold, which divide no group"
                )
            if folds:
                n_here = len(np.unique(data.groups[train]))
                with about_key("tuning"):
                    if n_here < folds:
                        raise DataError(
                            f"{data.name}: training parts have {n_here} of the {n_groups} groups, "
                            f"too few for `tuning: {{folds: {folds}}}`, of which each needs a group"
                        )
                    split.folds(folds, stratify)
            for size, wanted in zip((len(train), len(test)), self.sizes(data), strict=False):
                off = max(off, math.ceil(abs(size - wanted)))
        sizes = f"; sizes are off by up to {counted(off, 'row')} of {len(data.Y)}" if off else ""
        return Division(f"none of {n_groups} groups is divided{sizes}")

    def sizes(self, data: Dataset) -> tuple[float, ...]:
        """Return how large both parts would be without groups, if that is known."""
        return ()


@dataclass(frozen=True, kw_only=True)
class RandomSplits(RowSplitter):
    """Shuffles the rows and takes the first for training, the next for testing."""

    kind = "random"
    heeds_groups = True

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
        if data.groups is not None:
            sizes = self.sizes(data)
            part = grouped_parts(
                data.groups, sizes, rng, data.name, data.Y, self.stratify, data.tasks
            )
            return TrainTest(np.flatnonzero(part == 0), np.flatnonzero(part == 1))

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

    def sizes(self, data: Dataset) -> tuple[int, int]:
        """Return how large both parts would be without groups."""
        each = [
            self._sizes(len(rows), data.name) for rows in rows_of_tasks(len(data.Y), data.tasks)
        ]
        return sum(train for train, _ in each), sum(test for _, test in each)

    def _sizes(self, n: int, dataset: str) -> tuple[int, int]:
        n_train = number_of(self.train, n)
        n_test = max(n - n_train, 0) if self.test is None else number_of(self.test, n)
        if isinstance(self.test, float):
            n_test = min(n_test, n - n_train)  # halves of both shares may be rounded up
        if n_train < 1 or n_test < 1 or n_train + n_test > n:
            raise DataError(
                f"{dataset}: {counted(n, 'sample')} cannot be divided into {n_train} for "
                f"training and {n_test} for testing; change protocol.splits"
            )
        return n_train, n_test


@dataclass(frozen=True, kw_only=True)
class KFold(RowSplitter):
    """Tests every fold once in each repetition.

    The number of a split counts the folds of the first repetition, then those of the second.
    """

    kind = "kfold"
    heeds_groups = True

    folds: int
    stratify: Stratify | None = None

    def divide(self, data: Dataset, index: int) -> TrainTest:
        """Return the rows of both parts."""
        repeat, fold = divmod(index, self.folds)
        rng = random_state("kfold", self.seed, data.name, repeat)
        if data.groups is not None:
            part = grouped_folds(
                data.groups, self.folds, rng, data.name, data.Y, self.stratify, data.tasks
            )
            return TrainTest(np.flatnonzero(part != fold), np.flatnonzero(part == fold))

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

    def training_rows(self, facts: DatasetFacts) -> int:
        """Return the size of the largest training part."""
        n = facts.n_samples
        return n if facts.n_tasks else n - n // self.folds

    def sizes(self, data: Dataset) -> tuple[float, ...]:
        """Return how large both parts would be without groups."""
        test = len(data.Y) / self.folds
        return len(data.Y) - test, test


@dataclass(frozen=True, kw_only=True)
class PublishedSplit(RowSplitter):
    """Returns the published parts.

    Parameters
    ----------
    seed : int
        Of tuning folds and of methods; the parts do not depend on it.
    """

    kind = "published"
    heeds_groups = True

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


def without_features(data: Dataset) -> Dataset:
    """Return a data set to be divided, not learned from: each row has the same feature."""
    X = np.zeros((len(data.Y), 1))
    return replace(data, X=X, feature_names=("none",), attributes=(), texts=None)


def _part(data: Dataset, rows: Indices) -> Part:
    tasks = None if data.tasks is None else data.tasks[rows]
    return Part(data.X[rows], data.Y[rows], tasks, rows)


def _no_published_split(dataset: str) -> DataError:
    return DataError(
        f"{dataset} has no published training and test part; "
        "use {kind: random, train: 0.6, repeats: 10}"
    )
