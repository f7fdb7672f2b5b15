"""Repeated k-fold cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices
from mlbench.protocol.splitters.data import Data
from mlbench.protocol.splitters.row_splitter import RowSplitter
from mlbench.protocol.splitters.rows import (
    TrainTest,
    divide_each_task,
    fold_sizes,
    take_fold,
)
from mlbench.protocol.splitters.stratification import shuffled


@dataclass(frozen=True, kw_only=True)
class KFold(RowSplitter):
    """Tests every fold once in each repetition.

    The number of a split counts the folds of the first repetition, then those of the second.
    """

    kind = "kfold"

    folds: int
    stratify: Stratify | None = None

    def divide(self, data: Data, index: int) -> TrainTest:
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
