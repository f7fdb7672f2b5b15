"""Open a results folder, and warn of damaged files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mlbench.report.folder import ResultsFolder


def open_results(path: Path) -> ResultsFolder:
    """Read a results folder; warn of damaged files, whose rows count as missing."""
    from mlbench.report.folder import ResultsFolder

    folder = ResultsFolder.open(path)
    warn_of_damage(folder.scan.damaged)
    return folder


def warn_of_damage(damaged: Mapping[Path, str]) -> None:
    """Name damaged files on standard error."""
    for path, problem in damaged.items():
        click.echo(f"warning: {path}: damaged: {problem}; its rows count as missing", err=True)
