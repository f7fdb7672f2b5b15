"""``mlbench export``."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import results_argument
from mlbench.options import EXPORT_COLUMNS

if TYPE_CHECKING:
    from mlbench.store.plain_values import Plain


@click.command()
@results_argument
@click.option(
    "--what",
    type=click.Choice(list(EXPORT_COLUMNS)),
    default="scores",
    show_default=True,
    help="Scores; chosen parameters; times and peak memory; counts of samples and undefined "
    "labels; reports of the fits (iterations, gaps).",
)
@click.option("--metric", "metrics", multiple=True, help="Only this metric (repeatable).")
def export(results: Path, what: str, metrics: tuple[str, ...]) -> None:
    """Print the numbers of a results folder as CSV: dataset,method,split,metric,value.

    All metrics under all conventions, in full precision and in the order of the experiment. The
    value is empty where a metric is undefined. With --what the fourth column is called param,
    step, count or entry.

    \b
      mlbench export runs/quickstart > quickstart.csv
      mlbench export runs/quickstart --metric macro_f1
      mlbench export runs/quickstart --what params
    """
    from mlbench.cli.results import open_results
    from mlbench.metrics import get_metric
    from mlbench.report.long_form import long_form

    folder = open_results(results)
    wanted = {get_metric(name).name for name in metrics}
    sys.stdout.write(_as_csv([("dataset", "method", "split", EXPORT_COLUMNS[what], "value")]))
    for *place, value in long_form(folder, what, wanted):
        sys.stdout.write(_as_csv([(*place, _as_text(value))]))
    lacking = {status: n for status, n in folder.counts.items() if status != "ok"}
    if lacking:
        words = ", ".join(f"{n} {status}" for status, n in lacking.items())
        click.echo(f"not exported: {words}; see mlbench status {results}", err=True)


def _as_csv(lines: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _as_text(value: Plain) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)
