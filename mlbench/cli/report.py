"""``mlbench report``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mlbench.cli.prepare import results_argument


@click.command()
@results_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "latex", "csv"]),
    default="text",
    show_default=True,
)
@click.option("--metric", "metrics", multiple=True, help="Show this metric instead (repeatable).")
def report(results: Path, form: str, metrics: tuple[str, ...]) -> None:
    """Print the tables of a results folder, finished or not.

    Means and standard deviations over splits, the best in bold, then the tests that the
    experiment asks for. Cells that failed or are missing are shown as such.

    \b
      mlbench report runs/quickstart
      mlbench report runs/quickstart --format latex --metric micro_f1@mulan
    """
    sys.exit(1 if print_report(results, form, metrics) else 0)


def print_report(path: Path, form: str, metrics: tuple[str, ...] = ()) -> int:
    """Print the tables of a results folder and return how many cells failed or are missing."""
    from rich.console import Console

    from mlbench.cli.results import open_results
    from mlbench.report import RENDERERS, to_text, with_notes_once
    from mlbench.report.numbers import counted, of_kinds

    folder = open_results(path)
    tables = folder.tables(metrics)
    terminal = Console()
    width = terminal.width if terminal.is_terminal else None
    for table in with_notes_once(tables) if form in ("text", "markdown") else tables:
        if form == "text":
            click.echo(to_text(table, styled=terminal.is_terminal, width=width))
        else:
            click.echo(RENDERERS[form](table))
    bad = {status: n for status, n in folder.counts.items() if status != "ok"}
    if bad:
        ok = counted(folder.counts.get("ok", 0), "cell")
        click.echo(f"{ok} ok, {of_kinds(bad.items())}: see mlbench status {path}", err=True)
    return sum(bad.values())
