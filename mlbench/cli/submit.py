"""``mlbench submit``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from mlbench.cli.number_types import WholeNumber
from mlbench.cli.prepare import from_option, takes_experiment


def _quantity(_: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read a time, or an amount of memory, as experiments or SLURM write it."""
    from mlbench.executors import slurm_limits

    convert = slurm_limits.slurm_seconds if param.name == "limit" else slurm_limits.slurm_megabytes
    try:
        return None if value is None else convert(value)
    except ValueError as error:
        raise click.BadParameter(str(error), param=param) from None


@click.command()
@takes_experiment
@from_option
@click.option(
    "--tasks",
    type=WholeNumber(1, 10_000),
    default=8,
    show_default=True,
    help="Tasks of the array, which share the cells.",
)
@click.option(
    "--at-once", type=WholeNumber(min=1), metavar="N", help="At most N tasks run at a time."
)
@click.option(
    "--cpus", type=WholeNumber(min=1), default=1, show_default=True, help="Workers per task."
)
@click.option(
    "--time",
    "limit",
    callback=_quantity,
    metavar='"4 h"',
    help="Time limit per task; also as SLURM writes it: 240, 4:00:00, 2-12.",
)
@click.option(
    "--mem",
    callback=_quantity,
    metavar='"8 GB"',
    help="Memory per task; also as SLURM writes it: 8G, 8000M.",
)
@click.option("--partition", help="SLURM partition.")
@click.option(
    "--extra", multiple=True, metavar="OPTION", help="Another option of sbatch: --account=lab."
)
@click.option(
    "--setup",
    multiple=True,
    metavar="LINE",
    help="A line of shell that each task runs first (repeatable): 'module load gcc'.",
)
@click.option(
    "--max-array-size",
    type=WholeNumber(min=2),
    metavar="N",
    help="SLURM's limit of task numbers; more tasks become several arrays. [default: what "
    "`scontrol show config` says, or 1001 without SLURM]",
)
@click.option(
    "--dry-run", is_flag=True, help="Print the scripts, one for each array, and submit nothing."
)
@click.option("--force", is_flag=True, help="Submit even if tasks for the same folder are queued.")
def submit(
    config: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    settings: tuple[str, ...],
    quick: bool,
    exports: tuple[Path, ...],
    tasks: int,
    at_once: int | None,
    cpus: int,
    limit: float | None,
    mem: float | None,
    partition: str | None,
    extra: tuple[str, ...],
    setup: tuple[str, ...],
    max_array_size: int | None,
    dry_run: bool,
    force: bool,
) -> None:
    """Submit an experiment to SLURM as a job array on one results folder.

    The folder must be on a disk that all nodes share. Only shards with missing cells become
    tasks, so the same command after a failure submits the rest. A task close to its time
    limit stops cleanly and is queued again.

    \b
      mlbench submit my.yaml --tasks 16 --time "4 h" --mem "8 GB" --dry-run
      mlbench submit my.yaml --tasks 16 --time 4:00:00 --mem 8G --extra=--account=lab
      mlbench submit my.yaml --tasks 500 --at-once 50 --setup 'module load gcc'
      mlbench status runs/my
    """
    from mlbench.api.submit import (
        Resources,
        plan_submission,
        refuse_second,
        submit_planned,
    )
    from mlbench.cli.prepare import prepare_experiment
    from mlbench.number_text import counted

    prepared = prepare_experiment(config, data_dirs, out, settings, quick, exports)
    planned = plan_submission(
        prepared,
        Resources(tasks, cpus, limit, mem, partition, extra, at_once, setup, max_array_size),
        data_dirs,
        lambda words: click.echo(words, err=True),
    )
    if not planned.arrays:
        out = prepared.out
        if not dry_run:
            submit_planned(prepared, planned)
        elif not (out / "plan.json").exists():
            click.echo(f"nothing would be left to run in {out}; a dry run takes nothing over")
            return
        click.echo(f"nothing is missing in {out}: mlbench report {out}")
        if planned.n_failed:
            click.echo(
                f"{counted(planned.n_failed, 'cell')} failed: see mlbench status {out}; "
                f"`mlbench prune {out} --failed --yes` makes such cells missing"
            )
        return
    if not (dry_run or force):
        refuse_second(prepared)
    n_tasks = sum(len(array.tasks) for array in planned.arrays)
    shared = f"{counted(planned.n_cells, 'cell')} in {counted(n_tasks, 'task')}"
    if dry_run:
        for script in planned.scripts:
            click.echo(script)
        click.echo(f"not submitted: {shared}", err=True)
        if len(planned.arrays) > 1:
            number = len(planned.arrays)
            click.echo(f"these are {number} scripts: give each to sbatch by itself", err=True)
        if at_once and len(planned.arrays) > 1:
            click.echo(
                f"each array runs {counted(at_once, 'task')} at a time: give sbatch "
                "--dependency=afterany:JOB, with the job of the array before, for each but the "
                "first",
                err=True,
            )
        return
    jobs = submit_planned(prepared, planned, force).jobs
    click.echo(planned.scripts[0])
    if more := planned.arrays[1:]:
        parts = ", ".join(f"{array.tasks[0]}-{array.tasks[-1]}" for array in more)
        click.echo(f"and {counted(len(more), 'array')} like this for the shards {parts}", err=True)
    logs = prepared.out.resolve() / "slurm"
    click.echo(
        f"submitted {shared} as "
        f"{'job' if len(jobs) == 1 else 'jobs'} {', '.join(jobs)}\n"
        f"watch: mlbench status {quote(str(prepared.out))}, squeue --job {','.join(jobs)}, "
        f"{', '.join(f'{logs}/{job}_*.log' for job in jobs)}\n"
        f"cancel: scancel {' '.join(jobs)}",
        err=True,
    )
