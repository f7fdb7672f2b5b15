"""The log of what methods print: each cell's name stands above its lines."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Collection
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlbench.plan import Cell

MAX_BYTES = 2**24
"""A log that is longer is set aside under the suffix ``.old``, replacing the previous one."""

_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK
"""A folder from elsewhere may have a link or a FIFO as its log: neither is followed or awaited."""

_KEY_DIGITS = 12
_HEADER = re.compile(rb"^==> .* [(]([0-9a-f]{%d})[)] <==\n" % _KEY_DIGITS, re.MULTILINE)


class WorkerLog:
    """One writer of the log of a results folder.

    Parameters
    ----------
    root : Path
        The results folder, where the log is ``worker.log``.
    """

    def __init__(self, root: Path) -> None:
        self.path = root / "worker.log"
        self._last: tuple[str, int, int] | None = None

    def append(self, cell: Cell, text: bytes) -> None:
        """Append what a cell has printed; it is lost if it cannot be written.

        The cell's name comes first, unless this writer wrote last, and for the same cell.
        """
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _SAFELY, 0o644)
            try:
                with contextlib.suppress(OSError):  # the file system has no locks
                    fcntl.flock(handle, fcntl.LOCK_EX)
                state = os.fstat(handle)
                if self._last != (cell.key, state.st_ino, state.st_size):
                    text = _header(cell, is_first=state.st_size == 0) + text
                os.write(handle, text)
                state = os.fstat(handle)
                self._last = cell.key, state.st_ino, state.st_size
                if state.st_size > MAX_BYTES:
                    self.path.replace(self.path.with_suffix(".log.old"))
            finally:
                os.close(handle)


def last_output(root: Path, keys: Collection[str], max_bytes: int) -> dict[str, bytes]:
    """Return the end of what cells have printed, by their keys; cells without output are left out.

    Parameters
    ----------
    root : Path
        The results folder.
    keys : collection of str
        Those of the cells.
    max_bytes : int
        How much of each cell's output to return.
    """
    sought = {key[:_KEY_DIGITS].encode(): key for key in keys}
    found: dict[str, bytes] = {}
    for name in ("worker.log.old", "worker.log"):
        try:
            handle = os.open(root / name, os.O_RDONLY | _SAFELY)
            with os.fdopen(handle, "rb") as file:
                content = file.read(2 * MAX_BYTES)
        except OSError:
            continue
        headers = list(_HEADER.finditer(content))
        for header, following in zip_longest(headers, headers[1:]):
            end = following.start() - 1 if following else len(content)
            if (key := sought.get(header[1])) is not None:
                block = content[max(header.end(), end - max_bytes) : end]
                found[key] = (found.get(key, b"") + block)[-max_bytes:]
    return found


def _header(cell: Cell, is_first: bool) -> bytes:
    name = " ".join(cell.name.split())
    start = "" if is_first else "\n"
    return f"{start}==> {name} ({cell.key[:_KEY_DIGITS]}) <==\n".encode(errors="replace")
