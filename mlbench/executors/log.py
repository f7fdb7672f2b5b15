"""The file with what methods print, which does not grow without bound."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MAX_BYTES = 2**24
"""A log that is longer is set aside under the suffix ``.old``, in place of the one before."""

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
"""The log is not written through a symbolic link, which a folder from elsewhere may contain."""


def append_to_log(path: Path, text: bytes) -> None:
    """Append to a log; what cannot be written is lost."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, _FLAGS, 0o644)
        try:
            os.write(handle, text)
            if os.fstat(handle).st_size > MAX_BYTES:
                path.replace(path.with_suffix(".log.old"))
        finally:
            os.close(handle)
