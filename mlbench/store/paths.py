"""Where things are in a results folder. No key and no link leads out of it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from mlbench.errors import StoreError
from mlbench.plain_files import NotPlainFileError, decoded, read_plain_file
from mlbench.store.checksum import DamagedFileError

FOLDERS = (
    "rows",
    "packs",
    "predictions",
    "partial",
    "searches",
    "running",
    "damaged",
    "slurm",
    "data",
)
"""The subfolders of a results folder."""

_KEY = re.compile("[0-9a-f]{64}")
Key = Annotated[str, Field(pattern=f"^{_KEY.pattern}$")]
"""The key of a cell, or another SHA-256."""


class LinkedFolderError(StoreError, OSError):
    """A folder inside a results folder that is a symbolic link."""


def is_key(text: str) -> bool:
    """Tell whether a text is the key of a cell: 64 hexadecimal digits."""
    return _KEY.fullmatch(text) is not None


def inside(root: Path, *names: str) -> Path:
    """Return a folder in a results folder; it need not exist.

    Raises
    ------
    LinkedFolderError
        If it, or a folder on the way, is a symbolic link.
    """
    path = root
    for name in names:
        path = path / name
        if path.is_symlink():
            raise LinkedFolderError(
                f"{path}: a symbolic link, and links inside a results folder are not followed; "
                "link the whole results folder instead, or remove this link"
            )
    return path


def path_of_key(root: Path, folder: tuple[str, ...], key: str, suffix: str) -> Path:
    """Return the file that belongs to a key, in a folder of a results folder.

    Raises
    ------
    StoreError
        If it is no key.
    LinkedFolderError
        If the folder is a symbolic link.
    """
    if not is_key(key):
        raise StoreError(f"not the key of a cell, which has 64 hexadecimal digits: {key!r}")
    return inside(root, *folder) / f"{key}{suffix}"


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, in order; none where there is no folder."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are what is needed
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_file(path: Path, follow: bool = False) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    path : Path
    follow : bool
        Whether it may be a symbolic link, as a file that a user names may.

    Raises
    ------
    DamagedFileError
        If it is no plain file.
    OSError
        If it cannot be read.
    """
    try:
        return read_plain_file(path, follow)
    except NotPlainFileError as error:
        raise DamagedFileError(str(error.strerror)) from None


def read_text(path: Path, follow: bool = False) -> str:
    """Return the content of a text file in UTF-8.

    Parameters
    ----------
    path, follow
        As of :func:`read_file`.

    Raises
    ------
    StoreError
        If it cannot be read, or is not such a file.
    """
    try:
        return decoded(read_file(path, follow))
    except (OSError, DamagedFileError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoreError(f"{path}: cannot be read: {reason}") from None
