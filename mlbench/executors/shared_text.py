"""A short text that a process writes and the one that it was forked from reads."""

from __future__ import annotations

import mmap
import os

_BYTES = 256


class SharedText:
    """A text in memory that forked processes share; writing it never waits.

    It is written twice, and one that is read during a write differs from its copy.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 2 * _BYTES)
        self._writer: int | None = None
        self._last = ""

    def write(self, text: str) -> None:
        """Write a text; one that is too long is cut. Processes forked from the first do nothing."""
        if self._writer is None:
            self._writer = os.getpid()
        if self._writer == os.getpid():
            content = text.encode("ascii", "replace")[:_BYTES].ljust(_BYTES, b"\0")
            self._memory[:_BYTES] = content
            self._memory[_BYTES:] = content

    def read(self) -> str:
        """Return the text that was last written whole."""
        first, second = self._memory[:_BYTES], self._memory[_BYTES:]
        if first == second:
            self._last = first.rstrip(b"\0").decode("ascii", "replace")
        return self._last

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
