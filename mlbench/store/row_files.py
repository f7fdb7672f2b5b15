"""Rows as single files, each named by its cell's key, in 256 folders."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mlbench.store.paths import inside, is_key, names_in, path_of_key

_ROW = re.compile(r"([0-9a-f]{64})\.json")
_ASIDE = re.compile(r"\.([0-9a-f]{64})\.json\.[0-9a-f]+\.aside")


def row_path(root: Path, key: str) -> Path:
    """Return where the row of a cell is written."""
    return path_of_key(root, ("rows", key[:2]), key, ".json")


@dataclass
class RowFiles:
    """The files of an inbox."""

    files: dict[str, Path] = field(default_factory=dict)
    """The one that counts of each cell, by key."""
    older: dict[str, list[Path]] = field(default_factory=dict)
    """Files left aside of cells that have a newer one."""


def row_files(root: Path, keys: Iterable[str] | None = None) -> RowFiles:
    """Return the files of some cells, or of all.

    Whole folders are listed, which is faster than asking for each file.
    """
    wanted = None if keys is None else set(keys)
    every = inside(root, "rows")
    if wanted is None:
        folders = names_in(every)
    else:
        folders = sorted({key[:2] for key in wanted if is_key(key)})
    found = RowFiles()
    for folder in folders:
        for name in names_in(inside(root, "rows", folder)):
            path = every / folder / name
            key = _key_of(name)
            if key.startswith(folder) and (wanted is None or key in wanted):
                _add(found, key, path)
    return found


def _key_of(name: str) -> str:
    match = _ROW.fullmatch(name) or _ASIDE.fullmatch(name)
    return match[1] if match else ""


def _add(found: RowFiles, key: str, path: Path) -> None:
    """Add a file; it is newer than those of its cell that were moved aside before."""
    there = found.files.get(key)
    if there is not None:
        older, path = sorted((there, path), key=_age)
        found.older.setdefault(key, []).append(older)
    found.files[key] = path


def _age(path: Path) -> tuple[bool, int]:
    """Order files of one cell: the one that was not moved aside is the newest."""
    try:
        return not path.name.startswith("."), path.stat().st_mtime_ns
    except FileNotFoundError:
        return False, 0


def remove_if_same(root: Path, key: str, path: Path, text: bytes) -> bool:
    """Remove the file of a row that is kept elsewhere, unless it was written again meanwhile.

    It is moved aside first, so that what is compared is what is removed. Whoever is killed in
    between leaves a file that counts as a row as long as there is no other of its cell.

    Returns
    -------
    bool
        Whether a row with this text was removed.
    """
    aside = row_path(root, key).with_name(f".{key}.json.{secrets.token_hex(4)}.aside")
    try:
        path.rename(aside)
        if aside.read_bytes() == text:
            aside.unlink()
            return True
        with contextlib.suppress(FileExistsError):  # written once more: that one is newer
            os.link(aside, row_path(root, key))
        aside.unlink()
    except OSError:  # another call was first, or this disk knows no links: aside it counts
        pass
    return False
