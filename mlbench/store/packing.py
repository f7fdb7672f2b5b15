"""Pack finished rows into one file. Rows that come later are single files until the next time.

The order of the steps is what makes it safe. The new pack is on the disk, under its name, before
anything is removed; of the inbox only files are removed that are in the pack byte for byte; a
pack is removed only if every row of it is in the new one. Whoever is killed in between leaves
rows that stand twice, with the same version and text, and readers take one of them.

Nothing is locked. Two calls at once write two packs, and each row has a version, so that
the later of two results of a cell counts, in whichever pack it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from mlbench.store.checksum import DamagedFileError, sealed_content
from mlbench.store.pack_file import Pack, PackEntry, write_pack
from mlbench.store.paths import inside, read_file
from mlbench.store.plain_values import InternTable
from mlbench.store.row import Row, Summary, row_from_json
from mlbench.store.row_files import RowFiles, remove_if_same, row_files

PACKS = "packs"
_REMOVED_AT_ONCE = 32
"""Some disks take milliseconds to free the blocks of a file, but those of many files together."""
_READ_AT_ONCE = 1024


@dataclass
class Packed:
    """The outcome of packing."""

    packed: int = 0
    """Single files that were brought into the pack and removed."""
    rows: int = 0
    """Rows that are packed now."""
    damaged: dict[Path, str] = field(default_factory=dict)
    """Files that are not what was written; they were left where they are."""


def pack_files(root: Path) -> list[Path]:
    """Return the packs of a results folder."""
    return sorted(inside(root, PACKS).glob("*.sqlite"))


def precedence(version: int, row: Row | Summary) -> tuple[int, bool, bool, str]:
    """Return what decides between packs that hold the same cell: the greatest counts.

    Of equal versions, which only two calls at once can leave, a result counts for
    more than a failure, and one with predictions for more than one without.
    """
    return version, row.is_ok, row.predictions is not None, row.finished


def pack_rows(root: Path, without: Set[str] = frozenset()) -> Packed:
    """Pack all rows of a results folder, except those of some cells.

    Raises
    ------
    OSError
        If something cannot be read or written; no row is lost.
    """
    result = Packed()
    arrived = row_files(root)
    files = arrived.files
    with contextlib.ExitStack() as stack:
        packs = []
        for path in pack_files(root):
            try:
                packs.append(stack.enter_context(Pack(path)))
            except FileNotFoundError:  # another call has brought it into its own
                continue
            except DamagedFileError as problem:
                result.damaged[path] = str(problem)
        is_tidy = not files and len(packs) < 2 and all(pack.has_columns for pack in packs)
        if is_tidy and not any(without & pack.index().keys() for pack in packs):
            result.rows = sum(pack.size for pack in packs)
            return result
        written = write_pack(inside(root, PACKS), _entries(files, packs, result.damaged, without))
        result.damaged.update({pack.path: pack.damage for pack in packs if pack.damage})
    if written is not None:
        with Pack(written) as pack:
            result.rows = pack.size
            result.packed = _remove_packed(root, arrived, pack, result.damaged)
    if written is not None or without:
        for old in packs:
            if not old.damage:
                old.path.unlink(missing_ok=True)
    return result


def rescue(root: Path, path: Path) -> None:
    """Copy the readable rows of a damaged pack to a new one."""
    with contextlib.suppress(DamagedFileError), Pack(path) as pack:
        write_pack(inside(root, PACKS), _entries({}, [pack], {}, frozenset()))


def _entries(
    files: dict[str, Path], packs: list[Pack], damaged: dict[Path, str], without: Set[str]
) -> Iterator[PackEntry]:
    """Yield every row once, in the order of keys: the single file, or the latest that is packed."""
    indexes = [pack.index() for pack in packs]
    interned = InternTable()
    for key in sorted({*files, *chain.from_iterable(indexes)} - without):
        entry = _latest(key, packs, indexes)
        if key in files:
            try:
                text = read_file(files[key])
                row = row_from_json(sealed_content(text, "row"), key, interned)
            except FileNotFoundError:  # another call was first
                pass
            except DamagedFileError as problem:
                damaged[files[key]] = str(problem)
            else:
                version = 0 if entry is None else entry.version + (text != entry.text)
                entry = PackEntry(row, version, text)
        if entry is not None:
            yield entry


def _latest(
    key: str, packs: list[Pack], indexes: list[dict[str, tuple[int, int]]]
) -> PackEntry | None:
    found = []
    for pack, index in zip(packs, indexes, strict=True):
        if key in index:
            number, version = index[key]
            try:
                text = pack.text(number)
                found.append(
                    PackEntry(row_from_json(sealed_content(text, "row"), key), version, text)
                )
            except DamagedFileError as problem:
                pack.lost[key] = str(problem)
    return max(found, key=lambda entry: precedence(entry.version, entry.row), default=None)


def _remove_packed(root: Path, arrived: RowFiles, pack: Pack, damaged: dict[Path, str]) -> int:
    """Remove single files that can be read back from the pack; return how many."""

    def remove(rows: list[tuple[str, Path, bytes]]) -> int:
        for older in (older for key, _, _ in rows for older in arrived.older.get(key, ())):
            older.unlink(missing_ok=True)
        return sum(remove_if_same(root, *row) for row in rows)

    removed = 0
    rows = _read_back(arrived, pack, damaged)
    with ThreadPoolExecutor(_REMOVED_AT_ONCE) as pool:
        while some := list(islice(rows, _READ_AT_ONCE)):
            parts = (some[start::_REMOVED_AT_ONCE] for start in range(_REMOVED_AT_ONCE))
            removed += sum(pool.map(remove, parts))
    return removed


def _read_back(
    arrived: RowFiles, pack: Pack, damaged: dict[Path, str]
) -> Iterator[tuple[str, Path, bytes]]:
    """Yield key, single file and verified packed text of the rows that have both."""
    for key, (number, _) in pack.index().items():
        path = arrived.files.get(key)
        if path is not None and path not in damaged:
            text = pack.text(number)
            sealed_content(text, "row")
            yield key, path, text
