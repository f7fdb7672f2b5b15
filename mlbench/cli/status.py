"""``mlbench status``."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from mlbench.cli.prepare import duration, results_argument


@click.command()
@results_argument
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def status(results: Path, as_json: bool) -> None:
    """Say how far a results folder is: done, failed and why, running, left.

    \b
      mlbench status runs/quickstart
    """
    from mlbench.cli.results import open_results
    from mlbench.executors.running import runs_at_work

    folder = open_results(results)
    counts = folder.counts
    at_work = runs_at_work(results)
    failures = [
        {
            "cell": f"{dataset}/{method}/{split}",
            "status": row["status"],
            "message": row["failure"]["message"],
        }
        for dataset, method, split, key in folder.cells
        if (row := folder.scan.rows.get(key)) is not None and row["failure"] is not None
    ]
    if as_json:
        state = {"cells": len(folder.cells), **counts, "failures": failures, "running": at_work}
        click.echo(json.dumps(state, indent=1))
        return
    seconds = sum(row["seconds"].get("total", 0.0) for row in folder.scan.rows.values())
    words = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    click.echo(f"{folder.plan['experiment']['name']}: {len(folder.cells)} cells: {words}")
    click.echo(f"worker time so far: {duration(seconds)}")
    for note in at_work:
        click.echo(f"at work: process {note['pid']} on {note['host']}")
        for cell, since in note["cells"].items():
            click.echo(f"  {cell}, for {duration(max(0.0, time.time() - since))}")
    for failure in failures:
        click.echo(f"{failure['cell']}: {failure['status']}: {failure['message']}")
