"""What the splitters share that divide the rows of a data set."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.splitters.base import DrawnSplit, Splitter
from mlbench.protocol.splitters.data import Data
from mlbench.protocol.splitters.partly_labeled import partly_labeled_split
from mlbench.protocol.splitters.rows import TrainTest


@dataclass(frozen=True, kw_only=True)
class RowSplitter(Splitter):
    """Divides the rows of a data set, those of each task by themselves."""

    seed: int = 0

    @abstractmethod
    def divide(self, data: Data, index: int) -> TrainTest:
        """Return the rows of both parts."""

    def draw(self, data: Data, index: int, steps: Sequence[str] = ()) -> DrawnSplit:
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


def _part(data: Data, rows: Indices) -> Part:
    tasks = None if data.tasks is None else data.tasks[rows]
    return Part(data.X[rows], data.Y[rows], tasks, rows)
