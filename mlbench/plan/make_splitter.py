"""From the splits that an experiment asks for to the objects that draw them."""

from __future__ import annotations

from mlbench.config.datasets import DatasetReference
from mlbench.config.schema import Experiment
from mlbench.config.splits import (
    KFoldSplits,
    PublishedSplit,
    RandomSplits,
    RatingSplits,
    TransferSplits,
)
from mlbench.papers.splitters import Imbalanced, Ratings, Transfer
from mlbench.protocol import splitters
from mlbench.protocol.splitters import Splitter

SPLITTERS: dict[type, type[Splitter]] = {
    RandomSplits: splitters.RandomSplits,
    KFoldSplits: splitters.KFold,
    PublishedSplit: splitters.PublishedSplit,
    TransferSplits: Transfer,
    RatingSplits: Ratings,
}
"""The splitter of each model; it has the model's fields but ``kind`` and ``repeats``."""


def splitter_of(experiment: Experiment, dataset: DatasetReference) -> Splitter:
    """Return what draws the splits of a data set.

    The number of repeats is no part of it, so that more can be added.
    """
    splits = experiment.splits_of(dataset)
    splitter = SPLITTERS[type(splits)](**splits.model_dump(exclude={"kind", "repeats"}))
    if dataset.imbalance is None:
        return splitter
    return Imbalanced(inner=splitter, ratio=dataset.imbalance.ratio)
