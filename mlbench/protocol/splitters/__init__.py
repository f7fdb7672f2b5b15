"""Splitters of data sets; each draws a split once, with all that a cell needs."""

from mlbench.protocol.splitters.base import DrawnSplit, Splitter
from mlbench.protocol.splitters.row_splitters import (
    KFold,
    PublishedSplit,
    RandomSplits,
    RowSplitter,
)
from mlbench.protocol.splitters.rows import TrainTest, tuning_folds

__all__ = [
    "DrawnSplit",
    "KFold",
    "PublishedSplit",
    "RandomSplits",
    "RowSplitter",
    "Splitter",
    "TrainTest",
    "tuning_folds",
]
