"""Rows divided in time order: trained on what came before, tested on what comes after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from mlbench.errors import DataError
from mlbench.options import Stratify
from mlbench.protocol.splitters.base import Division, DrawnSplit
from mlbench.protocol.splitters.row_splitters import RowSplitter, without_features
from mlbench.protocol.splitters.rows import TrainTest, number_of
from mlbench.solvers.arrays import Ints

if TYPE_CHECKING:
    from mlbench.data import Dataset

NO_UNKNOWN = (
    "not all labels of all rows are known, and splits in time order cannot do without any; use "
    "splits of the kind random, kfold, or published"
)
NO_THEORY = (
    "the splits are windows in time order, for whose scores the corrected t-test has no theory"
)


def windows(
    times: Ints,
    folds: int,
    dataset: str,
    test: int | None = None,
    gap: int = 0,
    longest: int | None = None,
    fewest: int = 1,
) -> list[TrainTest]:
    """Return windows in time order: each tests a block of rows, and trains on rows before it.

    The blocks are the last rows, one after the other, of one size. Where a block would begin or
    end among rows of one time, it begins or ends at the nearest change of time.

    Parameters
    ----------
    times : (n,) int array
        Ranks of the rows in time.
    folds : int
    dataset : str
    test : int, optional
        Rows of a block; by default n / (folds + 1), rounded down.
    gap : int
        Rows before a block that are left out of training.
    longest : int, optional
        At most so many rows are trained on, the last ones.
    fewest : int
        At least so many are.

    Raises
    ------
    DataError
        If there are too few rows, or too few times.
    """
    n = len(times)
    size = n // (folds + 1) if test is None else test
    order = np.argsort(times, kind="stable")
    changes = np.concatenate([[0], np.flatnonzero(np.diff(times[order])) + 1, [n]])
    wanted = n - size * np.arange(folds, -1, -1)
    places = np.abs(changes - np.maximum(wanted, 0)[:, None]).argmin(axis=1)
    bounds = changes[places]
    trained = min(wanted[0], bounds[0]) - gap
    if size < 1 or trained < fewest or (np.diff(bounds) < 1).any():
        raise DataError(
            f"{dataset}: {n} rows of {len(changes) - 1} different times cannot be divided into "
            f"{folds} test windows of {size} rows, with {gap} rows left out and rows to train on "
            f"before each, {fewest} or more"
        )
    found = []
    for start, stop in pairwise(bounds):
        first = 0 if longest is None else max(start - gap - longest, 0)
        train, tested = order[first : start - gap], order[start:stop]
        found.append(TrainTest(np.sort(train), np.sort(tested)))
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class TimeSplit(DrawnSplit):
    """A split in time order; so are the folds of its training part."""

    times: Ints
    """Of the samples to train on: ranks in time."""
    gap: int

    def folds(self, number: int, stratify: Stratify | None = None) -> list[TrainTest]:
        """Return windows of the training part; the first rows are held out by none."""
        if stratify is not None:
            raise DataError(
                f"{self.axes[1]}: tuning folds in time order cannot be stratified; leave "
                "protocol.tuning.stratify out"
            )
        return windows(self.times, number, f"{self.axes[1]}: tuning folds", gap=self.gap, fewest=2)


@dataclass(frozen=True, kw_only=True)
class TimeWindows(RowSplitter):
    """Tests consecutive windows of the last rows, after training on rows before each.

    Expanding windows train on all of them, rolling ones on as many as the first.
    """

    kind = "time"

    windows: Literal["expanding", "rolling"] = "expanding"
    folds: int = 5
    train: int | float | None = None
    """A number of rows, or a share: of the first training part. All rows after it are tested."""
    test: int | float | None = None
    """A number of rows, or a share, of each test part."""
    gap: int = 0

    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> DrawnSplit:
        """Draw a split; see :class:`~mlbench.protocol.splitters.base.Splitter`."""
        split = super().draw(data, index, steps)
        assert data.times is not None
        return TimeSplit(**vars(split), times=data.times[split.train.rows], gap=self.gap)

    def divide(self, data: Dataset, index: int) -> TrainTest:
        """Return the rows of both parts."""
        return self._windows(data)[index]

    def _windows(self, data: Dataset) -> list[TrainTest]:
        if data.times is None:
            raise DataError(
                f"{data.name}: splits of the kind time need the times of rows; write `by: COLUMN` "
                "in protocol.splits, or `time: COLUMN` or `time: FILE.csv` in the data set"
            )
        if self.windows == "expanding" and None not in (self.train, self.test):
            raise DataError(
                f"{data.name}: expanding windows have either `train` or `test`, not both; leave "
                "one out, in protocol.splits or in the data set"
            )
        n = len(data.times)
        test = None if self.test is None else number_of(self.test, n)
        first = None if self.train is None else number_of(self.train, n)
        if test is None and first is not None:
            test = max(n - first - self.gap, 0) // self.folds
        longest = None
        if self.windows == "rolling":
            size = n // (self.folds + 1) if test is None else test
            longest = n - self.gap - size * self.folds if first is None else first
        return windows(data.times, self.folds, data.name, test, self.gap, longest)

    def examine(
        self, data: Dataset, n_splits: int, folds: int, stratify: Stratify | None
    ) -> Division:
        """Draw all windows and their tuning folds."""
        super().examine(data, n_splits, folds, stratify)
        if data.known is not None:
            raise DataError(f"{data.name}: {NO_UNKNOWN}")
        bare = without_features(data)
        sizes = []
        for index in range(n_splits):
            split = self.draw(bare, index)
            if data.tasks is not None:
                lacking = np.setdiff1d(data.tasks, data.tasks[split.train.rows])
                if lacking.size:
                    raise DataError(
                        f"{data.name}: task {data.task_names[lacking[0]]!r} has no row in the "
                        f"training part of window {index}; use fewer folds, or larger parts"
                    )
            if folds:
                split.folds(folds, stratify)
            sizes.append(len(split.train.rows))
        parts = f"{min(sizes)} to {max(sizes)}" if len({*sizes}) > 1 else str(sizes[0])
        return Division(f"trained on {parts} rows, tested on later ones", NO_THEORY)
