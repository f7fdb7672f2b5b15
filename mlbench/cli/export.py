"""``mlbench export``."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import click

from mlbench.cli.prepare import results_argument


@click.command()
@results_argument
@click.option("--metric", "metrics", multiple=True, help="Only this metric (repeatable).")
def export(results: Path, metrics: tuple[str, ...]) -> None:
    """Print every number of a results folder as CSV: dataset,method,split,metric,value.

    All metrics under all conventions are there, in full precision, in the order of the
    experiment. The value is empty where a metric is undefined.

    \b
      mlbench export runs/quickstart > quickstart.csv
      mlbench export runs/quickstart --metric macro_f1
    """
    from mlbench.cli.results import open_results
    from mlbench.metrics import get_metric

    wanted = {get_metric(name).name for name in metrics}
    folder = open_results(results)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["dataset", "method", "split", "metric", "value"])
    for dataset, method, split, key in folder.cells:
        row = folder.scan.rows.get(key)
        for metric, value in sorted(row["metrics"].items()) if row else ():
            if not wanted or metric in wanted:
                text = "" if value is None else repr(value)
                writer.writerow([dataset, method, split, metric, text])
    lacking = {status: n for status, n in folder.counts.items() if status != "ok"}
    if lacking:
        words = ", ".join(f"{n} {status}" for status, n in lacking.items())
        click.echo(f"not exported: {words}; see mlbench status {results}", err=True)
