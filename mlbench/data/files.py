"""Reading whole files, compressed or not."""

import bz2
import gzip
import io
import math
import zlib
from collections.abc import Iterator
from pathlib import Path

from mlbench.data.search_path import COMPRESSIONS
from mlbench.errors import DataError

MAX_BYTES = 4 * 2**30
"""Maximum uncompressed size of a compressed file, in bytes."""
MAX_UNQUESTIONED = 100 * 2**20
"""Uncompressed size in bytes that any compressed file may have."""
MAX_RATIO = 1000
"""Maximum ratio of uncompressed to compressed size, beyond `MAX_UNQUESTIONED`."""
_CHUNK = 2**20


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, decompressed if its name ends in ``.gz`` or ``.bz2``.

    Raises
    ------
    DataError
        If the file cannot be read, if compressed content is damaged or truncated, or if its
        uncompressed size exceeds the limit.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(f"{path}: cannot be read: not a regular file")
    try:
        if path.suffix not in COMPRESSIONS:
            return path.read_bytes()
        return b"".join(decompressed_blocks(path, path.suffix))
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (EOFError, zlib.error, ValueError) as error:
        raise DataError(
            f"{path}: the compressed content is damaged or truncated ({error}); fetch it again"
        ) from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error}") from error


def open_unpacked(path: Path, compression: str) -> gzip.GzipFile | bz2.BZ2File | io.BufferedReader:
    """Open a file for reading, decompressed if `compression` is ``.gz`` or ``.bz2``."""
    match compression:
        case ".gz":
            return gzip.GzipFile(path)
        case ".bz2":
            return bz2.BZ2File(path)
        case _:
            return path.open("rb")


def largest_of(stored: int) -> int:
    """Return the maximum uncompressed size of `stored` compressed bytes."""
    return min(MAX_BYTES, max(MAX_UNQUESTIONED, MAX_RATIO * stored))


def decompressed_blocks(path: Path, compression: str) -> Iterator[bytes]:
    """Yield the content of a file in chunks, decompressed if `compression` says so.

    Parameters
    ----------
    compression
        ``.gz``, ``.bz2``, or anything else for none.

    Raises
    ------
    DataError
        If the uncompressed size exceeds the limit. Errors of the decompressor are not caught.
    """
    stored = path.stat().st_size
    allowed = largest_of(stored)
    size = 0
    with open_unpacked(path, compression) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > allowed and compression in COMPRESSIONS:
                raise DataError(
                    f"{path}: {stored:,} bytes unpack to more than {allowed:,}, too many for a "
                    "data set; if this is intended, unpack the file yourself"
                )
            yield chunk


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 text file, without their ends (LF, CRLF or CR).

    Raises
    ------
    DataError
        As for `read_unix_text`, or if a line is not UTF-8.
    """
    lines = read_unix_text(path).split(b"\n")
    return [decode(line, path, number) for number, line in enumerate(lines, start=1)]


def read_unix_text(path: Path) -> bytes:
    r"""Return a text with ``\n`` line endings and without a byte-order mark.

    Raises
    ------
    DataError
        As for `read_bytes`, or if there is a zero byte.
    """
    content = read_bytes(path)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in content:
        number = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise DataError(f"{path}:{number}: a zero byte; the file is damaged, or not UTF-8 text")
    return content.removeprefix(b"\xef\xbb\xbf")


def finite_number(text: str) -> float | None:
    """Parse a finite number, or return None; ``1_000``, ``nan`` and ``inf`` are rejected."""
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def decode(line: bytes, path: Path, number: int) -> str:
    """Return a line as text.

    Raises
    ------
    DataError
        If it is not UTF-8.
    """
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}:{number}: byte {line[error.start]:#04x} is not UTF-8; save the table as text "
            "in UTF-8"
        ) from error
