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
_PRAGMAS = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"
_TABLES = {
    "summaries": """CREATE TABLE summaries (
    key TEXT PRIMARY KEY, number INTEGER NOT NULL, version INTEGER NOT NULL, summary BLOB NOT NULL
) WITHOUT ROWID""",
    "texts": "CREATE TABLE texts "
    "(number INTEGER PRIMARY KEY, version INTEGER NOT NULL, text BLOB NOT NULL)",
}
_VERIFIED: set[tuple[Path, int, int]] = set()
"""Packs whose list of rows this process has read: a key that is not found there is not there."""
_KEYS_NAMED = 3
_BYTES_PER_ROW = 256
_MOST_ROWS = 10**9
"""A row takes more than this, so that the size of a file tells how many it may hold."""
_SHRINKAGE = 32
"""What would shrink more is stored as it is, so that a small file cannot unpack to a large one."""
_STEPS = 10**7
"""Steps that SQLite may take, and one more for each byte of the file."""


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
        self._untried = 0
        self._flawed = False
        found = path.stat()
        self._bytes = found.st_size
        self._identity = (path, found.st_size, found.st_mtime_ns)
        try:
            self._database = _open(path, self._bytes)
            (self.size,) = self._database.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as error:
            raise DamagedFile(f"no row can be read ({error})") from None

    def __enter__(self) -> Pack:
        return self

    def __exit__(self, *error: object) -> None:
        self._database.close()

    @property
    def damage(self) -> str:
        """What is wrong with it, as far as it was read, in words; empty if nothing is."""
        lost = len(self.lost) + self._untried
        if lost:
            names = [name[:12] for name in self.lost][:_KEYS_NAMED]
            more = ", ..." if lost > len(names) else ""
            which = f"{lost} of its {self.size}" if self.size <= _MOST_ROWS else "most of its"
            return f"{which} rows cannot be read ({', '.join(names)}{more})"
        return "its list of rows cannot be read, but all rows can" if self._flawed else ""

    def index(self) -> dict[str, tuple[int, int]]:
        """Return number and version of each row, by key; what cannot be read is noted."""
        listed = {key: (number, version) for key, number, version, _ in self._listed()}
        last = self._last_text()
        if [number for number, _ in listed.values()] == list(range(1, len(listed) + 1)):
            if len(listed) == self.size:
                if not self._flawed:
                    _VERIFIED.add(self._identity)
                return listed
            if len(listed) == last > 0:  # the header is damaged
                self._flawed, self.size = True, last
                return listed
        self._flawed = True
        return self._index_of_texts({number: key for key, (number, _) in listed.items()}, last)

    def _index_of(self, key: str) -> dict[str, tuple[int, int]]:
        """Return the part of the index that is about one cell."""
        try:
            found = self._database.execute(
                "SELECT number, version FROM summaries WHERE key = ?", (key,)
            ).fetchone()
            if found:
                return {key: (int(found[0]), int(found[1]))}
            return {} if self._identity in _VERIFIED else self.index()
        except (sqlite3.Error, TypeError, ValueError):
            return self.index()

    def _listed(self) -> Iterator[tuple[str, int, int, bytes]]:
        """Yield key, number, version and verified summary of each row whose summary is intact."""
        size = 0
        try:
            for key, number, version, data in self._database.execute("SELECT * FROM summaries"):
                size += len(data)
                if size > self._bytes:
                    raise DamagedFile("more than the file can hold")
                content = sealed_content(data, "summary")
                if is_key(key) and f'"key":"{key}"'.encode() in content:
                    yield key, int(number), int(version), content
        except (sqlite3.Error, DamagedFile, TypeError, ValueError):
            self._flawed = True

    def _last_text(self) -> int:
        try:
            return int(self._database.execute("SELECT max(number) FROM texts").fetchone()[0])
        except (sqlite3.Error, TypeError, ValueError):
            return 0

    def _index_of_texts(self, keys: dict[int, str], last: int) -> dict[str, tuple[int, int]]:
        """Go by the texts alone; `keys` names those that cannot be read."""
        self.size = max(self.size, last, *keys, 0)
        tried = min(self.size, self._bytes // _BYTES_PER_ROW)
        self._untried = self.size - tried
        found = {}
        for number in range(1, tried + 1):
            try:
                version, text = self._version_and_text(number)
                found[row_from_json(sealed_content(text, "row")).key] = (number, version)
            except DamagedFile as problem:
                self.lost[keys.get(number, f"number {number}")] = str(problem)
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
            unpacking = zlib.decompressobj()
            text = unpacking.decompress(packed, _SHRINKAGE * len(packed) + 1)
            if not unpacking.eof:
                raise ValueError("it has no end")
            return int(version), text
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
        known: Known = {}
        try:
            listed = list(self._listed())
            summaries = [
                (version, summary_from_json(content, key, known))
                for key, _, version, content in listed
                if wanted is None or key in wanted
            ]
        except DamagedFile:
            self._flawed = True
        if self._flawed or len(listed) != self.size:
            for version, row in self.rows(wanted):
                yield version, summary_of(row)
            return
        yield from summaries


def _open(path: Path, size: int) -> sqlite3.Connection:
    """Open a database of this many bytes; only what it may ask for is done.

    Raises
    ------
    DamagedFile
        If it is no pack.
    """
    if not path.is_file():
        raise DamagedFile("no row can be read (not a regular file)")
    place = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    database = sqlite3.connect(place, uri=True)
    steps = iter(range(0, _STEPS + size, 10**5))
    database.set_progress_handler(lambda: next(steps, None) is None, 10**5)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(size, 10**5))
    database.execute("PRAGMA writable_schema = ON")  # opens what has lost its end
    (application,) = database.execute("PRAGMA application_id").fetchone()
    if application != _APPLICATION:
        raise DamagedFile("no row can be read (not a pack of rows)")
    tables = database.execute("SELECT type, name, sql FROM sqlite_schema LIMIT 9").fetchall()
    if tables != [("table", name, statement) for name, statement in _TABLES.items()]:
        raise DamagedFile("no row can be read (its tables are not those of a pack)")
    return database


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


def _packed(text: bytes) -> bytes:
    packed = zlib.compress(text)
    return packed if len(text) <= _SHRINKAGE * len(packed) else zlib.compress(text, 0)


def _fill(path: str, entries: Iterable[Entry]) -> None:
    number = 0
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.executescript(";".join((_PRAGMAS, *_TABLES.values(), "BEGIN")))
            for number, (row, version, text) in enumerate(entries, start=1):
                summary = seal("summary", to_plain(summary_of(row))).encode()
                database.execute(
                    "INSERT INTO summaries VALUES (?, ?, ?, ?)",
                    (row.key, number, version, summary),
                )
                database.execute(
                    "INSERT INTO texts VALUES (?, ?, ?)", (number, version, _packed(text))
                )
            database.execute("COMMIT")
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {number}")
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error
