"""Write the tables of a paper's comparison that stand in Markdown files anew."""

import re
import shlex
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import click

from mlbench.errors import MlbenchError
from mlbench.store.atomic import write_output

_END = "<!-- end -->"
_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)


def refresh_file(path: Path, commands: Mapping[str, click.Command]) -> bool:
    """Run each command of a file again, and replace the text between it and its end.

    Parameters
    ----------
    path : Path
        A Markdown file with ``<!-- mlbench COMMAND ... -->`` and, below, ``<!-- end -->``. Those
        in code blocks are examples.
    commands : mapping
        The commands that may stand there, by their names.

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
        new = _refreshed(path, old, commands)
        if new != old:
            write_output(path.resolve(), new.encode())
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MlbenchError(f"{path}: cannot be read or written: {reason}") from None
    return new != old


def _refreshed(path: Path, text: str, commands: Mapping[str, click.Command]) -> str:
    names = "|".join(commands)
    pattern = re.compile(rf"<!-- mlbench (?P<name>{names}) (?P<words>.*?) -->\n", re.DOTALL)
    parts, done = [], 0
    for found in pattern.finditer(text):
        if len(_FENCE.findall(text, 0, found.start())) % 2:
            continue
        line = text.count("\n", 0, found.start()) + 1
        end = text.find(_END, found.end())
        following = pattern.search(text, found.end())
        if end < 0 or (following and following.start() < end):
            raise MlbenchError(
                f"{path}:{line}: no {_END} between this command and the next one, or the file's end"
            )
        tables = _run(commands[found["name"]], found["words"], f"{path}:{line}")
        parts += [text[done : found.end()], "\n", tables, "\n"]
        done = end
    if not parts:
        raise MlbenchError(
            f"{path}: no command such as <!-- mlbench reproduce ... --> on lines of its own, so "
            f"nothing to run; known: {', '.join(commands)}"
        )
    return "".join([*parts, text[done:]])


def _run(command: click.Command, words: str, where: str) -> str:
    """Return what a command prints as Markdown."""
    try:
        given = shlex.split(words)
        for option in ("--format", "--strict", "--html"):
            if option in given:
                raise MlbenchError(f"a command in a file cannot have {option}")
        # `report` exits by itself, with 1 where cells are missing.
        with redirect_stdout(StringIO()) as printed, suppress(SystemExit):
            command.main([*given, "--format", "markdown"], standalone_mode=False)
    except click.ClickException as error:
        raise MlbenchError(f"{where}: {error.format_message()}") from None
    except (MlbenchError, ValueError) as error:  # shlex: no closing quotation
        raise MlbenchError(f"{where}: {error}") from None
    return printed.getvalue()
