"""Open a results folder, warn of damaged files, and print a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from mlbench.data import Dataset
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


def data_loader(
    folder: Results, start: Path = Path(), data_dirs: Sequence[Path] = ()
) -> Callable[[str], Dataset]:
    """Return what loads a data set of an experiment by the name that it has in tables."""
    from mlbench.data import load_dataset

    references = {each.display: each.resolved(start) for each in folder.plan.experiment.datasets}
    return lambda name: load_dataset(references[name], data_dirs)


def with_data(folder: Results) -> Results:
    """Return results that load data where an older version kept no true labels."""
    return replace(folder, load_data=data_loader(folder))


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


def print_rich(table: RichTable) -> None:
    """Print a table of rich at the width of the terminal; elsewhere nothing is cut."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = 200
    console.print(table)
