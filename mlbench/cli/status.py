"""``mlbench status``."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import click

from mlbench.cli.changed_code import (
    OF_TODAYS_CODE,
    computed_by_other_code,
    keys_of_other_code,
    methods_of_other_code,
    rows_of_todays_code,
)
from mlbench.cli.prepare import json_option, results_argument
from mlbench.cli.status_of_tasks import say_ended, say_queue, say_tasks

if TYPE_CHECKING:
    from mlbench.results.plan import PlannedCell
    from mlbench.store import Failure, Store, Summary

MAX_PLACES = 6
"""Data sets and methods that are named below a message."""

_MAX_BYTES, _MAX_LINES, _MAX_WIDTH = 2**14, 50, 300
"""How much `--full` shows of what a failed cell printed."""

_MAX_WARNING = 200

_NUMBER = re.compile(r"\d[\d.,]*")


@click.command()
@results_argument
@click.option(
    "--full", is_flag=True, help="Print the traceback of every failure, and what it printed last."
)
@json_option
@click.option("--verify", is_flag=True, help="Read and verify every row whole, packed ones too.")
@click.option(
    "--watch",
    "live",
    is_flag=True,
    help="Show a table of methods and data sets until all is done; outside a terminal, once.",
)
def status(results: Path, full: bool, form: str, verify: bool, live: bool) -> None:
    """Show the progress of a run: done, failed and why, running, missing, warnings.

    For folders with very many cells it is much faster after `mlbench pack`.

    \b
      mlbench status runs/quickstart
      mlbench status runs/quickstart --watch
    """
    if live:
        _watch(results, full or form == "json" or verify)
        return
    from mlbench.cli.results import warn_of_damage
    from mlbench.environment import behind_scores
    from mlbench.executors.log import last_output
    from mlbench.executors.slurm import queued_arrays
    from mlbench.executors.slurm_logs import ended_tasks
    from mlbench.number_text import counted, duration, listed
    from mlbench.plan.pending import run_again, why_given_up
    from mlbench.plan.time_left import time_left
    from mlbench.results.plan import StoredPlan
    from mlbench.store import Store
    from mlbench.store.active_runs import runs_at_work
    from mlbench.store.row import LIMITS

    store = Store(results)
    if form != "json" and say_tasks(results):
        return
    plan = StoredPlan.read(store)
    queue = queued_arrays(results)  # before the rows, as SLURM may keep one waiting
    cells = plan.cells
    keys = {cell.key for cell in cells}
    scan = store.scan(keys) if verify else store.summaries(keys)
    warn_of_damage(scan.damaged)
    rows, name = scan.rows, plan.experiment.name
    others = store.keys() - keys
    found = [rows.get(cell.key) for cell in cells]
    counts = Counter(row.status if row is not None else "missing" for row in found)
    shown = [
        (cell, row)
        for cell, row in zip(cells, found, strict=True)
        if row is not None and (row.failure is not None or row.warnings)
    ]
    failures = [(cell, row.status, row.failure) for cell, row in shown if row.failure is not None]
    at_work = runs_at_work(results)
    queued = queue or []
    limits = plan.limits
    again = run_again(cells, rows, limits)
    other_code = keys_of_other_code(results, plan, rows)
    stale = store.summaries(others).rows.values() if others and counts["missing"] else ()
    left = time_left(cells, rows, stale, limits, again, other_code)
    if form == "json":
        state = {
            "experiment": name,
            "cells": len(cells),
            "taken_over": [each.model_dump(mode="json") for each in plan.taken_over],
            "counts": counts,
            "failures": [
                {"cell": _name(cell), "status": status, "message": failure.message}
                for cell, status, failure in failures
            ],
            "warnings": [
                {"cell": _name(cell), "message": warning}
                for cell, row in shown
                for warning in row.warnings
            ],
            "to_run": left.n_open,
            "to_give_up": left.n_given_up,
            "seconds_left": left.seconds if not left.n_unknown else None,
            "other_code": [*computed_by_other_code(results, plan, rows)],
            "running": at_work,
            "queued": None if queue is None else [asdict(array) for array in queued],
            "environments": _environments(rows.values()),
            "rows_of_no_cell": len(others),
        }
        click.echo(json.dumps(state, indent=1))
        return
    seconds = sum(row.seconds.get("total", 0.0) for row in rows.values())
    words = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    click.echo(f"{name}: {counted(len(cells), 'cell')}" + (f": {words}" if words else ""))
    for origin in plan.taken_over:
        click.echo(f"{origin.heading}: {counted(origin.n_cells, 'cell')}, {origin.states}")
    n_workers = sum(note.get("workers", len(note["cells"])) for note in at_work)
    workers = max(n_workers, sum(array.states.get("running", 0) for array in queued))
    of_left = f"; left: {left.in_words(workers)}" if left.n_open else ""
    click.echo(f"worker time so far: {duration(seconds)}{of_left}")
    versions = [behind_scores(each) for each in _environments(rows.values())]
    for line in dict.fromkeys(", ".join(map(" ".join, each.items())) for each in versions):
        click.echo(f"computed with {line}")
    if todays := {*rows_of_todays_code(results, plan, store, others).values()}:
        click.echo(f"{counted(len(todays), 'row')} {OF_TODAYS_CODE}")
    if others := others - todays:
        where = (
            f"such rows count again if it has their cells again; mlbench prune {results} lists "
            "them, with --yes it removes them"
        )
        click.echo(f"{counted(len(others), 'row')} of no cell of the experiment: {where}")
    for line in computed_by_other_code(results, plan, rows):
        click.echo(line)
    say_queue(queue)
    for note in at_work:
        waits = "" if note["cells"] else ", with no cell under way"
        click.echo(f"running: process {note['pid']} on {note['host']}{waits}")
        for cell, since in note["cells"].items():
            at = note.get("at", {}).get(cell)
            how_long = duration(max(0.0, time.time() - since))
            click.echo(f"  {cell}, for {how_long}" + (f": {at}" if at else ""))
    if counts["missing"] and not at_work and not queued and queue is not None:
        click.echo(
            "no run is active or queued here; `mlbench run` or `submit` runs what is missing"
        )
    ended = ended_tasks(results, queue) if counts["missing"] or again or other_code else {}
    say_ended(ended, queue)
    given_up = why_given_up(cells, rows, limits, again)
    for line in grouped(
        (cell, f"{failure.kind}: {_reason(cell, failure, again, given_up)}")
        for cell, _, failure in failures
    ):
        click.echo(line)
    for line in grouped(
        (cell, f"warned: {_warning(warning, full)}")
        for cell, row in shown
        for warning in row.warnings
    ):
        click.echo(line)
    if plan.experiment.keep_predictions:
        _say_what_is_gone(store, cells, found)
    if full:
        printed = last_output(results, [cell.key for cell, _, _ in failures], _MAX_BYTES)
        for cell, _, failure in failures:
            output = _last_lines(printed.get(cell.key, b""))
            if failure.traceback:
                click.echo(f"\n{_name(cell)}:\n{failure.traceback}")
            if output:
                click.echo(f"\n{_name(cell)} printed, at the end:\n{output}\n")
    elif failures:
        log = results / "worker.log"
        output = f"; output of methods: {log}" if log.is_file() else ""
        click.echo(f"tracebacks, and what was printed: mlbench status {results} --full{output}")
    changed = methods_of_other_code(results, plan, rows) if failures else ()
    of_kind = Counter(
        cell.key in again
        for cell, _, _ in failures
        if cell.key in again or cell.method not in changed  # whose rows run again, too
    )
    if of_kind[True]:
        number = of_kind[True]
        kinds = {each for cell, each, _ in failures if cell.key in again}
        may_wait = any("pending" in array.states for array in queued) and "data" not in kinds
        by = "a waiting task that has their shard, or the next " if may_wait else ""
        click.echo(
            f"{number} of them run again ({' or '.join(sorted(kinds))}), by {by}mlbench run CONFIG "
            "or mlbench submit"
        )
    settled = {each for cell, each, _ in failures if cell.key not in again}
    if reached := [name for kind, name in LIMITS.items() if kind in settled]:
        higher = listed([f"`limits.{name}`" for name in reached])
        click.echo(
            f"with a higher {higher}, cells that reached it, or were given up for that, run again"
        )
    if of_kind[False]:
        pruned = f"; for SLURM: mlbench prune {results} --failed --yes, then submit"
        slurm = pruned if (results / "slurm").is_dir() else ""
        them = "the others" if of_kind[True] else "them"
        click.echo(f"to run {them} again: mlbench run CONFIG --retry-failed{slurm}")


def _warning(text: str, full: bool) -> str:
    """Return a warning without how often it came, of a long one the beginning unless in full."""
    text = re.sub(r" [(][0-9]+ times[)]$", "", text)
    return text if full else shorten(text, _MAX_WARNING, placeholder=" ...")


def _reason(
    cell: PlannedCell,
    failure: Failure,
    again: Container[str],
    given_up: Mapping[tuple[str, str], str],
) -> str:
    """Return why a cell has no result: of one that is given up, as the rule stands now."""
    from mlbench.store.row import GIVEN_UP

    stands = failure.kind == GIVEN_UP and cell.key not in again
    return given_up.get(cell[:2], failure.message) if stands else failure.message


def _watch(results: Path, prints_more: bool) -> None:
    from rich.console import Console

    from mlbench.cli.watch import watch

    if prints_more:
        raise click.UsageError(
            "--watch shows a table alone: leave out --full, --verify, and --format json"
        )
    with contextlib.suppress(KeyboardInterrupt):
        watch(results, Console())


def _last_lines(output: bytes) -> str:
    """Return the last lines of what a method printed, indented; long ones are cut."""
    lines = output.decode(errors="replace").splitlines()[-_MAX_LINES:]
    cut = (line[:_MAX_WIDTH] + " ..." * (len(line) > _MAX_WIDTH) for line in lines)
    return "\n".join(f"  {line}" for line in cut)


def _name(cell: PlannedCell) -> str:
    return f"{cell.dataset}/{cell.method}/{cell.split}"


def grouped(lines: Iterable[tuple[PlannedCell, str]]) -> Iterator[str]:
    """Yield each message once, with the number of cells that share it but for its numbers."""
    shared: dict[str, dict[str, list[int]]] = {}
    texts: dict[str, dict[str, None]] = {}
    for (dataset, method, split, _), text in lines:
        alike = _NUMBER.sub("0", text)
        shared.setdefault(alike, {}).setdefault(f"{dataset}/{method}", []).append(split)
        texts.setdefault(alike, {})[text] = None
    for alike, places in shared.items():
        text = next(iter(texts[alike])) + " (numbers differ)" * (len(texts[alike]) > 1)
        if len(places) == 1:
            ((place, splits),) = places.items()
            where = (
                str(splits[0]) if len(splits) == 1 else f"({len(splits)} splits, first {splits[0]})"
            )
            yield f"{place}/{where}: {text}"
            continue
        named = [f"{place} ({len(splits)})" for place, splits in [*places.items()][:MAX_PLACES]]
        rest = len(places) - len(named)
        more = f" and {rest} more" if rest else ""
        yield f"{sum(map(len, places.values()))} cells: {text}"
        yield f"  {', '.join(named)}{more}"


def _say_what_is_gone(
    store: Store, cells: Iterable[PlannedCell], rows: Iterable[Summary | None]
) -> None:
    """Name cells whose predictions should have been kept but are missing."""
    from mlbench.number_text import counted

    kept = store.kept_predictions()
    gone = [
        cell
        for cell, row in zip(cells, rows, strict=True)
        if row is not None and row.is_ok
        if row.predictions is None or cell.key not in kept
    ]
    if gone:
        click.echo(
            f"kept predictions are missing for {counted(len(gone), 'cell')}, "
            f"first {_name(gone[0])}; `mlbench run` computes them again"
        )


def _environments(rows: Iterable[Summary]) -> list[dict[str, str]]:
    """Return the different environments that rows were computed in."""
    return list({tuple(row.environment.items()): row.environment for row in rows}.values())
