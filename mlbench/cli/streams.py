"""Standard output and error that cannot be turned against the terminal.

Names and messages come from files of others too: a results folder, a card, an experiment. Whatever
a command prints goes through here, where control characters are spelt out. Line ends and tabs pass,
and on a terminal the codes for bold, dim and italic type.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from mlbench.escape_controls import escape_controls

_STYLE = re.compile(r"(\x1b\[(?:[0-3](?:;[0-3])*)?m)")


class _Guarded:
    """A text stream before another one."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        if not self.beneath.isatty():
            self.beneath.write(escape_controls(text))
        else:
            for part in _STYLE.split(text):
                self.beneath.write(part if _STYLE.fullmatch(part) else escape_controls(part))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard the standard streams of this process for a while."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, _Guarded(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unguarded(stream: TextIO) -> TextIO:
    """Return the stream beneath, for code that moves the cursor and escapes names itself."""
    return stream.beneath if isinstance(stream, _Guarded) else stream
