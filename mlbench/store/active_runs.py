"""Notes about the runs that use a results folder; they only inform people."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from pathlib import Path
from typing import Any

from mlbench.store.checksum import DamagedFileError
from mlbench.store.paths import inside, read_file

_WRITE_EVERY_SECONDS = 2.0


class RunningNote:
    """Keeps ``running/HOST-PID.json`` up to date while a run lasts."""

    def __init__(self, root: Path, workers: int = 1) -> None:
        self._workers = workers
        self._path = inside(root, "running") / f"{socket.gethostname()}-{os.getpid()}.json"
        self._cells: dict[str, float] = {}
        self._at: dict[str, str] = {}
        self._written = 0.0
        self._is_written = True

    def __enter__(self) -> RunningNote:
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.unlink(missing_ok=True)  # it may be a link
        self._write()  # before the first cell: workers may have to be waited for
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def start(self, cell: str) -> None:
        """Note that a cell is being worked on."""
        self._cells[cell] = time.time()
        self._write()

    def advance(self, cell: str, at: str) -> None:
        """Note how far a cell is, which `refresh` writes."""
        self._at[cell] = at
        self._is_written = False

    def refresh(self) -> None:
        """Write what has changed, but not more often than it is read."""
        if not self._is_written and time.monotonic() - self._written > _WRITE_EVERY_SECONDS:
            self._write()

    def end(self, cell: str) -> None:
        """Note that a cell has ended."""
        self._cells.pop(cell, None)
        self._at.pop(cell, None)
        self._write()

    def _write(self) -> None:
        note = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "workers": self._workers,
            "cells": self._cells,
            "at": self._at,
        }
        self._written, self._is_written = time.monotonic(), True
        with contextlib.suppress(OSError):
            self._path.write_text(json.dumps(note))


def runs_at_work(root: Path) -> list[dict[str, Any]]:
    """Return the notes of runs that are still alive, as far as this machine can tell."""
    found = []
    for path in sorted(inside(root, "running").glob("*.json")):
        with contextlib.suppress(OSError, DamagedFileError, ValueError, KeyError, TypeError):
            note = json.loads(read_file(path))
            if note["host"] != socket.gethostname() or _is_alive(int(note["pid"])):
                found.append(note)
    return found


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
