"""Unfinished work that is kept, so that a cell which was cut off goes on where it was."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

from mlbench.store.atomic import write_text
from mlbench.store.checksum import DamagedFile, seal, unseal


class Partial:
    """Unfinished work of one cell, or work that cells share, by name."""

    def __init__(self, folder: Path) -> None:
        self._path = folder

    def load(self, name: str) -> Any:
        """Return what was saved, or None; a damaged file counts as none."""
        path = self._path / f"{name}.json"
        try:
            return unseal(path.read_bytes(), "value")
        except (OSError, DamagedFile):
            return None

    def save(self, name: str, value: Any) -> None:
        """Keep a plain value, durably and whole; if that fails, warn, for the work can go on."""
        text = seal("value", value)
        try:
            write_text(self._path / f"{name}.json", text)
        except OSError as error:
            warnings.warn(f"unfinished work could not be kept: {error}", stacklevel=2)

    def clear(self) -> None:
        """Remove all of it; what a link in its place leads to is not ours."""
        if self._path.is_symlink():
            return
        with contextlib.suppress(OSError):  # another run may work on the same cell
            for path in self._path.iterdir():
                path.unlink(missing_ok=True)
            self._path.rmdir()
