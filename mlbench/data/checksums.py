"""SHA-256 of files, compressed or not, compared with the hashes on a card."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import Literal

from mlbench.data.cards import CardFile
from mlbench.data.files import unpacked
from mlbench.errors import DataError

FileState = Literal["ok", "differs", "unknown"]


def check_file(
    path: Path, file: CardFile, compression: str | None = None
) -> tuple[FileState, str | None, str | None]:
    """Compare a file with the hashes on its card.

    Parameters
    ----------
    compression
        ``.gz``, ``.bz2`` or anything else for none; by default the suffix of the file.

    Returns
    -------
    state, expected, got
        ``ok``, ``differs`` or ``unknown`` (no hash on the card), and the two hashes: of the
        uncompressed content if the card has that hash, otherwise of the file as stored.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    if file.sha256 is None and file.plain_sha256 is None:
        return "unknown", None, None
    try:
        stored = sha256_of(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    if stored == file.sha256:
        return "ok", file.sha256, stored
    if file.plain_sha256 is None:
        return "differs", file.sha256, stored
    try:
        plain = sha256_of(path, path.suffix if compression is None else compression)
    except (OSError, EOFError, zlib.error):
        return "differs", file.sha256, stored
    return ("ok" if plain == file.plain_sha256 else "differs"), file.plain_sha256, plain


def sha256_of(path: Path, compression: str = "") -> str:
    """Return the SHA-256 of a file, or of its uncompressed content (``.gz`` or ``.bz2``).

    Raises
    ------
    DataError
        If the uncompressed content is too large for a data set.
    """
    content = hashlib.sha256()
    for piece in unpacked(path, compression):
        content.update(piece)
    return content.hexdigest()
