"""``mlbench run``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.number_types import Number, WholeNumber
from mlbench.cli.prepare import end_by_sigterm, from_option, part_options, takes_experiment
from mlbench.resources import n_cores

if TYPE_CHECKING:
    from mlbench.plan import Cell
    from mlbench.plan.shards import Shard
    from mlbench.store import Row, Scan

STOPPED_ON_REQUEST = 75
"""Exit code of a run that SIGUSR1 stopped with cells left to run."""


@click.command()
@takes_experiment
@click.option(
    "--jobs",
    "-j",
    type=WholeNumber(min=1),
    default=n_cores,
    show_default="all cores",
    help="Worker processes. Scores do not depend on their number.",
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
@part_options("Run")
@click.option(
    "--plan",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Take the experiment, and what is to be known of its data, from a plan of `mlbench "
    "submit`. What changed since is an error.",
)
@click.option(
    "--grace-period",
    type=Number(min=0),
    default=90,
    show_default=True,
    metavar="SECONDS",
    help="After SIGUSR1, no new cell starts; running cells get this long to finish.",
)
@from_option
@click.option(
    "--verify-base",
    "verified",
    type=WholeNumber(min=1),
    metavar="N",
    help="First run N cells of the base here, the cheapest of each method in turn, and say whether "
    "they come out the same.",
)
@click.option("--retry-failed", is_flag=True, help="Run all failed cells again.")
@click.option(
    "--rerun-changed",
    is_flag=True,
    help="Run cells again whose method has other code, or another version, than when they ran.",
)
@click.option(
    "--quiet", "-q", is_flag=True, help="Show no progress, only warnings, failures and the tables."
)
def run(
    config: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    settings: tuple[str, ...],
    quick: bool,
    jobs: int,
    kind: str,
    scheduler: str | None,
    shard_text: str | None,
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    plan: Path | None,
    grace_period: float,
    exports: tuple[Path, ...],
    verified: int | None,
    retry_failed: bool,
    rerun_changed: bool,
    quiet: bool,
) -> None:
    """Run the missing cells of an experiment, then print its tables.

    CONFIG is an experiment file, or the name of a bundled one (quickstart). Finished cells are
    kept: the same command resumes where it stopped. --method and --dataset, by names in tables,
    run a part, and the command without them the rest.

    \b
      mlbench run quickstart
      mlbench run my.yaml --out runs/first --jobs 4
      mlbench run my.yaml --set protocol.splits.repeats=3 --set protocol.tuning.folds=3
      mlbench run my.yaml --shard 3/16
      mlbench run my.yaml --method BR --method ECC --dataset emotions
      mlbench run my.yaml --from results/my
      mlbench run my.yaml --executor dask --scheduler tcp://host:8786
    """
    from mlbench.executors.fork_server import start_fork_server

    end_by_sigterm()
    if kind == "local":
        start_fork_server()  # imports happen in the background while the experiment is read

    from mlbench.api.base import agreements
    from mlbench.api.run import make_executor
    from mlbench.api.run_cells import RowNotWrittenError, Run, UnfinishedError
    from mlbench.api.verify_base import verify_base
    from mlbench.cli.prepare import (
        describe,
        prepare_experiment,
    )
    from mlbench.cli.report import print_tables
    from mlbench.cli.results import warn_of_damage
    from mlbench.cli.streams import unguarded
    from mlbench.number_text import counted
    from mlbench.plan.shards import PartOfRun, Shard
    from mlbench.report.selection import Selection

    if scheduler and kind != "dask":
        raise click.UsageError("--scheduler is for Dask: add --executor dask")
    shard = Shard.parse(shard_text) if shard_text else Shard(1, 1)
    wanted = PartOfRun(shard, datasets, methods)
    prepared = prepare_experiment(
        config, data_dirs, out, settings, quick, exports, retry_failed, rerun_changed, plan
    )
    wanted.of(prepared.plan)  # a wrong name is told before anything runs
    if verified is not None:
        if prepared.loaded.base is None:
            raise click.UsageError("--verify-base is for an experiment with a base:")
        for line in verify_base(prepared, data_dirs, verified, jobs):
            _tell(line)
    work = Run.open(prepared, _tell, wanted, retry_failed, rerun_changed)
    if quiet:
        for note in (*prepared.described_data(), *prepared.notes):
            if note.startswith("warning: "):
                _tell(note)
    else:
        describe(prepared)
        total = len({cell.key for cell in work.cells})
        part = f" (shard {shard})" if shard.count > 1 else ""
        parts = [each.origin for each in prepared.taken_over]
        n_taken = sum(each.n_cells for each in parts if not each.is_base)
        taken = f"{n_taken} taken over, " if n_taken else ""
        planned = total + n_taken if wanted.is_whole else total
        click.echo(
            f"{prepared.plan.experiment.name}{part}: {counted(planned, 'cell')}, "
            f"{taken}{total - len(work.left)} done, {len(work.left)} to run "
            f"{_where(jobs, kind, scheduler)}, into {prepared.out}",
            err=True,
        )
    if work.left:
        executor = make_executor(prepared, data_dirs, jobs, kind, scheduler, _tell)
        try:
            count = os.environ.get("SLURM_RESTART_COUNT", "")
            n_restarts = int(count) if count.isdigit() else 0
            work.execute(executor, jobs, quiet, unguarded(sys.stderr), grace_period, n_restarts)
        except UnfinishedError as stop:
            _tell(f"\n{stop}" if stop.by_interrupt else str(stop))
            sys.exit(130 if stop.by_interrupt else STOPPED_ON_REQUEST)
        except RowNotWrittenError as error:
            _tell(f"error: {error}")
            sys.exit(1)
        warn_of_damage(work.scan.damaged)
    if shard_text:
        sys.exit(_end_of_shard(work.scan, work.cells, shard, prepared.out))
    shown = Selection(datasets=datasets, methods=methods)
    bad = print_tables(work.results(), "text", shown, brief=True)
    if not wanted.is_whole:
        bad = _n_bad(work.scan, work.cells)
    for line in agreements(prepared.plan, work.scan.rows, prepared.taken_over):
        click.echo(line, err=True)
    if not quiet:
        click.echo(f"Full report: mlbench report {prepared.out} --html", err=True)
    sys.exit(1 if bad else 0)


def _tell(words: str) -> None:
    click.echo(words, err=True)


def _end_of_shard(scan: Scan[Row], cells: list[Cell], shard: Shard, out: Path) -> int:
    """Report on the cells of a shard, and return the exit code."""
    from mlbench.number_text import counted

    bad = _n_bad(scan, cells)
    keys = {cell.key for cell in cells}
    missing = len(keys - scan.rows.keys())
    counts = {"failed": bad - missing, "missing": missing}
    words = "".join(f", {number} {kind}" for kind, number in counts.items() if number)
    tail = f"{words}: see mlbench status {out}" if bad else ""
    click.echo(f"shard {shard}: {counted(len(keys) - bad, 'cell')} ok{tail}")
    return 1 if bad else 0


def _n_bad(scan: Scan[Row], cells: list[Cell]) -> int:
    """Count the cells without a result."""
    keys = {cell.key for cell in cells}
    return sum(key not in scan.rows or not scan.rows[key].is_ok for key in keys)


def _where(jobs: int, kind: str, scheduler: str | None) -> str:
    """Say where the cells run."""
    if scheduler is not None:
        return f"on the Dask cluster of {scheduler}"
    from mlbench.number_text import counted

    return f"with {counted(jobs, 'Dask worker' if kind == 'dask' else 'worker')}"
