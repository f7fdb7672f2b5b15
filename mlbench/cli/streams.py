"""Standard output and error without control characters that could manipulate the terminal.

Names and messages may come from other people's files: a results folder, a card, an experiment. All
output of a command passes through here, and control characters are spelled out. Line ends and tabs
pass, and on a terminal the codes for bold, dim and italic type.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from mlbench.escape_controls import escape_controls

_STYLE = re.compile(r"(\x1b\[(?:[0-3](?:;[0-3])*)?m)")


class _Guarded:
    """A text stream that wraps another one."""

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
    """Guard the standard streams of this process within the context."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, _Guarded(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unguarded(stream: TextIO) -> TextIO:
    """Return the stream beneath, for code that moves the cursor and escapes names itself."""
    return stream.beneath if isinstance(stream, _Guarded) else stream
