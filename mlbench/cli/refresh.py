"""Rewrite the tables of `mlbench reproduce` that stand in Markdown files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

from mlbench.errors import MlbenchError

_COMMAND = re.compile(r"<!-- mlbench reproduce (?P<words>.*?) -->\n", re.DOTALL)
_END = "<!-- end -->"


def refresh(path: Path, tables: Callable[[list[str]], str]) -> bool:
    """Run each command of a file anew, and replace what stands between it and its end.

    Parameters
    ----------
    path : Path
        A Markdown file with ``<!-- mlbench reproduce ... -->`` and, below, ``<!-- end -->``.
    tables : callable
        Returns the Markdown that the words of a command print.

    Returns
    -------
    bool
        Whether the file has changed.

    Raises
    ------
    MlbenchError
        If it cannot be read or written, or has no such lines.
    """
    try:
        old = path.read_text(encoding="utf-8")
        new = _refreshed(path, old, tables)
        if new != old:
            path.write_text(new, encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MlbenchError(f"{path}: cannot be read or written: {reason}") from None
    return new != old


def _refreshed(path: Path, text: str, tables: Callable[[list[str]], str]) -> str:
    parts, rest = [], text
    while found := _COMMAND.search(rest):
        _, end, after = rest[found.end() :].partition(_END)
        if not end:
            raise MlbenchError(f"{path}: no {_END} after {found[0].strip()}")
        parts += [rest[: found.end()], "\n", tables(shlex.split(found["words"])), "\n", _END]
        rest = after
    if not parts:
        raise MlbenchError(f"{path}: no line <!-- mlbench reproduce ... --> to run anew")
    return "".join([*parts, rest])
