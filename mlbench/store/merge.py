"""Rows of several results folders brought into one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from mlbench.store.atomic import write_atomically
from mlbench.store.row import Row
from mlbench.store.store import Store


@dataclass
class Merged:
    """What became of the rows of the sources.

    Attributes
    ----------
    copied, known : int
        Rows that were new, and rows that were there already.
    damaged : dict of Path to str
        Files of the sources that are not what was written; they were left where they are.
    differing : list of str
        Keys of cells that have results in two folders which are not the same; the first one
        that was met is kept.
    """

    copied: int = 0
    known: int = 0
    damaged: dict[Path, str] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)


def merge(sources: Iterable[Store], target: Store) -> Merged:
    """Copy the verified rows of some folders into one, with predictions and finished searches.

    A result counts for more than a failure; of two equal ones the first stays. Each row is
    written whole or not at all, its predictions before it, so that an interrupted merge is
    completed by a second one.

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
                continue
            _copy_predictions(row, source, target)
            target.write_row(row)
            rows[key] = row
            merged.copied += 1
        for search in sorted(source.root.glob("searches/*.json")):
            copy = target.root / "searches" / search.name
            if not copy.exists():
                write_atomically(copy, _content_of(search))
    return merged


def _is_better(row: Row, there: Row) -> bool:
    if (row["status"] == "ok") != (there["status"] == "ok"):
        return row["status"] == "ok"
    return row["predictions"] is not None and there["predictions"] is None


def _differ(row: Row, there: Row) -> bool:
    return row["status"] == there["status"] == "ok" and row["metrics"] != there["metrics"]


def _copy_predictions(row: Row, source: Store, target: Store) -> None:
    path = source.root / "predictions" / f"{row['key']}.npz"
    if row["predictions"] is not None and path.is_file():
        write_atomically(target.root / "predictions" / path.name, _content_of(path))


def _content_of(path: Path) -> Callable[[BinaryIO], object]:
    def fill(file: BinaryIO) -> None:
        with path.open("rb") as content:
            shutil.copyfileobj(content, file)

    return fill
