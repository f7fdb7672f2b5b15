"""Open a results folder, warn of damaged files, and print a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mlbench.report.tables.table import Table
    from mlbench.results.results import Results


def open_and_warn(path: Path, whole: bool = False) -> Results:
    """Read a results folder; warn of damaged files, whose rows count as missing.

    Parameters
    ----------
    path : Path
    whole : bool
        Whether more of the rows is needed than their summaries.
    """
    from mlbench.results import open_results

    folder = open_results(path, whole)
    warn_of_damage(folder.damaged)
    return folder


def as_text(table: Table) -> str:
    """Return a table in bold and at the width of the terminal, if standard output is one."""
    from rich.console import Console

    from mlbench.report.render import to_text

    terminal = Console()
    width = terminal.width if terminal.is_terminal else None
    return to_text(table, styled=terminal.is_terminal, width=width)


def warn_of_damage(damaged: Mapping[Path, str]) -> None:
    """Name damaged files on standard error."""
    for path, problem in damaged.items():
        click.echo(f"warning: {path}: damaged: {problem}; its rows count as missing", err=True)
