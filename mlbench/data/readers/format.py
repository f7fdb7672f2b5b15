"""The description of a data format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mlbench.data.table import RawTable

Files = Mapping[str, Path]
"""Role (``train``, ``test``, ``all``, ``features``, ``labels``, ...) to path."""


@dataclass(frozen=True)
class Format:
    """A data format: how its files are recognized, found and read."""

    read: Callable[[Files, Mapping[str, object]], RawTable]
    """Reads files with options into a table; raises DataError if a file is malformed."""
    options: frozenset[str] = frozenset()
    """The options that `read` accepts."""
    suffixes: tuple[str, ...] = ()
    """File extensions in lower case, without ``.gz`` and ``.bz2``. Empty if the format cannot be
    detected from a name.
    """
    applies: Callable[[Path, Mapping[str, object]], bool] = lambda path, settings: True
    """Whether a file with such an extension, and these settings, has this format. Of the formats
    that share an extension, the first in the catalog that applies is used.
    """
    find: Callable[[Path], dict[str, Path]] = lambda path: {"all": path}
    """Finds the files that belong to a file, by role; by default only the file itself, ``all``."""
    has_parts: bool = False
    """Whether ``train`` and ``test`` may be two files."""
    role: str = "all"
    """Role of a file whose labels are in another file."""
    labels_suffix: str | None = None
    """Extension of that other file."""
