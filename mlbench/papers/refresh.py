"""Rewrite the tables of `mlbench reproduce` that stand in Markdown files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import click

from mlbench.errors import MlbenchError
from mlbench.store.atomic import write_output

_COMMAND = re.compile(r"<!-- mlbench reproduce (?P<words>.*?) -->\n", re.DOTALL)
_END = "<!-- end -->"
_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)


def refresh(path: Path, tables: Callable[[list[str]], str]) -> bool:
    """Run each command of a file anew, and replace what stands between it and its end.

    Parameters
    ----------
    path : Path
        A Markdown file with ``<!-- mlbench reproduce ... -->`` and, below, ``<!-- end -->``. Those
        in code blocks are examples.
    tables : callable
        Returns the Markdown that the words of a command print.

    Returns
    -------
    bool
        Whether the file has changed.

    Raises
    ------
    MlbenchError
        If it cannot be read or written, has no such lines, or a command in it is wrong; the message
        names its line.
    """
    try:
        old = path.read_text(encoding="utf-8")
        new = _refreshed(path, old, tables)
        if new != old:
            write_output(path.resolve(), new.encode())
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MlbenchError(f"{path}: cannot be read or written: {reason}") from None
    return new != old


def _refreshed(path: Path, text: str, tables: Callable[[list[str]], str]) -> str:
    parts, done = [], 0
    for found in _COMMAND.finditer(text):
        if len(_FENCE.findall(text, 0, found.start())) % 2:
            continue
        line = text.count("\n", 0, found.start()) + 1
        end = text.find(_END, found.end())
        following = _COMMAND.search(text, found.end())
        if end < 0 or (following and following.start() < end):
            raise MlbenchError(
                f"{path}:{line}: no {_END} between this command and the next one, or the file's end"
            )
        parts += [
            text[done : found.end()],
            "\n",
            _run(found["words"], tables, f"{path}:{line}"),
            "\n",
        ]
        done = end
    if not parts:
        raise MlbenchError(
            f"{path}: no <!-- mlbench reproduce ... --> on lines of its own, so nothing to run"
        )
    return "".join([*parts, text[done:]])


def _run(words: str, tables: Callable[[list[str]], str], where: str) -> str:
    try:
        return tables(shlex.split(words))
    except click.ClickException as error:
        raise MlbenchError(f"{where}: {error.format_message()}") from None
    except (MlbenchError, ValueError) as error:  # shlex: no closing quotation
        raise MlbenchError(f"{where}: {error}") from None
