"""Repeated k-fold cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.protocol.splitters.base import RowSplitter
from mlbench.protocol.splitters.data import Data, Facts
from mlbench.protocol.splitters.rows import TrainTest, divide_each_task, take_fold


@dataclass(frozen=True, kw_only=True)
class KFold(RowSplitter):
    """Tests every fold once in each repetition.

    The number of a split counts the folds of the first repetition, then those of the second.
    """

    kind = "kfold"

    folds: int

    def divide(self, data: Data, index: int) -> TrainTest:
        """Return the rows of both parts."""
        repeat, fold = divmod(index, self.folds)
        rng = random_state("kfold", self.seed, data.name, repeat)
        return divide_each_task(
            len(data.Y),
            data.tasks,
            lambda rows: take_fold(rng.permutation(rows), self.folds, fold, data.name),
        )

    def check(self, facts: Facts, dataset: str, tuning_folds: int) -> None:
        """Refuse data with fewer samples than folds."""
        super().check(facts, dataset, tuning_folds)
        if self.folds > facts.n_samples:
            raise DataError(
                f"{dataset} has {facts.n_samples} samples, too few for {self.folds} folds"
            )
