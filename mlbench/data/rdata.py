"""R data files (``.rda``, ``.rds``): the XDR form of R's serialization, read as a stream.

The form is described in "R Internals", section 1.8. Only nonzero numbers are kept, so that a sparse
data set never takes the memory of a dense one. Only data is read: an object that holds code
(functions, promises, byte code) or a pointer is refused.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import numpy as np

from mlbench.solvers.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Numbers:
    """A vector of numbers, truth values, or codes of a factor."""

    kind: Literal["double", "integer", "logical"]
    """R's name of the type."""
    length: int
    places: Ints
    """(m,) int64: the positions of the nonzero values, in ascending order."""
    values: Floats
    """(m,) float64: a missing value is NaN."""
    attributes: Mapping[str, RObject] = field(default_factory=dict)
    """``levels`` of a factor, ``names``, ``class``, ..."""

    @classmethod
    def from_dense(cls, kind: Literal["double", "integer", "logical"], full: Floats) -> Numbers:
        """Return a vector with these values."""
        places = np.flatnonzero(full)
        return cls(kind, full.size, places, full[places])

    def dense(self) -> Floats:
        """Return all values."""
        full = np.zeros(self.length)
        full[self.places] = self.values
        return full


@dataclass(frozen=True, eq=False)
class RTexts:
    """A vector of texts; None is missing."""

    values: list[str | None]
    attributes: Mapping[str, RObject] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RList:
    """A list; a data frame is a list of columns."""

    items: list[RObject]
    attributes: Mapping[str, RObject] = field(default_factory=dict)

    def named(self) -> dict[str, RObject]:
        """Return the elements by their names."""
        return dict(zip(texts_of(self.attributes.get("names")), self.items, strict=False))

    @property
    def classes(self) -> list[str]:
        """The classes of the object."""
        return texts_of(self.attributes.get("class"))


RObject: TypeAlias = Numbers | RTexts | RList | None


def texts_of(value: RObject) -> list[str]:
    """Return the texts of a vector, or none if it is no vector of texts."""
    return [text or "" for text in value.values] if isinstance(value, RTexts) else []


MAX_BYTES_OUT_OF_ONE = 4000
"""Maximum ratio of unpacked to stored size, beyond `UNQUESTIONED` bytes."""
UNQUESTIONED = 100 * 2**20
MAX_KEPT = 2**32
"""Maximum number of bytes of values that are not zero."""
MAX_ITEMS = 5_000_000
"""Maximum number of texts, and of elements of lists, in a small file."""
MAX_ITEMS_OUT_OF_ONE = 100
"""Maximum number of them for each stored byte of a larger file."""
MAX_DEPTH = 50

_CHUNK = 2**20
_MISSING_INTEGER = -(2**31)
_WHOLE: dict[int, Literal["integer", "logical"]] = {10: "logical", 13: "integer"}
_NULLS = {242, 247, 250, 251, 252, 253, 254}  # R_NilValue, and objects that only have a name
_CODE = {
    3: "a function", 4: "an environment", 5: "a promise", 6: "an expression", 7: "a function",
    8: "a function", 15: "complex numbers", 17: "arguments", 20: "an expression", 21: "byte code",
    22: "a pointer", 23: "a weak reference", 24: "raw bytes", 25: "an S4 object",
    240: "byte code", 241: "byte code", 243: "byte code", 244: "byte code", 248: "a package",
    249: "a name space",
}  # fmt: skip


class RDataError(ValueError):
    """The content is not R data that can be read; the message says why."""


def read_rdata(path: Path) -> dict[str, RObject]:
    """Return the objects of a file by name; the one of an ``.rds`` file has the name "".

    Raises
    ------
    RDataError
        If the content is damaged or truncated, holds code, or is too large.
    OSError
        If the file cannot be read.
    """
    stored = path.stat().st_size
    try:
        with _opened(path) as stream:
            allowed = max(UNQUESTIONED, MAX_BYTES_OUT_OF_ONE * stored)
            items = max(MAX_ITEMS, MAX_ITEMS_OUT_OF_ONE * stored)
            objects = _Reader(stream, allowed, items).objects()
            if stream.read(1):  # reading to the end checks the checksums
                raise RDataError("goes on after its content: it is damaged")
            return objects
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise RDataError(f"the compressed content is damaged or truncated ({error})") from error


def _opened(path: Path) -> io.BufferedReader:
    """Open a file, and unpack it as its first bytes say."""
    with path.open("rb") as file:
        start = file.read(2)
    unpack: dict[bytes, Any] = {
        b"\x1f\x8b": gzip.open,
        b"BZ": bz2.open,
        b"\xfd7": lzma.open,
        b"]\x00": lzma.open,
    }
    # Millions of reads take a few bytes each; those of the buffer are several times as fast.
    return io.BufferedReader(unpack.get(start, Path.open)(path, "rb"), _CHUNK)


class _Reader:
    """Reads one object after the other from a stream of known largest size."""

    def __init__(self, stream: IO[bytes], allowed: int, max_items: int) -> None:
        self._stream = stream
        self._allowed = allowed
        self._kept = 0
        self._items, self._max_items = 0, max_items
        self._texts: dict[bytes, str] = {}  # equal texts share one object
        self._names: list[str] = []  # what references refer to, in the order of appearance

    def objects(self) -> dict[str, RObject]:
        magic = self._take(2)
        named = magic == b"RD"
        if named:
            if self._take(3) not in (b"X2\n", b"X3\n"):
                raise RDataError("not in R's binary form: save it with save(..., ascii = FALSE)")
            magic = self._take(2)
        if magic != b"X\n":
            raise RDataError("not R data in the XDR form that save() and saveRDS() write")
        version, _, _ = self._integers(3)
        if version not in (2, 3):
            raise RDataError(f"version {version} of R's form is not known; save it with version 3")
        if version == 3:
            self._take(self._length())
        if named:
            return {name: value for name, value in self._pairs(self._integer(), 0) if name}
        return {"": self._object(self._integer(), 0)}

    def _take(self, size: int) -> bytes:
        self._allowed -= size
        if self._allowed < 0:
            raise RDataError("unpacks to far more than a data set of its stored size can have")
        content = self._stream.read(size)
        if len(content) < size:
            raise RDataError("ends before its content does: it is truncated")
        return content

    def _integer(self) -> int:
        return int.from_bytes(self._take(4), "big", signed=True)

    def _integers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f">{count}i", self._take(4 * count))

    def _length(self) -> int:
        length = self._integer()
        if length == -1:
            # A length of 2^31 or more follows as two unsigned words: high * 2^32 + low.
            high, low = struct.unpack(">2I", self._take(8))
            length = (high << 32) + low
        if length < 0:
            raise RDataError(f"states a length of {length}")
        return length

    def _count(self, items: int) -> None:
        self._items += items
        if self._items > self._max_items:
            raise RDataError(f"holds more than {self._max_items:,} texts and elements of lists")

    def _object(self, flags: int, depth: int) -> RObject:
        # Bits 0-7 of the flags are the type. Bit 9 (0x200) says that there are attributes, bit 10
        # (0x400) that there is a tag. Bits 12 and above include the encoding of a text.
        kind = flags & 0xFF
        if depth > MAX_DEPTH:
            raise RDataError(f"is nested more than {MAX_DEPTH} deep")
        if kind in _CODE:
            raise RDataError(f"holds {_CODE[kind]}; only data can be read")
        match kind:
            case 1:
                return RTexts([self._symbol()])
            case 255:
                return RTexts([self._reference(flags)])
            case 2:
                pairs = self._pairs(flags, depth)
                names = RTexts([name for name, _ in pairs])
                return RList([value for _, value in pairs], {"names": names})
            case 238:
                return self._compact(depth)
            case 9:
                return RTexts([self._text(flags)])
            case 10 | 13 | 14:
                numbers = self._numbers("double" if kind == 14 else _WHOLE[kind])
                return replace(numbers, attributes=self._attributes(flags, depth))
            case 16:
                length = self._length()
                self._count(length)
                texts = [self._text(self._integer()) for _ in range(length)]
                return RTexts(texts, self._attributes(flags, depth))
            case 19:
                length = self._length()
                self._count(length)
                items = [self._object(self._integer(), depth + 1) for _ in range(length)]
                return RList(items, self._attributes(flags, depth))
            case _ if kind in _NULLS:
                return None
        raise RDataError(f"holds an object of unknown type {kind}: it is damaged")

    def _attributes(self, flags: int, depth: int) -> dict[str, RObject]:
        if not flags & 0x200:
            return {}
        return {name: value for name, value in self._pairs(self._integer(), depth) if name}

    def _pairs(self, flags: int, depth: int) -> list[tuple[str | None, RObject]]:
        """Read a list of pairs: tag and value, then the rest, which need not be a list."""
        pairs = []
        while flags & 0xFF == 2:
            self._count(1)
            if flags & 0x200:
                self._object(self._integer(), depth + 1)
            tag = self._object(self._integer(), depth + 1) if flags & 0x400 else None
            name = tag.values[0] if isinstance(tag, RTexts) and tag.values else None
            pairs.append((name, self._object(self._integer(), depth + 1)))
            flags = self._integer()
        if flags & 0xFF != 254:
            pairs.append((None, self._object(flags, depth + 1)))
        return pairs

    def _symbol(self) -> str:
        name = self._text(self._integer()) or ""
        self._count(1)
        self._names.append(name)
        return name

    def _reference(self, flags: int) -> str:
        # Names are numbered from 1. Flags hold a small number in their upper 24 bits. If these
        # are 0, the next word is the number.
        number = flags >> 8 or self._integer()
        if not 0 < number <= len(self._names):
            raise RDataError(f"refers to name {number} of {len(self._names)}")
        return self._names[number - 1]

    def _text(self, flags: int) -> str | None:
        if flags & 0xFF != 9:
            raise RDataError("has something else where a text must be: it is damaged")
        length = self._integer()
        if length == -1:
            return None
        if length < 0:
            raise RDataError(f"states a length of {length}")
        if length <= _CHUNK:
            content = self._take(length)
        else:
            content = b"".join(self._take(size) for size in _chunks(length))
        latin = flags >> 12 & 4  # of the levels, 4 marks Latin-1
        if not latin and (known := self._texts.get(content)) is not None:
            return known
        self._keep(length)
        try:
            text = content.decode("latin-1" if latin else "utf-8")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
        return text if latin else self._texts.setdefault(content, text)

    def _keep(self, size: int) -> None:
        self._kept += size
        if self._kept > MAX_KEPT:
            raise RDataError(f"holds more than {MAX_KEPT:,} bytes of values that are not zero")

    def _numbers(self, kind: Literal["double", "integer", "logical"]) -> Numbers:
        form, size = (">f8", 8) if kind == "double" else (">i4", 4)
        length = self._length()
        places, values = [np.empty(0, np.int64)], [np.empty(0)]
        start = 0
        for part in _chunks(length * size):
            content = np.frombuffer(self._take(part), form)
            # Read as bits, only +0.0 is zero, whatever the byte order; -0.0 is kept.
            found = np.flatnonzero(content.view(f"u{size}"))
            self._keep(16 * found.size)  # 8 bytes for the position, 8 for the value
            read = content[found].astype(np.float64)
            if kind != "double":
                read[read == _MISSING_INTEGER] = np.nan
            places.append(found + start)
            values.append(read)
            start += content.size
        return Numbers(kind, length, np.concatenate(places), np.concatenate(values))

    def _compact(self, depth: int) -> RObject:
        """Read a vector that R 3.5 and later hold in a shorter form (ALTREP)."""
        described = self._object(self._integer(), depth + 1)
        state = self._object(self._integer(), depth + 1)
        attributes = self._object(self._integer(), depth + 1)
        first = described.items[0] if isinstance(described, RList) and described.items else None
        form = (texts_of(first) or [""])[0]
        named = attributes.named() if isinstance(attributes, RList) else {}
        match state:
            case Numbers(length=3) if form in ("compact_intseq", "compact_realseq"):
                count, start, step = state.dense().tolist()
                if not (0 <= count <= self._max_items and abs(step) == 1):
                    raise RDataError(f"has a sequence of {count:g} numbers")
                values = start + step * np.arange(int(count))
                whole = form == "compact_intseq"
                numbers = Numbers.from_dense("integer" if whole else "double", values)
                return replace(numbers, attributes=named)
            case RList(items=[Numbers() | RTexts() | RList() as value, *_]) if "wrap_" in form:
                return replace(value, attributes={**value.attributes, **named})
            case RList(items=[Numbers() as value, *_]) if form == "deferred_string":
                self._count(value.length)
                return RTexts([_written(number) for number in value.dense().tolist()], named)
        raise RDataError(f"holds a vector in the form {form!r}, which is not known")


def _chunks(size: int) -> Iterator[int]:
    """Divide a size, so that what a file states takes no memory before it is there."""
    for start in range(0, size, _CHUNK):
        yield min(_CHUNK, size - start)


def _written(number: float) -> str | None:
    """Return a number as R's as.character writes it."""
    return None if np.isnan(number) else f"{number:.15g}"
