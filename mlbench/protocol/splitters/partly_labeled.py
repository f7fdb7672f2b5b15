"""Splits of rows of which some labels are unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mlbench.errors import DataError
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.splitters.base import DrawnSplit
from mlbench.protocol.splitters.rows import Axes, TrainTest, tuning_folds
from mlbench.solvers.arrays import Flags, Ints

if TYPE_CHECKING:
    from mlbench.data import Dataset


@dataclass(frozen=True, eq=False, kw_only=True)
class PartlyLabeledSplit(DrawnSplit):
    """A split of rows with unknown labels: each known label of a row is a sample.

    A label is then a task with rows of its own. Every method and metric for tasks leaves out what
    is unknown, in training, tuning, and testing.
    """

    keeps_tasks = True

    Y: Ints
    """(n, k) labels of the whole data set, 0 where unknown."""
    label_names: Sequence[str]

    def folds(self, number: int, stratify: Stratify | None = None) -> list[TrainTest]:
        """Divide the rows of the training part; the labels of a row stay together.

        Raises
        ------
        DataError
            If some fold leaves no known value of a label to learn from.
        """
        rows = np.unique(self.train.rows)
        groups = None if self.groups is None else self.groups[rows]
        by_rows = tuning_folds(len(rows), number, self.axes, None, self.Y[rows], stratify, groups)
        folds = []
        for fold in by_rows:
            held = np.isin(self.train.rows, rows[fold.test])
            folds.append(TrainTest(np.flatnonzero(~held), np.flatnonzero(held)))
        for fold in folds:
            _refuse_unlearnable(self.train.take(fold.train), self.label_names, str(self.axes[1]))
        return folds


def partly_labeled_split(
    data: Dataset, known: Flags, rows: TrainTest, axes: Axes, steps: Sequence[str]
) -> PartlyLabeledSplit:
    """Return a split of rows, with a sample for each of their known labels.

    Raises
    ------
    DataError
        If no training row knows some label, or no test row any.
    """
    train, test = (_labels_part(data, known, part) for part in (rows.train, rows.test))
    _refuse_unlearnable(train, data.label_names, data.name)
    if not len(test.Y):
        raise DataError(f"{data.name}: no label of the test part is known; change protocol.splits")
    return PartlyLabeledSplit(
        train=train,
        test=test,
        axes=axes,
        steps=steps,
        columns=np.arange(data.Y.shape[1]),
        groups=data.groups,
        Y=data.Y,
        label_names=data.label_names,
    )


def _labels_part(data: Dataset, known: Flags, rows: Indices) -> Part:
    places, labels = np.nonzero(known[rows])
    chosen = rows[places]
    return Part(data.X[chosen], data.Y[chosen, labels][:, None], labels, chosen, repeats_rows=True)


def _refuse_unlearnable(train: Part, label_names: Sequence[str], dataset: str) -> None:
    assert train.tasks is not None
    absent = np.setdiff1d(np.arange(len(label_names)), train.tasks)
    if absent.size:
        raise DataError(
            f"{dataset}: in a training part or tuning fold no row has a known value of "
            f"{label_names[absent[0]]!r}; drop rare labels with `min_positives`, or use larger "
            "training parts"
        )
