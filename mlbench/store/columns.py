"""Rows as columns, so that many are read at once, and only the numbers that are wanted.

A field is a column with an entry for each row. Fields that map names to values are several: one
that lists the names of each row, and one for each name, such as ``metrics.macro_f1``.

Columns of numbers are 64-bit floats, NaN where a row has none. All others are JSON: the different
values, and the position of each row's value among them.
"""

from __future__ import annotations

import dataclasses
import marshal
import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Generic, TypeVar, get_type_hints

from pydantic import ConfigDict, TypeAdapter

from mlbench.errors import StoreError
from mlbench.hashing import canonical_json
from mlbench.store.checksum import DamagedFileError
from mlbench.store.label_scores import Count
from mlbench.store.plain_values import Plain
from mlbench.store.row import AppliedLimits, Failure, Summary, TuningSummary, check_identity

Value = TypeVar("Value")
Version = int
"""How often a row was written again."""
KEYS = ("key", "version")
"""The columns that tell which rows there are."""

_NUMBERS = ("metrics", "counts", "seconds")
_MAPPINGS = (*_NUMBERS, "identity")
_VALUES = tuple(each.name for each in dataclasses.fields(Summary) if each.name not in _MAPPINGS)
_RECORDS = ("tuning", "failure", "limits")
_MAX_NUMBER = 1e100
_NAN = float("nan")
_MARSHAL = 0  # the form in which equal values have equal bytes
_SHRINKAGE = 32
"""Content that would shrink more is stored as it is: no small file may unpack to a large one."""
_LEVEL = 1
"""The fastest: packing 10^5 rows is mostly parsing and compressing."""


class _Different:
    """A column of values, of which only the different ones are kept."""

    def __init__(self, size: int) -> None:
        self._places = [0] * size
        self._known: dict[bytes, int] = {}
        self._values: list[object] = []

    def __setitem__(self, place: int, value: Any) -> None:
        text = marshal.dumps(value, _MARSHAL)
        if text not in self._known:
            self._known[text] = len(self._values)
            self._values.append(value)
        self._places[place] = self._known[text]

    def as_bytes(self) -> bytes:
        return canonical_json([self._values, self._places]).encode()


def columns_of(rows: Sequence[tuple[Version, Summary]]) -> dict[str, bytes]:
    """Return the columns of some rows, compressed, by name."""
    size = len(rows)
    values: dict[str, _Different] = defaultdict(lambda: _Different(size))
    numbers: dict[str, array[float]] = defaultdict(lambda: array("d", [_NAN]) * size)
    for place, (version, row) in enumerate(rows):
        values["version"][place] = version
        for field in _VALUES:
            value = getattr(row, field)
            values[field][place] = _plain(value) if field in _RECORDS and value else value
        for field in _MAPPINGS:
            mapping = getattr(row, field)
            values[field][place] = list(mapping)
            for name, value in mapping.items():
                if field not in _NUMBERS:
                    values[f"{field}.{name}"][place] = value
                else:
                    numbers[f"{field}.{name}"][place] = _NAN if value is None else value
    texts = {name: column.as_bytes() for name, column in values.items()}
    texts |= {name: _little_endian(column).tobytes() for name, column in numbers.items()}
    return {name: packed(text) for name, text in texts.items()}


@lru_cache(maxsize=1024)
def _plain(record: Failure | AppliedLimits | TuningSummary) -> dict[str, Any]:
    return dataclasses.asdict(record)


def _little_endian(column: array[float]) -> array[float]:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column


class Block:
    """Rows that were read as columns.

    Parameters
    ----------
    columns : mapping of str to bytes
        What :func:`columns_of` returned, verified.

    Raises
    ------
    DamagedFileError
        If the rows have no keys, or not in order.
    """

    def __init__(self, columns: Mapping[str, bytes]) -> None:
        self._columns = columns
        self.keys: list[str] = self._values("key")
        self.versions: list[Version] = self._values("version")
        if sorted(set(self.keys)) != self.keys:
            raise DamagedFileError("its keys are not in order")

    def summaries(self, wanted: set[str] | None) -> Iterator[tuple[Version, Summary]]:
        """Yield version and summary of the wanted cells, or of all.

        Raises
        ------
        DamagedFileError
            If a column is not there, or not what a row can hold.
        """
        fields = {field: self._values(field) for field in _VALUES}
        mappings: dict[str, tuple[list[dict[str, None]], _Columns[Any]]] = {
            "metrics": self._mappings("metrics", self._scores),
            "counts": self._mappings("counts", self._counts),
            "seconds": self._mappings("seconds", self._scores),
            "identity": self._mappings("identity", self._values),
        }
        self._check_identities(mappings["identity"][1])
        for place, (key, version) in enumerate(zip(self.keys, self.versions, strict=True)):
            if wanted is not None and key not in wanted:
                continue
            values = {field: column[place] for field, column in fields.items()}
            for field, (names, columns) in mappings.items():
                values[field] = _OfRow(columns, names[place], place)
            row = Summary(**values)
            try:
                row.check()
            except (ValueError, KeyError, StoreError) as error:
                raise DamagedFileError(f"not a row: {error}") from None
            yield version, row

    def _check_identities(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Check the parts that every identity has, each different value of them once."""
        names = ("dataset", "split", "tuning")
        try:
            parts = {name: [*{id(each): each for each in columns[name]}.values()] for name in names}
            for place in range(max(map(len, parts.values()))):
                check_identity({name: part[place % len(part)] for name, part in parts.items()})
        except ValueError as error:
            raise DamagedFileError(f"not a row: {error}") from None

    def _mappings(
        self, field: str, read: Callable[[str], Sequence[Value]]
    ) -> tuple[list[dict[str, None]], _Columns[Value]]:
        """Return the names that each row has in a field, and the column of each name."""
        names = self._values(field, list[str])
        different = {id(each): each for each in names}
        known = {place: dict.fromkeys(each) for place, each in different.items()}
        for name in {name for each in known.values() for name in each}:
            if f"{field}.{name}" not in self._columns:
                raise DamagedFileError(f"no column {field}.{name}")
        return [known[id(each)] for each in names], _Columns(field, read)

    def _values(self, name: str, kind: Any = None) -> list[Any]:
        try:
            text = unpacked(self._columns[name])
            values, places = _reader(name, kind).validate_json(text)
            column = [values[place] for place in places]
        except (KeyError, IndexError, ValueError) as error:
            raise DamagedFileError(f"column {name}: {type(error).__name__}") from None
        if name != "key" and len(column) != len(self.keys):
            raise DamagedFileError(f"column {name}: not one value for each row")
        return column

    def _scores(self, name: str) -> list[float | None]:
        column = self._floats(name)
        if all(-_MAX_NUMBER <= each <= _MAX_NUMBER or each != each for each in column):
            return [None if each != each else each for each in column]
        raise StoreError(f"a pack holds numbers in {name} that no row can have")

    def _counts(self, name: str) -> list[int]:
        column = self._floats(name)
        if all(0 <= each < 2**53 or each != each for each in column):
            return [0 if each != each else int(each) for each in column]
        raise StoreError(f"a pack holds numbers in {name} that no row can have")

    def _floats(self, name: str) -> array[float]:
        column = array("d")
        try:
            column.frombytes(unpacked(self._columns[name]))
        except (DamagedFileError, ValueError):
            column = array("d")
        if len(column) != len(self.keys):
            raise StoreError(f"a pack holds no column {name} that can be read")
        return _little_endian(column)


class _Columns(dict[str, Sequence[Value]]):
    """Columns by name, each read when it is first asked for."""

    def __init__(self, field: str, read: Callable[[str], Sequence[Value]]) -> None:
        self._field = field
        self._read = read

    def __missing__(self, name: str) -> Sequence[Value]:
        self[name] = column = self._read(f"{self._field}.{name}")
        return column


class _OfRow(Mapping[str, Value], Generic[Value]):
    """The values of one row in some columns."""

    __slots__ = ("_columns", "_names", "_place")

    def __init__(self, columns: _Columns[Value], names: dict[str, None], place: int) -> None:
        self._columns = columns
        self._names = names
        self._place = place

    def __getitem__(self, name: str) -> Value:
        if name not in self._names:
            raise KeyError(name)
        return self._columns[name][self._place]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


@cache
def _reader(name: str, kind: Any) -> TypeAdapter[tuple[list[Any], list[int]]]:
    if kind is None:
        kind = {**get_type_hints(Summary, include_extras=True), "version": Count}.get(name, Plain)
    strict = ConfigDict(strict=True, allow_inf_nan=False)
    return TypeAdapter(tuple[list[kind], list[Count]], config=strict)


def packed(content: bytes) -> bytes:
    """Compress, unless the content would shrink too much."""
    found = zlib.compress(content, _LEVEL)
    return found if len(content) <= _SHRINKAGE * len(found) else zlib.compress(content, 0)


def unpacked(data: bytes) -> bytes:
    """Undo :func:`packed`.

    Raises
    ------
    DamagedFileError
        If it is torn or altered, or would grow too much.
    """
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(data, _SHRINKAGE * len(data) + 1)
    except (zlib.error, TypeError) as error:
        raise DamagedFileError(f"cannot be read ({error})") from None
    if not unpacking.eof:
        raise DamagedFileError("cannot be read (it has no end)")
    return content
