"""Checking files and counts against a card."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mlbench.data.cards import CardFile
from mlbench.data.files import decompressed_blocks
from mlbench.errors import DataError
from mlbench.solvers.arrays import Ints

if TYPE_CHECKING:
    from mlbench.data.cards import Card


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
    for piece in decompressed_blocks(path, compression):
        content.update(piece)
    return content.hexdigest()


CARDINALITY_TOLERANCE = 1e-3


@dataclass(frozen=True)
class CountReport:
    """One count from the card, and the actual one."""

    quantity: str
    expected: float
    got: float

    @property
    def agrees(self) -> bool:
        """Whether both are equal; the cardinality on a card is rounded."""
        tolerance = CARDINALITY_TOLERANCE if self.quantity == "cardinality" else 0.0
        return abs(self.expected - self.got) <= tolerance


def counts_of(Y: Ints, n_attributes: int, n_tasks: int) -> dict[str, float]:
    """Return the counts that a card can state.

    Parameters
    ----------
    Y
        (n, k) labels.
    n_attributes
        Features before one-hot encoding.
    n_tasks
        0 for data without tasks.
    """
    return {
        "samples": Y.shape[0],
        "features": n_attributes,
        "labels": Y.shape[1],
        "tasks": n_tasks,
        "cardinality": float(Y.sum(axis=1).mean()),
    }


def compare_counts(card: Card, found: Mapping[str, float]) -> tuple[CountReport, ...]:
    """Compare the counts on a card with those found; counts not on the card are skipped."""
    expected = card.expect.model_dump(exclude_none=True)
    return tuple(CountReport(name, value, found[name]) for name, value in expected.items())
