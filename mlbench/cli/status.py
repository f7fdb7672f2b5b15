"""``mlbench status``."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import duration, results_argument

if TYPE_CHECKING:
    from mlbench.store import Row


@click.command()
@results_argument
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def status(results: Path, as_json: bool) -> None:
    """Say how far a results folder is: done, failed and why, running, left.

    \b
      mlbench status runs/quickstart
    """
    from mlbench.cli.results import open_results
    from mlbench.store.running import runs_at_work

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
        state = {
            "experiment": folder.plan["experiment"]["name"],
            "cells": len(folder.cells),
            **counts,
            "failures": failures,
            "running": at_work,
            "environments": _environments(folder.scan.rows.values()),
        }
        click.echo(json.dumps(state, indent=1))
        return
    seconds = sum(row["seconds"].get("total", 0.0) for row in folder.scan.rows.values())
    words = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    click.echo(f"{folder.plan['experiment']['name']}: {len(folder.cells)} cells: {words}")
    click.echo(f"worker time so far: {duration(seconds)}")
    for environment in _environments(folder.scan.rows.values()):
        versions = ", ".join(f"{name} {version}" for name, version in environment.items())
        click.echo(f"computed with {versions}")
    for note in at_work:
        click.echo(f"at work: process {note['pid']} on {note['host']}")
        for cell, since in note["cells"].items():
            click.echo(f"  {cell}, for {duration(max(0.0, time.time() - since))}")
    for failure in failures:
        click.echo(f"{failure['cell']}: {failure['status']}: {failure['message']}")


def _environments(rows: Iterable[Row]) -> list[dict[str, str]]:
    """Return the different environments that rows were computed in."""
    return list({json.dumps(row["environment"]): row["environment"] for row in rows}.values())
