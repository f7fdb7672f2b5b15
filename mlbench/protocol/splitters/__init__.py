"""The ways of dividing a data set; each draws a split once, with all that a cell needs of it."""

from mlbench.protocol.splitters.base import DrawnSplit, Splitter
from mlbench.protocol.splitters.imbalanced import Imbalanced
from mlbench.protocol.splitters.ratings import Ratings
from mlbench.protocol.splitters.row_splitters import KFold, PublishedSplit, RandomSplits
from mlbench.protocol.splitters.rows import TrainTest, tuning_folds
from mlbench.protocol.splitters.transfer import Transfer

__all__ = [
    "DrawnSplit",
    "Imbalanced",
    "KFold",
    "PublishedSplit",
    "RandomSplits",
    "Ratings",
    "Splitter",
    "TrainTest",
    "Transfer",
    "tuning_folds",
]
