"""``mlbench report``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import results_argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from mlbench.cli.results import ResultsFolder
    from mlbench.report import ReportSettings, Table


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
    from mlbench.report import (
        experiment_tables,
        to_csv,
        to_latex,
        to_markdown,
        to_text,
        with_notes_once,
    )
    from mlbench.report.frames import result_frames
    from mlbench.report.left_out import left_out_notes

    folder = open_results(path)
    values, statuses = result_frames(folder.cells, folder.scan.rows)
    terminal = Console()
    width = terminal.width if terminal.is_terminal else None
    render: dict[str, Callable[[Table], str]] = {
        "text": lambda table: to_text(table, styled=terminal.is_terminal, width=width),
        "markdown": to_markdown,
        "latex": to_latex,
        "csv": to_csv,
    }
    settings = _settings(folder, metrics)
    shown = [metric.name for metric in settings.metrics]
    notes = left_out_notes(shown, folder.cells, folder.scan.rows)
    tables = experiment_tables(values, statuses, settings, notes)
    for table in with_notes_once(tables) if form in ("text", "markdown") else tables:
        click.echo(render[form](table))
    counts = folder.counts
    bad = {status: n for status, n in counts.items() if status != "ok"}
    if bad:
        words = ", ".join(f"{n} {status}" for status, n in bad.items())
        click.echo(f"{counts.get('ok', 0)} cells ok, {words}: see mlbench status {path}", err=True)
    return sum(bad.values())


def _settings(folder: ResultsFolder, metrics: tuple[str, ...]) -> ReportSettings:
    from mlbench.metrics import get_metric
    from mlbench.report import Comparison, MetricColumn, ReportSettings

    experiment = folder.plan["experiment"]
    shown = [get_metric(name) for name in metrics or experiment["metrics"]]
    methods = folder.plan["methods"]
    return ReportSettings(
        metrics=tuple(
            MetricColumn(metric.name, metric.title, metric.greater_is_better, metric.is_fraction)
            for metric in shown
        ),
        n_splits=folder.plan["n_splits"],
        methods=tuple(methods),
        datasets=tuple(folder.plan["datasets"]),
        comparisons=tuple(
            Comparison(
                method=wanted["method"],
                against=tuple(
                    wanted["against"] or [name for name in methods if name != wanted["method"]]
                ),
                tests=tuple(wanted["tests"]),
                correction=wanted["correction"],
            )
            for wanted in experiment["compare"]
        ),
        test_train_ratio=_test_train_ratios(folder),
        percent=experiment["report"]["unit"] == "percent",
        decimals=experiment["report"]["decimals"],
    )


def _test_train_ratios(folder: ResultsFolder) -> dict[str, float]:
    ratios = {}
    for dataset, _, _, key in folder.cells:
        row = folder.scan.rows.get(key)
        if row is not None and row["status"] == "ok":
            ratios[dataset] = row["counts"]["test_samples"] / row["counts"]["train_samples"]
    return ratios
