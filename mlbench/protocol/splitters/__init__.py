"""Splitters of data sets; each draws a split once, with all that a cell needs."""

from mlbench.protocol.splitters.base import Division, DrawnSplit, Splitter
from mlbench.protocol.splitters.row_splitters import (
    KFold,
    PublishedSplit,
    RandomSplits,
    RowSplitter,
)
from mlbench.protocol.splitters.rows import TrainTest, tuning_folds
from mlbench.protocol.splitters.time_order import TimeWindows

__all__ = [
    "Division",
    "DrawnSplit",
    "KFold",
    "PublishedSplit",
    "RandomSplits",
    "RowSplitter",
    "Splitter",
    "TimeWindows",
    "TrainTest",
    "tuning_folds",
]
