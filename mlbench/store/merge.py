"""Copy the rows of several results folders into one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from os.path import lexists
from pathlib import Path

from mlbench.store.atomic import write_atomically
from mlbench.store.checksum import DamagedFileError, unseal
from mlbench.store.paths import inside, read_file
from mlbench.store.row import Row
from mlbench.store.store import Store


@dataclass
class Merged:
    """The outcome of a merge."""

    copied: int = 0
    known: int = 0
    """Rows that were new or better, and rows that were there already."""
    replaced: int = 0
    """Of the copied, those in place of a failure, or of one without its predictions."""
    damaged: dict[Path, str] = field(default_factory=dict)
    """Files of the sources that are not what was written; they were left where they are. A row
    whose predictions are damaged comes along without them.
    """
    differing: list[str] = field(default_factory=list)
    """Keys of cells that have results in two folders which are not the same; the first one that was
    met is kept.
    """


def merge(sources: Iterable[Store], target: Store) -> Merged:
    """Copy the verified rows of some folders into one, with predictions and finished searches.

    A result counts for more than a failure; of two equal ones the first stays. Each row is
    written whole or not at all, its predictions before it, so that an interrupted merge is
    completed by a second one. Predictions and searches are verified like rows; where those of a
    row are gone or damaged in one folder, another one that has the same may give them.

    Raises
    ------
    OSError
        If something cannot be read or written; rows that were copied are kept.
    """
    merged = Merged()
    rows = target.scan().rows
    for source in sources:
        scan = source.scan()
        merged.damaged.update(scan.damaged)
        for key, row in scan.rows.items():
            there = rows.get(key)
            if there is not None and not _is_better(row, there):
                merged.known += 1
                if _differ(row, there):
                    merged.differing.append(key)
                lacks = not target.predictions_path(key).exists()
                if lacks and row.predictions == there.predictions:
                    _copy_predictions(row, source, target, merged)
                continue
            _copy_predictions(row, source, target, merged)
            target.write_row(row)
            rows[key] = row
            merged.copied += 1
            merged.replaced += there is not None
        _copy_searches(source, target, merged)
    return merged


def _is_better(row: Row, there: Row) -> bool:
    if row.is_ok != there.is_ok:
        return row.is_ok
    return row.predictions is not None and there.predictions is None


def _differ(row: Row, there: Row) -> bool:
    """Tell whether two results have other values; a row may lack newer metrics."""
    both = row.metrics.keys() & there.metrics.keys()
    return row.is_ok and there.is_ok and any(row.metrics[m] != there.metrics[m] for m in both)


def _copy_predictions(row: Row, source: Store, target: Store, merged: Merged) -> None:
    def verify(data: bytes) -> None:
        if hashlib.sha256(data).hexdigest() != row.predictions:
            raise DamagedFileError("the predictions do not match the hash in their row")

    path = source.predictions_path(row.key)
    if row.predictions is not None and lexists(path):
        _copy(path, target.predictions_path(row.key), verify, merged)


def _copy_searches(source: Store, target: Store, merged: Merged) -> None:
    for path in sorted(inside(source.root, "searches").glob("*.json")):
        copy = inside(target.root, "searches") / path.name
        if not copy.exists():
            _copy(path, copy, partial(unseal, name=f"searches/{path.stem}"), merged)


def _copy(path: Path, copy: Path, verify: Callable[[bytes], object], merged: Merged) -> None:
    """Copy a file if its hash is right."""
    try:
        data = read_file(path)
        verify(data)
    except DamagedFileError as problem:
        merged.damaged[path] = str(problem)
        return
    write_atomically(copy, lambda file: file.write(data))
