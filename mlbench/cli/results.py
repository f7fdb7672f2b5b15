"""What several commands read from a results folder."""

from __future__ import annotations

from pathlib import Path

import click

from mlbench.report.folder import ResultsFolder


def open_results(path: Path) -> ResultsFolder:
    """Read a results folder; damaged rows are named on standard error and count as missing."""
    folder = ResultsFolder.open(path)
    for damaged, problem in folder.scan.damaged.items():
        click.echo(f"warning: {damaged}: damaged: {problem}; it counts as missing", err=True)
    return folder
