"""Many rows in one file that is written once and then only read.

A pack is an SQLite database. It holds the text of each row with its hash, and blocks of columns
with hashes of their own (:mod:`mlbench.store.columns`), from which most commands read. It is read
as a file that does not change: nothing is locked, and it may stand on a network disk.

Texts are numbered from 1, and how many there are stands in the header. So every text can be
tried by itself, whatever else of the file is damaged.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from mlbench.store.atomic import write_atomically
from mlbench.store.checksum import DamagedFileError, sealed_content
from mlbench.store.columns import KEYS, Block, columns_of, packed, unpacked
from mlbench.store.plain_values import InternTable
from mlbench.store.row import Row, Summary, row_from_json, summary_of

_APPLICATION = 0x6D6C6231
_PRAGMAS = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"
_TEXTS = {
    "texts": "CREATE TABLE texts "
    "(number INTEGER PRIMARY KEY, version INTEGER NOT NULL, text BLOB NOT NULL)",
}
_TABLES = {
    "columns": """CREATE TABLE columns (
    first INTEGER, name TEXT, hash BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (first, name)
) WITHOUT ROWID""",
    **_TEXTS,
}
_TABLES_WITHOUT_COLUMNS = {
    "summaries": """CREATE TABLE summaries (
    key TEXT PRIMARY KEY, number INTEGER NOT NULL, version INTEGER NOT NULL, summary BLOB NOT NULL
) WITHOUT ROWID""",
    **_TEXTS,
}
"""Of packs of earlier versions: their texts alone are read."""
_ROWS_OF_BLOCK = 4096
_KEYS_NAMED = 3
_BYTES_PER_ROW = 256
_MAX_ROWS = 10**9
"""A row takes more than this, so that the size of a file tells how many it may hold."""
_STEPS = 10**7
"""Steps that SQLite may take, and one more for each byte of the file."""


class PackEntry(NamedTuple):
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
    has_columns : bool
        Whether it has them; packs of earlier versions have not, and are slower to read.
    lost : dict of str to str
        What could not be read so far: why, by key, or by number where the key is lost too.

    Raises
    ------
    FileNotFoundError
        If it is not there (any more).
    DamagedFileError
        If it is no pack.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lost: dict[str, str] = {}
        self._untried = 0
        self._flawed = False
        self._bytes = path.lstat().st_size
        try:
            self._database, self.has_columns = _open(path, self._bytes)
            (self.size,) = self._database.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as error:
            raise DamagedFileError(f"no row can be read ({error})") from None

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
            which = f"{lost} of its {self.size}" if self.size <= _MAX_ROWS else "most of its"
            return f"{which} rows cannot be read ({', '.join(names)}{more})"
        return "its columns cannot be read, but all rows can" if self._flawed else ""

    def index(self, of_columns: Iterable[str] = ()) -> dict[str, tuple[int, int]]:
        """Return number and version of each row, by key; what cannot be read is noted.

        Parameters
        ----------
        of_columns : iterable of str
            Verify only these columns; by default all.
        """
        last = self._last_text()
        if not self.has_columns:
            return self._index_of_texts({}, last)
        keys: dict[int, str] = {}
        index: dict[str, tuple[int, int]] = {}
        for first, block in self._blocks(of_columns):
            keys.update(enumerate(block.keys, first))
            index.update(zip(block.keys, enumerate(block.versions, first), strict=True))
        if list(keys) == list(range(1, len(keys) + 1)) and len(index) == len(keys):
            if len(keys) == self.size:
                return index
            if len(keys) == last > 0:  # the header is damaged
                self._flawed, self.size = True, last
                return index
        self._flawed = True
        return self._index_of_texts(keys, last)

    def _blocks(self, of_columns: Iterable[str] = ()) -> Iterator[tuple[int, Block]]:
        """Yield blocks of which every column is intact, each with the number of its first row."""
        only = f"WHERE name IN {(*of_columns,)}" if of_columns else ""
        size = 0
        blocks: dict[int, dict[str, bytes]] = {}
        damaged = set()
        try:
            for first, name, digest, data in self._database.execute(
                f"SELECT first, name, hash, data FROM columns {only}"
            ):
                size += len(data)
                if size > self._bytes:
                    raise DamagedFileError("more than the file can hold")
                if digest != _hash_of_column(first, name, data):
                    damaged.add(first)
                blocks.setdefault(first, {})[name] = data
        except (sqlite3.Error, DamagedFileError, TypeError, ValueError):
            self._flawed = True
        for first, columns in blocks.items():
            try:
                if first in damaged:
                    raise DamagedFileError("a column is not what was written")
                yield first, Block(columns)
            except DamagedFileError:
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
            except DamagedFileError as problem:
                self.lost[keys.get(number, f"number {number}")] = str(problem)
        return found

    def text(self, number: int) -> bytes:
        """Return the file of a row.

        Raises
        ------
        DamagedFileError
            If it cannot be read. It is not verified yet.
        """
        return self._version_and_text(number)[1]

    def _version_and_text(self, number: int) -> tuple[int, bytes]:
        try:
            version, data = self._database.execute(
                "SELECT version, text FROM texts WHERE number = ?", (number,)
            ).fetchone()
            return int(version), unpacked(data)
        except (sqlite3.Error, TypeError, ValueError) as error:
            raise DamagedFileError(f"cannot be read ({error})") from None

    def rows(self, wanted: set[str] | None) -> Iterator[tuple[int, Row]]:
        """Yield version and row of the wanted cells, or of all; note those that are lost."""
        one_cell = wanted is not None and len(wanted) == 1
        interned = InternTable()
        for key, (number, version) in self.index(KEYS if one_cell else ()).items():
            if wanted is None or key in wanted:
                try:
                    content = sealed_content(self.text(number), "row")
                    yield version, row_from_json(content, key, interned)
                except DamagedFileError as problem:
                    self.lost[key] = str(problem)

    def summaries(self, wanted: set[str] | None) -> Iterator[tuple[int, Summary]]:
        """Yield version and summary of the wanted cells, or of all; note those that are lost."""
        found: list[tuple[int, Summary]] = []
        size = 0
        try:
            for first, block in self._blocks() if self.has_columns else ():
                if first != size + 1:
                    raise DamagedFileError("a block is not there")
                size += len(block.keys)
                found += block.summaries(wanted)
        except DamagedFileError:
            self._flawed = True
        if self._flawed or size != self.size:
            for version, row in self.rows(wanted):
                yield version, summary_of(row)
            return
        yield from found


def _open(path: Path, size: int) -> tuple[sqlite3.Connection, bool]:
    """Open a database of this many bytes, and tell whether it has columns.

    Only what it may ask for is done.

    Raises
    ------
    DamagedFileError
        If it is no pack.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise DamagedFileError("no row can be read (not a regular file)")
    place = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    database = sqlite3.connect(place, uri=True)
    steps = iter(range(0, _STEPS + size, 10**5))
    database.set_progress_handler(lambda: next(steps, None) is None, 10**5)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(size, 10**5))
    database.execute("PRAGMA writable_schema = ON")  # opens what has lost its end
    (application,) = database.execute("PRAGMA application_id").fetchone()
    if application != _APPLICATION:
        raise DamagedFileError("no row can be read (not a pack of rows)")
    tables = database.execute("SELECT type, name, sql FROM sqlite_schema LIMIT 9").fetchall()
    for known in (_TABLES, _TABLES_WITHOUT_COLUMNS):
        if tables == [("table", name, statement) for name, statement in known.items()]:
            return database, known is _TABLES
    raise DamagedFileError("no row can be read (its tables are not those of a pack)")


def _hash_of_column(first: int, name: str, data: bytes) -> bytes:
    return hashlib.sha256(f"{first} {name}\n".encode() + data).digest()


def write_pack(folder: Path, entries: Iterable[PackEntry]) -> Path | None:
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


def _fill(path: str, entries: Iterable[PackEntry]) -> None:
    entries = iter(entries)
    number = 0
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.executescript(";".join((_PRAGMAS, *_TABLES.values(), "BEGIN")))
            while block := list(_with_texts(islice(entries, _ROWS_OF_BLOCK), number + 1, database)):
                database.executemany(
                    "INSERT INTO columns VALUES (?, ?, ?, ?)",
                    (
                        (number + 1, name, _hash_of_column(number + 1, name, data), data)
                        for name, data in columns_of(block).items()
                    ),
                )
                number += len(block)
            database.execute("COMMIT")
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {number}")
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error


def _with_texts(
    entries: Iterable[PackEntry], first: int, database: sqlite3.Connection
) -> Iterator[tuple[int, Summary]]:
    """Write the texts of some rows, and yield what goes into their columns."""
    for number, (row, version, text) in enumerate(entries, start=first):
        database.execute("INSERT INTO texts VALUES (?, ?, ?)", (number, version, packed(text)))
        yield version, summary_of(row)
