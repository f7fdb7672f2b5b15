"""Unfinished work on disk, from which an interrupted cell resumes."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

from mlbench.store.atomic import write_text
from mlbench.store.checksum import DamagedFileError, seal, unseal
from mlbench.store.paths import inside, read_file


class SavedState:
    """Unfinished work of one cell, or work that cells share, by name.

    Parameters
    ----------
    root : Path
        The results folder.
    names : str
        The path of a folder inside it. Each file states its own path, so that a file under another
        one's name counts as damaged.
    """

    def __init__(self, root: Path, *names: str) -> None:
        self._root = root
        self._names = names

    def load(self, name: str) -> Any:
        """Return what was saved, or None; a damaged file counts as none."""
        try:
            return unseal(read_file(self._file(name)), self._place(name))
        except (OSError, DamagedFileError):
            return None

    def save(self, name: str, value: Any) -> None:
        """Save a plain value durably; if that fails, warn, because the work can go on."""
        text = seal(self._place(name), value)
        try:
            write_text(self._file(name), text)
        except FileNotFoundError:  # another run has finished the cell, and cleared the folder
            return
        except OSError as error:
            warnings.warn(f"unfinished work could not be kept: {error}", stacklevel=2)

    def clear(self) -> None:
        """Remove all of it; if it is a link, keep what the link leads to."""
        with contextlib.suppress(OSError):  # another run may work on the same cell
            folder = inside(self._root, *self._names)
            for path in folder.iterdir():
                path.unlink(missing_ok=True)
            folder.rmdir()

    def _file(self, name: str) -> Path:
        return inside(self._root, *self._names) / f"{name}.json"

    def _place(self, name: str) -> str:
        return "/".join((*self._names, name))
