"""Bytes compressed, such that a small file cannot unpack to a large one."""

from __future__ import annotations

import zlib

from mlbench.store.checksum import DamagedFile

_SHRINKAGE = 32
"""What would shrink more is stored as it is."""
_LEVEL = 1
"""The fastest: packing 10^5 rows is mostly parsing and compressing."""


def packed(content: bytes) -> bytes:
    """Compress, unless it would shrink too much."""
    found = zlib.compress(content, _LEVEL)
    return found if len(content) <= _SHRINKAGE * len(found) else zlib.compress(content, 0)


def unpacked(data: bytes) -> bytes:
    """Return what :func:`packed` was given.

    Raises
    ------
    DamagedFile
        If it is torn or altered, or would grow too much.
    """
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(data, _SHRINKAGE * len(data) + 1)
    except (zlib.error, TypeError) as error:
        raise DamagedFile(f"cannot be read ({error})") from None
    if not unpacking.eof:
        raise DamagedFile("cannot be read (it has no end)")
    return content
