"""Splits with only some of the training and test samples, to try methods on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.splitters.base import DrawnSplit, Splitter

if TYPE_CHECKING:
    from mlbench.data import Dataset


@dataclass(frozen=True, kw_only=True)
class SmallerSplits(Splitter):
    """The splits of another splitter, with the same share of both parts left out at random."""

    inner: Splitter
    train: int
    """How many samples of the training part stay, if it has as many."""

    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> DrawnSplit:
        """Draw a split; see :class:`~mlbench.protocol.splitters.base.Splitter`.

        Raises
        ------
        DataError
            If its parts are more than rows of the data set, or their folds follow an order.
        """
        split = self.inner.draw(data, index, steps)
        if type(split) is not DrawnSplit:
            raise DataError(
                f"{data.name}: no part can be left out of {type(self.inner).__name__}'s splits"
            )
        share = min(self.train / len(split.train.Y), 1.0)
        return replace(
            split,
            train=_some(split.train, share, split.axes),
            test=_some(split.test, share, split.axes),
        )

    def training_rows(self, facts: DatasetFacts) -> int:
        """Return the most rows that a training part may have."""
        return min(self.train, self.inner.training_rows(facts))

    def identity(self, index: int) -> dict[str, object]:
        """Return what a split depends on, as entries of a cell's identity."""
        entries = self.inner.identity(index)
        return {**entries, "split": {"of": entries["split"], "train_samples": self.train}}


def _some(part: Part, share: float, axes: tuple[str | int, ...]) -> Part:
    n = len(part.Y)
    order: Indices = random_state("smaller", *axes).permutation(n)
    return part.take(np.sort(order[: max(round(share * n), 1)]))
