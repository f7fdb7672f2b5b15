"""Reading whole files, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import zlib
from pathlib import Path

from mlbench.errors import DataError


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, uncompressed if its name ends in ``.gz`` or ``.bz2``.

    Raises
    ------
    DataError
        If the file cannot be read, or if what is compressed is damaged or cut short.
    """
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            return gzip.decompress(content)
        return bz2.decompress(content) if path.suffix == ".bz2" else content
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (EOFError, zlib.error, ValueError) as error:
        raise DataError(
            f"{path}: the compressed content is damaged or cut short ({error}); fetch it again"
        ) from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error}") from error


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 text file, without their ends (LF, CRLF or CR).

    Raises
    ------
    DataError
        As `read_bytes`, and if a line is not UTF-8.
    """
    lines = unix_lines(read_bytes(path)).split(b"\n")
    return [decode(line, path, number) for number, line in enumerate(lines, start=1)]


def unix_lines(content: bytes) -> bytes:
    r"""Return text whose lines end in ``\n`` and that has no byte-order mark."""
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content.removeprefix(b"\xef\xbb\xbf")


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
            f"{path}:{number}: byte {line[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        ) from error
