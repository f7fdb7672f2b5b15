"""Many rows in one file that is written once and then only read.

A pack is an SQLite database, so that one row, or what `status` needs of all rows, is found
without reading the rest. It is read as a file that does not change: nothing is locked, and it
may stand on a network disk.

Texts are numbered from 1, and how many there are stands in the header. So every text can be
tried by itself, whatever else of the file is damaged.
"""

from __future__ import annotations

import secrets
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import NamedTuple
from urllib.parse import quote

from mlbench.store.atomic import write_atomically
from mlbench.store.checksum import DamagedFile, seal, sealed_content
from mlbench.store.paths import is_key
from mlbench.store.row import (
    Known,
    Row,
    Summary,
    row_from_json,
    summary_from_json,
    summary_of,
    to_plain,
)

_APPLICATION = 0x6D6C6231
_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE summaries (
    key TEXT PRIMARY KEY, number INTEGER NOT NULL, version INTEGER NOT NULL, summary BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE texts (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, text BLOB NOT NULL);
BEGIN;
"""
_KEYS_NAMED = 3


class Entry(NamedTuple):
    """One row that goes into a pack: verified, with its file and how often it was written again."""

    row: Row
    version: int
    text: bytes


class Pack:
    """A pack that is read; a context manager that closes it.

    Attributes
    ----------
    path : Path
    size : int
        How many rows were written.
    lost : dict of str to str
        What could not be read so far: why, by key, or by number where the key is lost too.

    Raises
    ------
    FileNotFoundError
        If it is not there (any more).
    DamagedFile
        If it is no pack.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lost: dict[str, str] = {}
        self._listless = False
        place = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        try:
            self._database = sqlite3.connect(place, uri=True)
            self._database.execute("PRAGMA writable_schema = ON")  # opens what has lost its end
            (application,) = self._database.execute("PRAGMA application_id").fetchone()
            (self.size,) = self._database.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as error:
            if not path.exists():
                raise FileNotFoundError(str(path)) from None
            raise DamagedFile(f"no row can be read ({error})") from None
        if application != _APPLICATION:
            raise DamagedFile("no row can be read (not a pack of rows)")

    def __enter__(self) -> Pack:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()

    @property
    def damage(self) -> str:
        """What is wrong with it, as far as it was read, in words; empty if nothing is."""
        if self.lost:
            names = [name[:12] for name in self.lost][:_KEYS_NAMED]
            more = ", ..." if len(self.lost) > len(names) else ""
            return (
                f"{len(self.lost)} of its {self.size} rows cannot be read "
                f"({', '.join(names)}{more})"
            )
        return "its list of rows cannot be read, but all rows can" if self._listless else ""

    def index(self) -> dict[str, tuple[int, int]]:
        """Return number and version of each row, by key; what cannot be read is noted."""
        try:
            found = self._database.execute("SELECT key, number, version FROM summaries").fetchall()
            index = {str(key): (int(number), int(version)) for key, number, version in found}
            if len(index) == self.size and all(map(is_key, index)):
                return index
        except (sqlite3.Error, TypeError, ValueError):
            pass
        self._listless = True
        return self._index_of_texts()

    def _index_of(self, key: str) -> dict[str, tuple[int, int]]:
        """Return the part of the index that is about one cell."""
        try:
            found = self._database.execute(
                "SELECT number, version FROM summaries WHERE key = ?", (key,)
            ).fetchone()
            return {key: (int(found[0]), int(found[1]))} if found else {}
        except (sqlite3.Error, TypeError, ValueError):
            return self.index()

    def _index_of_texts(self) -> dict[str, tuple[int, int]]:
        """Go by the texts alone."""
        found = {}
        for number in range(1, self.size + 1):
            try:
                version, text = self._version_and_text(number)
                found[row_from_json(sealed_content(text, "row")).key] = (number, version)
            except DamagedFile as problem:
                self.lost[f"number {number}"] = str(problem)
        return found

    def text(self, number: int) -> bytes:
        """Return the file of a row.

        Raises
        ------
        DamagedFile
            If it cannot be read. It is not verified yet.
        """
        return self._version_and_text(number)[1]

    def _version_and_text(self, number: int) -> tuple[int, bytes]:
        try:
            version, packed = self._database.execute(
                "SELECT version, text FROM texts WHERE number = ?", (number,)
            ).fetchone()
            return int(version), zlib.decompress(packed)
        except (sqlite3.Error, zlib.error, TypeError, ValueError) as error:
            raise DamagedFile(f"cannot be read ({error})") from None

    def rows(self, wanted: set[str] | None) -> Iterator[tuple[int, Row]]:
        """Yield version and row of the wanted cells, or of all; note those that are lost."""
        one_cell = wanted is not None and len(wanted) == 1
        index = self._index_of(*(wanted or ())) if one_cell else self.index()
        known: Known = {}
        for key, (number, version) in index.items():
            if wanted is None or key in wanted:
                try:
                    content = sealed_content(self.text(number), "row")
                    yield version, row_from_json(content, key, known)
                except DamagedFile as problem:
                    self.lost[key] = str(problem)

    def summaries(self, wanted: set[str] | None) -> Iterator[tuple[int, Summary]]:
        """Yield version and summary of the wanted cells, or of all; note those that are lost."""
        try:
            found = self._database.execute("SELECT key, version, summary FROM summaries").fetchall()
            known: Known = {}
            summaries = [
                (int(version), summary_from_json(sealed_content(data, "summary"), key, known))
                for key, version, data in found
                if wanted is None or key in wanted
            ]
            if len(found) != self.size:
                raise DamagedFile("summaries are missing")
        except (sqlite3.Error, DamagedFile, LookupError, TypeError, ValueError):
            self._listless = True
            for version, row in self.rows(wanted):
                yield version, summary_of(row)
            return
        yield from summaries


def write_pack(folder: Path, entries: Iterable[Entry]) -> Path | None:
    """Write rows into a new pack, durably and whole, and return it; None if there are none.

    Parameters
    ----------
    folder : Path
    entries : iterable of Entry
        In the order of their keys, each key once. They are taken one by one, so that memory does
        not grow with their number.

    Raises
    ------
    OSError
        If it could not be written; nothing is left behind.
    """
    entries = iter(entries)
    first = next(entries, None)
    if first is None:
        return None
    path = folder / f"{secrets.token_hex(8)}.sqlite"
    write_atomically(path, lambda file: _fill(str(file.name), chain([first], entries)))
    return path


def _fill(path: str, entries: Iterable[Entry]) -> None:
    number = 0
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.executescript(_TABLES)
            for number, (row, version, text) in enumerate(entries, start=1):
                summary = seal("summary", to_plain(summary_of(row))).encode()
                database.execute(
                    "INSERT INTO summaries VALUES (?, ?, ?, ?)",
                    (row.key, number, version, summary),
                )
                database.execute(
                    "INSERT INTO texts VALUES (?, ?, ?)", (number, version, zlib.compress(text))
                )
            database.execute("COMMIT")
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {number}")
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error
