"""What a reader states of its format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlbench.data.table import RawTable

Files = Mapping[str, Path]
"""Role (``train``, ``test``, ``all``, ``features``, ``labels``, ...) to path."""


@dataclass(frozen=True)
class Format:
    """A data format: how its files are recognized, found and read.

    Attributes
    ----------
    read : callable
        From files and options to a table; raises DataError where a file is not what it should be.
    options : frozenset of str
        The options that `read` knows.
    suffixes : tuple of str
        Endings of its files, in lower case; ``.gz`` and ``.bz2`` do not count. Empty where a
        name does not tell the format.
    applies : callable
        Whether a file with such an ending, and these settings, is of this format. Of formats
        that share an ending, the first in the catalogue to say so is taken.
    find : callable, optional
        The files that belong to a file, by role. By default it stands alone, as ``all``.
    has_parts : bool
        Whether ``train`` and ``test`` may be two files.
    role : str
        Role of a file that has its labels in another one.
    labels_suffix : str, optional
        Ending of that other file.
    """

    read: Callable[[Files, Mapping[str, Any]], RawTable]
    options: frozenset[str] = frozenset()
    suffixes: tuple[str, ...] = ()
    applies: Callable[[Path, Mapping[str, Any]], bool] = lambda path, settings: True
    find: Callable[[Path], dict[str, Path]] = lambda path: {"all": path}
    has_parts: bool = False
    role: str = "all"
    labels_suffix: str | None = None
