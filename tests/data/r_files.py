"""Files of R, written piece by piece, so that each piece can be wrong."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

NULL = struct.pack(">i", 254)
NA = -(2**31)


def flags(kind: int, *, attributes: bool = False, tag: bool = False) -> bytes:
    return struct.pack(">i", kind | (0x200 if attributes else 0) | (0x400 if tag else 0))


def text(value: str | None) -> bytes:
    if value is None:
        return flags(9) + struct.pack(">i", -1)
    content = value.encode()
    return flags(9) + struct.pack(">i", len(content)) + content


def symbol(name: str) -> bytes:
    return flags(1) + text(name)


def pairs(values: Mapping[str, bytes]) -> bytes:
    inside = (flags(2, tag=True) + symbol(name) + value for name, value in values.items())
    return b"".join(inside) + NULL


def vector(kind: int, length: int, content: bytes, attributes: Mapping[str, bytes] = {}) -> bytes:
    start = flags(kind, attributes=bool(attributes)) + struct.pack(">i", length)
    return start + content + (pairs(attributes) if attributes else b"")


def doubles(*values: float, **attributes: bytes) -> bytes:
    return vector(14, len(values), struct.pack(f">{len(values)}d", *values), attributes)


def integers(*values: int, **attributes: bytes) -> bytes:
    return vector(13, len(values), struct.pack(f">{len(values)}i", *values), attributes)


def logicals(*values: int) -> bytes:
    return vector(10, len(values), struct.pack(f">{len(values)}i", *values))


def texts(*values: str | None, **attributes: bytes) -> bytes:
    return vector(16, len(values), b"".join(map(text, values)), attributes)


def factor(levels: Sequence[str], *codes: int) -> bytes:
    return integers(*codes, levels=texts(*levels), **{"class": texts("factor")})


def named_list(values: Mapping[str, bytes], **attributes: bytes) -> bytes:
    return vector(
        19, len(values), b"".join(values.values()), {"names": texts(*values), **attributes}
    )


def compact(form: str, state: bytes) -> bytes:
    """Return a vector as R holds it in a shorter form (ALTREP)."""
    described = flags(2) + symbol(form) + flags(2) + symbol("base") + flags(2) + integers(13) + NULL
    return flags(238) + described + state + NULL


def dotted(first: bytes, rest: bytes) -> bytes:
    return flags(2) + first + rest


def header(version: int) -> bytes:
    encoding = struct.pack(">i", 5) + b"UTF-8" if version == 3 else b""
    return b"X\n" + struct.pack(">3i", version, 0x040200, 0x020300) + encoding


def rda(objects: Mapping[str, bytes], version: int = 3) -> bytes:
    return b"RDX%d\n" % version + header(version) + pairs(objects)


def rds(value: bytes, version: int = 3) -> bytes:
    return header(version) + value


def mldr(
    columns: Mapping[str, bytes], labels: Sequence[int], kinds: Mapping[str, str] = {}
) -> bytes:
    """Return an object of class mldr; `labels` counts columns from 1."""
    frame = named_list(columns, **{"class": texts("data.frame")})
    index = named_list({"index": integers(*labels)}, **{"class": texts("data.frame")})
    stated = texts(*kinds.values(), names=texts(*kinds))
    parts = {"name": texts("x"), "dataset": frame, "attributes": stated, "labels": index}
    return named_list(parts, **{"class": texts("mldr")})
