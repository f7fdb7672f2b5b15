"""Repeated random partitions into a training and a test part."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices
from mlbench.protocol.splitters.data import Data
from mlbench.protocol.splitters.row_splitter import RowSplitter
from mlbench.protocol.splitters.rows import TrainTest, divide_each_task, number_of
from mlbench.protocol.splitters.stratification import shuffled


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

    def divide(self, data: Data, index: int) -> TrainTest:
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
