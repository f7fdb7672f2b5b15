"""``mlbench status``."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import duration, results_argument

if TYPE_CHECKING:
    from mlbench.report.folder import ResultsFolder
    from mlbench.store import Row


@click.command()
@results_argument
@click.option("--full", is_flag=True, help="Print the traceback of every failure.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def status(results: Path, full: bool, as_json: bool) -> None:
    """Say how far a results folder is: done, failed and why, running, left, warnings.

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
            "counts": counts,
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
    for line in _grouped(_failure_lines(folder)):
        click.echo(line)
    for line in _grouped(_warning_lines(folder)):
        click.echo(line)
    if full:
        for dataset, method, split, key in folder.cells:
            row = folder.scan.rows.get(key)
            if row is not None and row["failure"] is not None and row["failure"]["traceback"]:
                click.echo(f"\n{dataset}/{method}/{split}:\n{row['failure']['traceback']}")
    elif failures:
        click.echo("tracebacks: mlbench status --full; what methods printed: worker.log")


Line = tuple[str, str, int, str]


def _failure_lines(folder: ResultsFolder) -> Iterator[Line]:
    for dataset, method, split, key in folder.cells:
        row = folder.scan.rows.get(key)
        if row is not None and (failure := row["failure"]) is not None:
            yield dataset, method, split, f"{failure['kind']}: {failure['message']}"


def _warning_lines(folder: ResultsFolder) -> Iterator[Line]:
    for dataset, method, split, key in folder.cells:
        row = folder.scan.rows.get(key)
        for warning in row["warnings"] if row is not None else ():
            yield dataset, method, split, f"warned: {re.sub(r' [(][0-9]+ times[)]$', '', warning)}"


def _grouped(lines: Iterable[Line]) -> Iterator[str]:
    """Say once what several splits of one method say alike."""
    splits: dict[tuple[str, str, str], list[int]] = {}
    for dataset, method, split, text in lines:
        splits.setdefault((dataset, method, text), []).append(split)
    for (dataset, method, text), each in splits.items():
        where = str(each[0]) if len(each) == 1 else f"({len(each)} splits, first {each[0]})"
        yield f"{dataset}/{method}/{where}: {text}"


def _environments(rows: Iterable[Row]) -> list[dict[str, str]]:
    """Return the different environments that rows were computed in."""
    return list({json.dumps(row["environment"]): row["environment"] for row in rows}.values())
