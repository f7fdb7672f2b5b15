"""Other processes: whether they live, and waiting for what they do.

A wait ends as soon as its condition holds, so its limit may be long: it is for what never happens.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 600
"""Seconds after which something will not happen any more, on a slow and loaded machine too."""


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def copy_code(source: Path, target: Path) -> None:
    """Copy a folder to which other processes write compiled code, with that code.

    A file that is gone before its turn was a temporary one.
    """

    def copy(file: str, to: str) -> None:
        with suppress(FileNotFoundError):
            shutil.copy2(file, to)

    shutil.copytree(source, target, copy_function=copy)
