"""A splitter whose splits stand in a file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mlbench.data.files import read_bytes
from mlbench.data.split_files import SplitFile, read_split_file
from mlbench.errors import DataError
from mlbench.options import Stratify
from mlbench.protocol.splitters import Division, RowSplitter, TrainTest
from mlbench.protocol.splitters.row_splitters import without_features

if TYPE_CHECKING:
    from mlbench.data import Dataset

NEAR = 0.1
"""How far shares of common rows may be from those of random splits."""
MOST_COMPARED = 100
"""Splits whose overlap is measured."""


@dataclass(frozen=True, kw_only=True)
class FileSplits(RowSplitter):
    """Reads the rows of both parts from a file; see `mlbench.data.split_files`."""

    kind = "file"
    heeds_groups = True

    path: Path
    sha256: str
    """Of the content, uncompressed: it is what the splits depend on."""

    @classmethod
    def of(cls, path: Path, seed: int) -> FileSplits:
        """Return the splitter of a file as it is now."""
        return cls(path=path, sha256=_hash(path), seed=seed)

    @property
    def content(self) -> SplitFile:
        """The splits.

        Raises
        ------
        DataError
            If the file was changed, or is no longer there.
        """
        return _read(self.path, self.sha256)

    def divide(self, data: Dataset, index: int) -> TrainTest:
        """Return the rows of both parts."""
        content = self.content
        if content.largest >= len(data.Y):
            raise DataError(
                f"{content.place}: row {content.largest} does not exist: {data.name} has "
                f"{len(data.Y)} rows, counted from 0"
            )
        return TrainTest(*content.splits[index])

    @cached_property
    def _own_identity(self) -> dict[str, object]:
        return {"kind": self.kind, "sha256": self.sha256, "seed": self.seed}

    def examine(
        self, data: Dataset, n_splits: int, folds: int, stratify: Stratify | None
    ) -> Division:
        """Draw the splits and tuning folds, and see how much the splits have in common."""
        told = super().examine(data, n_splits, folds, stratify)
        bare = without_features(data)
        drawn = [self.divide(bare, index) for index in range(min(n_splits, MOST_COMPARED))]
        if data.tasks is not None:
            for index, each in enumerate(drawn):
                lacking = np.setdiff1d(data.tasks, data.tasks[each.train])
                if lacking.size:
                    raise DataError(
                        f"{self.path}: no row of task {data.task_names[lacking[0]]!r} is in the "
                        f"training part of split {self.content.names[index]!r}"
                    )
        if folds and data.groups is None:
            for index in range(len(drawn)):
                self.draw(bare, index).folds(folds, stratify)
        return Division(told.note, why_uncorrected(drawn))


def why_uncorrected(splits: list[TrainTest]) -> str:
    """Return why the corrected t-test is refused on some splits; empty if it is not.

    It is right for a k-fold cross-validation, whose test parts share no row and whose training
    parts are all others, and where two splits share rows as random splits do: of n rows, parts of
    m rows share m/n of theirs in the mean.
    """
    used = np.unique(np.concatenate([part for each in splits for part in (each.train, each.test)]))
    if len(splits) < 2 or _is_k_fold(splits, len(used)):
        return ""
    shares = []
    for parts in ([each.train for each in splits], [each.test for each in splits]):
        member = np.array([np.isin(used, part) for part in parts], dtype=np.float32)
        common = member @ member.T
        size = float(np.mean(np.diag(common)))
        pairs = common[~np.eye(len(parts), dtype=bool)]
        shares.append((float(np.mean(pairs)) / size, size / len(used)))
    if all(abs(found - random) <= NEAR for found, random in shares):
        return ""
    (train, of_train), (test, of_test) = shares
    return (
        f"two splits of the file share {train:.0%} of their training rows and {test:.0%} of their "
        f"test rows, random splits of these sizes {of_train:.0%} and {of_test:.0%}, and the "
        "corrected t-test is right for such splits alone"
    )


def _is_k_fold(splits: list[TrainTest], n: int) -> bool:
    tested = np.concatenate([each.test for each in splits])
    return len(tested) == len(np.unique(tested)) == n and all(
        len(each.train) + len(each.test) == n for each in splits
    )


def _hash(path: Path) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()


@lru_cache(maxsize=8)
def _read(path: Path, sha256: str) -> SplitFile:
    if _hash(path) != sha256:
        raise DataError(f"{path}: the file of splits changed after the run was planned")
    return read_split_file(path)
