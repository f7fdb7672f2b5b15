"""``mlbench run``."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import data_option, out_option

if TYPE_CHECKING:
    from mlbench.cli.prepare import Prepared
    from mlbench.executors.events import Unstored
    from mlbench.plan import Cell
    from mlbench.store import Scan, Store


@click.command()
@click.argument("config")
@out_option
@data_option
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=lambda: len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1,
    show_default="all cores",
    help="Worker processes. The numbers do not depend on it.",
)
@click.option("--retry-failed", is_flag=True, help="Run failed cells again, whatever failed.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, only failures and the tables.")
def run(
    config: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    jobs: int,
    retry_failed: bool,
    quiet: bool,
) -> None:
    """Fill what is missing of an experiment, then print its tables.

    CONFIG is an experiment file, or the name of one that comes along (quickstart). What is
    done already is kept: the same command goes on where it was stopped.

    \b
      mlbench run quickstart
      mlbench run my.yaml --out runs/first --jobs 4
    """
    from mlbench.executors.local import warm_up

    signal.signal(signal.SIGTERM, _as_interrupt)
    warm_up()  # imports go on in the background while the experiment is read

    from mlbench.cli.prepare import describe_data, prepare
    from mlbench.cli.report import print_report
    from mlbench.plan.outstanding import outstanding
    from mlbench.store import Store

    prepared = prepare(config, data_dirs, out)
    store = Store(prepared.out)
    _refuse_other_experiment(prepared, store)
    scan = _clean_scan(prepared, store)
    left = outstanding(prepared.plan.cells, scan.rows, retry_failed)
    _write_plan(prepared, store)
    _warn_of_other_environment(scan)
    if not quiet:
        describe_data(prepared)
        total = len({cell.key for cell in prepared.plan.cells})
        click.echo(
            f"{prepared.plan.experiment.name}: {total} cells, {total - len(left)} done, "
            f"{len(left)} to run with {jobs} workers, into {prepared.out}",
            err=True,
        )
    if left:
        _execute(prepared, left, scan, data_dirs, jobs, quiet)
    failed = print_report(prepared.out, "text")
    sys.exit(1 if failed else 0)


def _refuse_other_experiment(prepared: Prepared, store: Store) -> None:
    from mlbench.errors import StoreError

    if not store.has_plan():
        return
    try:
        plan = store.read_plan()
    except StoreError as error:
        click.echo(f"warning: {error}", err=True)
        return
    name = plan["experiment"]["name"]
    if name != prepared.plan.experiment.name:
        raise StoreError(
            f"{prepared.out}: holds the results of the experiment {name!r}, not of "
            f"{prepared.plan.experiment.name!r}; choose another folder with --out"
        )
    there = {(dataset, method) for dataset, method, *_ in plan["cells"]}
    if not there & {(cell.dataset, cell.method) for cell in prepared.plan.cells}:
        click.echo(
            f"note: {prepared.out} holds an experiment of the same name with other data sets or "
            "methods; its rows are kept, and shown again when it is run again",
            err=True,
        )


def _clean_scan(prepared: Prepared, store: Store) -> Scan:
    """Read the rows that count, and move damaged files out of the way."""
    scan = store.scan({cell.key for cell in prepared.plan.cells})
    for path, problem in scan.damaged.items():
        target = store.set_aside(path)
        click.echo(
            f"warning: {path}: damaged: {problem}; set aside as {target}, its cell runs again",
            err=True,
        )
    return scan


def _write_plan(prepared: Prepared, store: Store) -> None:
    from mlbench.errors import StoreError

    try:
        store.write_plan(prepared.plan.as_plain(), prepared.loaded.source.text)
        store.remove_stale_files()
    except OSError as error:
        raise StoreError(
            f"{prepared.out}: cannot be written: {error.strerror or error}; "
            "make room, or choose another folder with --out"
        ) from None


def _warn_of_other_environment(scan: Scan) -> None:
    from mlbench.executors.environment import environment

    now = environment()
    drift = {
        f"{name} {row['environment'].get(name)} -> {now[name]}"
        for row in scan.rows.values()
        for name in now
        if row["environment"].get(name) != now[name]
    }
    if drift:
        click.echo(
            "warning: some rows were computed elsewhere, last digits may differ: "
            + "; ".join(sorted(drift)),
            err=True,
        )


def _execute(
    prepared: Prepared,
    left: list[Cell],
    scan: Scan,
    data_dirs: tuple[Path, ...],
    jobs: int,
    quiet: bool,
) -> None:
    from mlbench.cli.progress import RunProgress
    from mlbench.executors.events import Executor, Started, Unstored
    from mlbench.executors.local import LocalExecutor
    from mlbench.plan.cost import CostModel
    from mlbench.store.running import RunningNote

    costs = CostModel(prepared.plan.facts)
    costs.learn(prepared.plan.cells, scan.rows)
    threads = prepared.plan.experiment.threads
    executor: Executor = LocalExecutor(prepared.out, data_dirs, jobs, threads)
    events = executor.run(costs.longest_first(left))
    with RunProgress(left, costs, jobs, quiet) as progress, RunningNote(prepared.out) as note:
        try:
            for event in events:
                progress.show(event)
                if isinstance(event, Started):
                    note.start(event.cell.name)
                else:
                    note.end(event.cell.name)
                if isinstance(event, Unstored):
                    _stop_unstored(event, progress.done, prepared.out)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            events.close()
            click.echo(
                f"\nstopped: {progress.done} of {len(left)} cells were finished and are kept in "
                f"{prepared.out}; the same command goes on from there",
                err=True,
            )
            sys.exit(130)


def _stop_unstored(event: Unstored, done: int, out: Path) -> None:
    click.echo(
        f"error: a row could not be written: {event.message}\n"
        f"{done} cells were finished and are kept in {out}; make room, then the same command "
        "goes on from there",
        err=True,
    )
    sys.exit(1)


def _as_interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt
