"""``mlbench status``."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import duration, results_argument

if TYPE_CHECKING:
    from mlbench.store import Summary

Cell = tuple[str, str, int, str]


@click.command()
@results_argument
@click.option("--full", is_flag=True, help="Print the traceback of every failure.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def status(results: Path, full: bool, as_json: bool) -> None:
    """Say how far a results folder is: done, failed and why, running, left, warnings.

    Of folders with very many cells, it is much faster after `mlbench compact`.

    \b
      mlbench status runs/quickstart
    """
    from mlbench.cli.results import warn_of_damage
    from mlbench.executors.slurm import queued_tasks
    from mlbench.store import Store
    from mlbench.store.running import runs_at_work

    store = Store(results)
    plan = store.read_plan()
    cells: list[Cell] = plan["cells"]
    scan = store.summaries(key for *_, key in cells)
    warn_of_damage(scan.damaged)
    rows, name = scan.rows, plan["experiment"]["name"]
    counts = Counter(rows[key]["status"] if key in rows else "missing" for *_, key in cells)
    at_work, queued = runs_at_work(results), queued_tasks(results)
    failures = [
        {
            "cell": f"{dataset}/{method}/{split}",
            "status": row["status"],
            "message": row["failure"]["message"],
        }
        for dataset, method, split, key in cells
        if (row := rows.get(key)) is not None and row["failure"] is not None
    ]
    if as_json:
        state = {
            "experiment": name,
            "cells": len(cells),
            "counts": counts,
            "failures": failures,
            "running": at_work,
            "queued": queued,
            "environments": _environments(rows.values()),
        }
        click.echo(json.dumps(state, indent=1))
        return
    seconds = sum(row["seconds"].get("total", 0.0) for row in rows.values())
    words = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    click.echo(f"{name}: {len(cells)} cells: {words}")
    click.echo(f"worker time so far: {duration(seconds)}")
    for environment in _environments(rows.values()):
        versions = ", ".join(f"{name} {version}" for name, version in environment.items())
        click.echo(f"computed with {versions}")
    for array in queued:
        states = ", ".join(f"{n} {state}" for state, n in sorted(array["states"].items()))
        reasons = f" ({', '.join(array['reasons'])})" if array["reasons"] else ""
        click.echo(f"SLURM job {array['job']}: {states}{reasons}")
    for note in at_work:
        click.echo(f"at work: process {note['pid']} on {note['host']}")
        for cell, since in note["cells"].items():
            click.echo(f"  {cell}, for {duration(max(0.0, time.time() - since))}")
    for line in _grouped(_failure_lines(cells, rows)):
        click.echo(line)
    for line in _grouped(_warning_lines(cells, rows)):
        click.echo(line)
    if full:
        for dataset, method, split, key in cells:
            row = rows.get(key)
            if row is not None and row["failure"] is not None and row["failure"]["traceback"]:
                click.echo(f"\n{dataset}/{method}/{split}:\n{row['failure']['traceback']}")
    elif failures:
        click.echo("tracebacks: mlbench status --full; what methods printed: worker.log")


Line = tuple[str, str, int, str]


def _failure_lines(cells: Iterable[Cell], rows: Mapping[str, Summary]) -> Iterator[Line]:
    for dataset, method, split, key in cells:
        row = rows.get(key)
        if row is not None and (failure := row["failure"]) is not None:
            yield dataset, method, split, f"{failure['kind']}: {failure['message']}"


def _warning_lines(cells: Iterable[Cell], rows: Mapping[str, Summary]) -> Iterator[Line]:
    for dataset, method, split, key in cells:
        row = rows.get(key)
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


def _environments(rows: Iterable[Summary]) -> list[dict[str, str]]:
    """Return the different environments that rows were computed in."""
    return list({tuple(row["environment"].items()): row["environment"] for row in rows}.values())
