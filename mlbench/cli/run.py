"""``mlbench run``."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import takes_experiment

if TYPE_CHECKING:
    from mlbench.cli.prepare import Prepared
    from mlbench.executors.events import Executor, WriteFailed
    from mlbench.plan import Cell
    from mlbench.plan.shards import Shard
    from mlbench.store import Scan, Store

STOPPED_ON_REQUEST = 75
"""Exit code of a run that SIGUSR1 stopped with cells left to run."""


@click.command()
@takes_experiment
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=lambda: len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1,
    show_default="all cores",
    help="Worker processes. The results do not depend on their number.",
)
@click.option(
    "--executor",
    "kind",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Where cells run: in worker processes here, or on the workers of a Dask cluster.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Address of a running Dask scheduler: tcp://host:8786. [default: start a local cluster "
    "of --jobs workers]",
)
@click.option(
    "--shard",
    "shard_text",
    metavar="I/N",
    help="Run part I of N. Parts may share a results folder, or be merged (mlbench merge).",
)
@click.option(
    "--grace-period",
    type=click.FloatRange(min=0),
    default=90,
    show_default=True,
    metavar="SECONDS",
    help="After SIGUSR1, no new cell starts; running cells get this long to finish.",
)
@click.option("--retry-failed", is_flag=True, help="Run all failed cells again.")
@click.option(
    "--redo-drifted",
    is_flag=True,
    help="Run cells again whose method has other code, or another version, than when they ran.",
)
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, only failures and the tables.")
def run(
    config: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    settings: tuple[str, ...],
    jobs: int,
    kind: str,
    scheduler: str | None,
    shard_text: str | None,
    grace_period: float,
    retry_failed: bool,
    redo_drifted: bool,
    quiet: bool,
) -> None:
    """Run the missing cells of an experiment, then print its tables.

    CONFIG is an experiment file, or the name of a bundled one (quickstart). Finished cells are
    kept: the same command resumes where it stopped.

    \b
      mlbench run quickstart
      mlbench run my.yaml --out runs/first --jobs 4
      mlbench run my.yaml --set protocol.splits.repeats=3 --set protocol.tuning.folds=3
      mlbench run my.yaml --shard 3/16
      mlbench run my.yaml --executor dask --scheduler tcp://host:8786
    """
    from mlbench.executors.local import start_fork_server

    signal.signal(signal.SIGTERM, _as_interrupt)
    if kind == "local":
        start_fork_server()  # imports happen in the background while the experiment is read

    from mlbench.cli.prepare import describe_data, describe_memory, prepare
    from mlbench.cli.report import print_tables
    from mlbench.cli.results import warn_of_damage
    from mlbench.plan.pending import outstanding
    from mlbench.plan.shards import Shard, cells_of_shard
    from mlbench.report.folder import ResultsFolder
    from mlbench.report.numbers import counted
    from mlbench.report.plan import StoredPlan
    from mlbench.store import Scan, Store

    if scheduler and kind != "dask":
        raise click.UsageError("--scheduler is for Dask: add --executor dask")
    shard = Shard.parse(shard_text) if shard_text else Shard(1, 1)
    prepared = prepare(config, data_dirs, out, settings)
    cells = cells_of_shard(prepared.plan.cells, shard, prepared.plan.facts)
    store = Store(prepared.out)
    _refuse_other_experiment(prepared, store)
    scan = _clean_scan(prepared, store)
    left = outstanding(cells, scan.rows, store.kept_predictions(), retry_failed, redo_drifted)
    _write_plan(prepared, store)
    _warn_of_other_environment(scan)
    if not redo_drifted:
        _warn_of_drift(cells, scan)
    if not quiet:
        describe_data(prepared)
        describe_memory(prepared)
        total = len({cell.key for cell in cells})
        part = f" (shard {shard})" if shard.count > 1 else ""
        click.echo(
            f"{prepared.plan.experiment.name}{part}: {counted(total, 'cell')}, "
            f"{total - len(left)} done, {len(left)} to run "
            f"{_where(jobs, kind, scheduler)}, into {prepared.out}",
            err=True,
        )
    if left:
        executor = _executor(prepared, data_dirs, jobs, kind, scheduler)
        _execute(executor, prepared, left, scan, jobs, grace_period, quiet)
        new = store.scan({cell.key for cell in left})
        scan = Scan({**scan.rows, **new.rows}, new.damaged)
        warn_of_damage(scan.damaged)
    if shard.count > 1:
        sys.exit(_end_of_shard(scan, cells, shard, prepared.out))
    folder = ResultsFolder.of(prepared.out, StoredPlan.read(store), scan)
    bad = print_tables(folder, "text", ())
    if not quiet:
        click.echo(f"Full report: mlbench report {prepared.out} --html", err=True)
    sys.exit(1 if bad else 0)


def _end_of_shard(scan: Scan, cells: list[Cell], shard: Shard, out: Path) -> int:
    """Report on the cells of a shard, and return the exit code."""
    from mlbench.report.numbers import counted

    keys = {cell.key for cell in cells}
    ok = sum(scan.rows[key].is_ok for key in keys if key in scan.rows)
    bad = len(keys) - ok
    tail = f", {bad} failed or missing: see mlbench status {out}" if bad else ""
    click.echo(f"shard {shard}: {counted(ok, 'cell')} ok{tail}")
    return 1 if bad else 0


def _refuse_other_experiment(prepared: Prepared, store: Store) -> None:
    from mlbench.errors import StoreError
    from mlbench.report.plan import StoredPlan

    store.check_writable()
    if not store.has_plan():
        return
    try:
        plan = StoredPlan.read(store)
    except StoreError as error:
        click.echo(f"warning: {error}", err=True)
        return
    name = plan.experiment.name
    if name != prepared.plan.experiment.name:
        raise StoreError(
            f"{prepared.out}: holds the results of the experiment {name!r}, not of "
            f"{prepared.plan.experiment.name!r}; choose another folder with --out"
        )
    there = {(cell.dataset, cell.method) for cell in plan.cells}
    if not there & {(cell.dataset, cell.method) for cell in prepared.plan.cells}:
        click.echo(
            f"note: {prepared.out} holds an experiment of the same name with other data sets or "
            "methods; its rows are kept, and count again when that experiment is run again",
            err=True,
        )


def _clean_scan(prepared: Prepared, store: Store) -> Scan:
    """Read the rows that count, and move damaged files out of the way."""
    scan = store.scan({cell.key for cell in prepared.plan.cells})
    for path, problem in scan.damaged.items():
        target = store.set_aside(path)
        click.echo(
            f"warning: {path}: damaged: {problem}; set aside as {target}, what is lost runs again",
            err=True,
        )
    return scan


def _write_plan(prepared: Prepared, store: Store) -> None:
    from mlbench.errors import StoreError
    from mlbench.store.filesystem_check import doubts

    try:
        store.write_plan(prepared.plan.as_plain(), prepared.loaded.source.text)
        store.remove_stale_files()
        for doubt in doubts(store.root):
            click.echo(f"warning: {store.root} may not survive a crash: {doubt}", err=True)
    except OSError as error:
        raise StoreError(
            f"{prepared.out}: cannot be written: {error.strerror or error}; "
            "make room, or choose another folder with --out"
        ) from None


def _warn_of_other_environment(scan: Scan) -> None:
    from mlbench.executors.environment import environment
    from mlbench.library_versions import LIBRARIES
    from mlbench.plan.pending import drift

    now = environment()
    changes = {
        change for row in scan.rows.values() for change in drift(row.environment, now).items()
    }
    if changes:
        words = "; ".join(sorted(f"{name} {then} -> {new}" for name, (then, new) in changes))
        again = "; --redo-drifted runs rows of other libraries again"
        click.echo(
            f"warning: some rows were computed elsewhere, last digits may differ: {words}"
            + (again if {*LIBRARIES} & {name for name, _ in changes} else ""),
            err=True,
        )


def _warn_of_drift(cells: list[Cell], scan: Scan) -> None:
    from mlbench.plan.pending import drift
    from mlbench.report.numbers import counted

    drifted: dict[str, set[str]] = {}
    for cell in cells:
        row = scan.rows.get(cell.key)
        if row is not None and drift(row.code, cell.code):
            drifted.setdefault(cell.method, set()).add(cell.key)
    for method, keys in drifted.items():
        click.echo(
            f"warning: {counted(len(keys), 'row')} of {method} were computed by different code "
            "of the same revision; --redo-drifted runs them again",
            err=True,
        )


def _where(jobs: int, kind: str, scheduler: str | None) -> str:
    """Say where the cells run."""
    if scheduler is not None:
        return f"on the Dask cluster of {scheduler}"
    from mlbench.report.numbers import counted

    return f"with {counted(jobs, 'Dask worker' if kind == 'dask' else 'worker')}"


def _executor(
    prepared: Prepared,
    data_dirs: tuple[Path, ...],
    jobs: int,
    kind: str,
    scheduler: str | None,
) -> Executor:
    threads = prepared.plan.experiment.threads
    if kind == "dask":
        from mlbench.executors.dask.executor import DaskExecutor

        def notice(words: str) -> None:
            click.echo(words, err=True)

        return DaskExecutor(prepared.out, data_dirs, jobs, threads, scheduler, notice)
    from mlbench.executors.local import LocalExecutor

    return LocalExecutor(prepared.out, data_dirs, jobs, threads)


def _execute(
    executor: Executor,
    prepared: Prepared,
    left: list[Cell],
    scan: Scan,
    jobs: int,
    grace_period: float,
    quiet: bool,
) -> None:
    from mlbench.cli.progress import RunProgress
    from mlbench.executors.events import Started, WriteFailed
    from mlbench.plan.cost import CostModel
    from mlbench.store.active_runs import RunningNote

    costs = CostModel(prepared.plan.facts)
    costs.learn(prepared.plan.cells, scan.rows)
    if hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, lambda *_: executor.start_grace_period(grace_period))
    events = executor.run(costs.in_order(left))
    interrupted = False
    with RunProgress(left, costs, jobs, quiet) as progress, RunningNote(prepared.out) as note:
        try:
            for event in events:
                progress.show(event)
                if isinstance(event, Started):
                    note.start(event.cell.name)
                else:
                    note.end(event.cell.name)
                if isinstance(event, WriteFailed):
                    _stop_after_write_failure(event, progress.done, prepared.out)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            events.close()
            interrupted = True
    if interrupted:
        click.echo(
            f"\nstopped: {progress.done} of {len(left)} cells were finished and are kept in "
            f"{prepared.out}; the same command resumes from there",
            err=True,
        )
        sys.exit(130)
    if progress.done < len(left):
        click.echo(
            f"stopped on request: {progress.done} of {len(left)} cells were finished and are kept "
            f"in {prepared.out}; the same command resumes from there",
            err=True,
        )
        sys.exit(STOPPED_ON_REQUEST)


def _stop_after_write_failure(event: WriteFailed, done: int, out: Path) -> None:
    click.echo(
        f"error: a row could not be written: {event.message}\n"
        f"{done} cells were finished and are kept in {out}; make room, then the same command "
        "resumes from there",
        err=True,
    )
    sys.exit(1)


def _as_interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt
