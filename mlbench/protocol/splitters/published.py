"""The training and test part that a data set was published with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.protocol.splitters.data import Data
from mlbench.protocol.splitters.row_splitter import RowSplitter
from mlbench.protocol.splitters.rows import TrainTest


@dataclass(frozen=True, kw_only=True)
class PublishedSplit(RowSplitter):
    """Returns the published parts.

    Parameters
    ----------
    seed : int
        Of tuning folds and of methods; the parts do not depend on it.
    """

    kind = "published"

    def divide(self, data: Data, index: int) -> TrainTest:
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


def _no_published_split(dataset: str) -> DataError:
    return DataError(
        f"{dataset} has no published training and test part; "
        "use {kind: random, train: 0.6, repeats: 10}"
    )
