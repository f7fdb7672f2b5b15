"""A results folder: one verified file per finished cell.

::

    plan.json               the cells of the experiment, and its settings
    experiment.yaml         the experiment as it was given
    rows/ab/abcdef....json  one row per cell, with a hash of its content
    predictions/....npz     scores and labels, where they are kept
    partial/.../....json    searches that were cut off, to go on from
    searches/....json       finished searches that cells share
    running/....json        who is at work here
    worker.log              what methods printed
    damaged/                files that were set aside
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from mlbench.errors import StoreError
from mlbench.hashing import canonical_json, digest
from mlbench.store.atomic import write_atomically, write_text
from mlbench.store.row import Row

SCHEMA = 1
_ROW_NAME = re.compile(r"[0-9a-f]{64}\.json")
_STALE_AFTER_SECONDS = 24 * 3600


class DamagedFile(Exception):  # noqa: N818
    """A file of the store that is not what was written."""


@dataclass
class Scan:
    """What a folder of rows holds."""

    rows: dict[str, Row] = field(default_factory=dict)
    damaged: dict[Path, str] = field(default_factory=dict)
    foreign: list[Path] = field(default_factory=list)


class Store:
    """A results folder, for reading and writing.

    Parameters
    ----------
    root : Path
        The folder; it is made when something is first written.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def row_path(self, key: str) -> Path:
        """Return where the row of a cell stands."""
        return self.root / "rows" / key[:2] / f"{key}.json"

    def write_row(self, row: Row) -> None:
        """Write a row, durably and whole.

        Raises
        ------
        OSError
            If it could not be written; nothing is left behind.
        """
        content = canonical_json(row)
        text = f'{{"sha256":"{digest(row)}",\n"row":{content}}}\n'
        write_text(self.row_path(row["key"]), text)

    def read_row(self, path: Path) -> Row:
        """Read a row and verify it.

        Raises
        ------
        DamagedFile
            If it is torn, empty, altered, or stands under another cell's name.
        OSError
            If it cannot be read at all.
        """
        row = cast(Row, _verified(path, "row", key=path.stem))
        if row["schema"] != SCHEMA:
            raise DamagedFile(f"written in form {row['schema']}, and this is form {SCHEMA}")
        row.setdefault("fit", None)  # rows from before there were reports
        return row

    def scan(self, keys: Iterable[str] | None = None) -> Scan:
        """Read the rows of some cells, or all rows there are."""
        result = Scan()
        if keys is None:
            paths = list(self._row_files(result.foreign))
        else:
            paths = [path for key in keys if (path := self.row_path(key)).is_file()]
        for path in paths:
            try:
                result.rows[path.stem] = self.read_row(path)
            except DamagedFile as problem:
                result.damaged[path] = str(problem)
            except OSError as error:
                raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
        return result

    def _row_files(self, foreign: list[Path]) -> Iterator[Path]:
        for path in sorted(self.root.glob("rows/*/*")):
            if _ROW_NAME.fullmatch(path.name) and path.parent.name == path.name[:2]:
                yield path
            elif not path.name.endswith(".tmp"):
                foreign.append(path)

    def set_aside(self, path: Path) -> Path:
        """Move a damaged file out of the way and return its new place."""
        target = self.root / "damaged" / f"{path.name}.{time.time_ns()}"
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # another run on this folder was first
            path.rename(target)
        return target

    def write_predictions(self, key: str, arrays: Mapping[str, np.ndarray]) -> str:
        """Keep the scores and labels of a cell and return the SHA-256 of the file.

        The row is to be written after them, and holds that hash.
        """
        content = io.BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays)
        data = content.getvalue()
        path = self.root / "predictions" / f"{key}.npz"
        write_atomically(path, lambda file: file.write(data))
        return hashlib.sha256(data).hexdigest()

    def read_predictions(self, row: Row) -> dict[str, np.ndarray]:
        """Return the arrays of a cell: ``rows``, ``scores`` and ``labels`` of the test part.

        Where samples were drawn for each label by itself, ``tasks`` are the labels' numbers.

        Raises
        ------
        StoreError
            If none were kept, or the file is not the one that the row was written with.
        """
        path = self.root / "predictions" / f"{row['key']}.npz"
        if row["predictions"] is None or not path.is_file():
            raise StoreError(
                f"{path}: no predictions were kept; set keep_predictions: true and run again"
            )
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != row["predictions"]:
            raise StoreError(f"{path}: not the file that was written; remove it and run again")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return dict(arrays)

    def write_plan(self, plan: dict[str, Any], experiment_text: str) -> None:
        """Keep the cells and settings that reports are made from."""
        write_text(self.root / "experiment.yaml", experiment_text)
        write_text(self.root / "plan.json", json.dumps({"schema": SCHEMA, **plan}, indent=1))

    def has_plan(self) -> bool:
        """Tell whether anything was run into this folder before."""
        return (self.root / "plan.json").exists()

    def read_plan(self) -> dict[str, Any]:
        """Return the plan of the latest run.

        Raises
        ------
        StoreError
            If the folder holds no results, or its plan is damaged.
        """
        path = self.root / "plan.json"
        try:
            plan = json.loads(path.read_bytes())
            if plan["schema"] != SCHEMA:
                raise StoreError(f"{path}: written by another version of mlbench; run it again")
            return _checked_plan(plan)
        except (FileNotFoundError, NotADirectoryError):
            raise StoreError(
                f"{self.root}: not a results folder (it has no plan.json); "
                "`mlbench run CONFIG --out FOLDER` makes one"
            ) from None
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{path}: damaged ({type(error).__name__}: {str(error)[:200]}); `mlbench run` on "
                "the same folder writes it anew"
            ) from None

    def remove_stale_files(self) -> None:
        """Remove what writers that were killed more than a day ago left behind."""
        for path in self.root.rglob("*.tmp"):
            try:
                if time.time() - path.stat().st_mtime > _STALE_AFTER_SECONDS:
                    path.unlink()
            except FileNotFoundError:
                continue


class Partial:
    """Unfinished work of one cell, or work that cells share, by name."""

    def __init__(self, folder: Path) -> None:
        self._path = folder

    def load(self, name: str) -> Any:
        """Return what was saved, or None; a damaged file counts as none."""
        path = self._path / f"{name}.json"
        try:
            return _verified(path, "value")
        except (OSError, DamagedFile):
            return None

    def save(self, name: str, value: Any) -> None:
        """Keep a plain value, durably and whole; if that fails, warn, for the work can go on."""
        text = f'{{"sha256":"{digest(value)}",\n"value":{canonical_json(value)}}}\n'
        try:
            write_text(self._path / f"{name}.json", text)
        except OSError as error:
            warnings.warn(f"unfinished work could not be kept: {error}", stacklevel=2)

    def clear(self) -> None:
        """Remove all of it."""
        with contextlib.suppress(OSError):  # another run may work on the same cell
            for path in self._path.iterdir():
                path.unlink(missing_ok=True)
            self._path.rmdir()


def _checked_plan(plan: dict[str, Any]) -> dict[str, Any]:
    """Return a plan in which everything that reports rely on has its form."""
    experiment = plan["experiment"]
    for entry in experiment["datasets"]:
        dict(entry)
    for text in (experiment["name"], *experiment["metrics"], *plan["methods"], *plan["datasets"]):
        if not isinstance(text, str):
            raise ValueError(f"not a name: {text!r}")
    int(plan["n_splits"])
    for dataset, method, split, key in plan["cells"]:
        if dataset not in plan["datasets"] or method not in plan["methods"]:
            raise ValueError(f"a cell of unknown data or method: {dataset}/{method}")
        if not isinstance(split, int) or not re.fullmatch("[0-9a-f]{64}", key):
            raise ValueError(f"not the split and key of a cell: {split!r}, {key!r}")
    if not plan["cells"]:
        raise ValueError("it lists no cells")
    return plan


def _verified(path: Path, field_name: str, key: str | None = None) -> Any:
    data = path.read_bytes()
    if not data:
        raise DamagedFile("the file is empty")
    try:
        wrapped = json.loads(data)
        value, expected = wrapped[field_name], wrapped["sha256"]
        if digest(value) != expected:
            raise DamagedFile("the content does not match its hash")
        if key is not None and value["key"] != key:
            raise DamagedFile(f"the content belongs to the cell {value['key']}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFile(f"not a complete file ({type(error).__name__})") from None
    return value
