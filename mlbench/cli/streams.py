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

from mlbench.errors import MlbenchError
from mlbench.escape_controls import escape_controls

_STYLE = re.compile(r"(\x1b\[(?:[0-3](?:;[0-3])*)?m)")


class _Guarded:
    """A text stream that wraps another one."""

    def __init__(self, beneath: TextIO, name: str) -> None:
        self.beneath = beneath
        self._name = name

    def write(self, text: str) -> int:
        with self._named():
            if not self.beneath.isatty():
                self.beneath.write(escape_controls(text))
            else:
                for part in _STYLE.split(text):
                    self.beneath.write(part if _STYLE.fullmatch(part) else escape_controls(part))
        return len(text)

    def flush(self) -> None:
        with self._named():
            self.beneath.flush()

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            reason = error.strerror or str(error)
            raise MlbenchError(f"{self._name}: {reason}; the output is not complete") from error


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard the standard streams of this process within the context."""
    before = sys.stdout, sys.stderr
    sys.stdout = cast(TextIO, _Guarded(sys.stdout, "standard output"))
    sys.stderr = cast(TextIO, _Guarded(sys.stderr, "standard error"))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unguarded(stream: TextIO) -> TextIO:
    """Return the stream beneath, for code that moves the cursor and escapes names itself."""
    return stream.beneath if isinstance(stream, _Guarded) else stream
