"""``mlbench submit``."""

from __future__ import annotations

from pathlib import Path

import click

from mlbench.cli.prepare import from_option, takes_experiment


def _quantity(_: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read a time, or an amount of memory, as experiments write it."""
    from mlbench.config import quantities

    convert = quantities.seconds if param.name == "limit" else quantities.megabytes
    try:
        return None if value is None else convert(value)
    except ValueError as error:
        raise click.BadParameter(str(error), param=param) from None


@click.command()
@takes_experiment
@from_option
@click.option(
    "--tasks",
    type=click.IntRange(1, 10_000),
    default=8,
    show_default=True,
    help="Tasks of the array, which share the cells.",
)
@click.option(
    "--cpus", type=click.IntRange(min=1), default=1, show_default=True, help="Workers per task."
)
@click.option("--time", "limit", callback=_quantity, metavar='"4 h"', help="Time limit per task.")
@click.option("--mem", callback=_quantity, metavar='"8 GB"', help="Memory per task.")
@click.option("--partition", help="SLURM partition.")
@click.option(
    "--extra", multiple=True, metavar="OPTION", help="Another option of sbatch: --account=lab."
)
@click.option("--dry-run", is_flag=True, help="Print the script and submit nothing.")
@click.option("--force", is_flag=True, help="Submit even if tasks for the same folder are queued.")
def submit(
    config: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    settings: tuple[str, ...],
    quick: bool,
    exports: tuple[Path, ...],
    tasks: int,
    cpus: int,
    limit: float | None,
    mem: float | None,
    partition: str | None,
    extra: tuple[str, ...],
    dry_run: bool,
    force: bool,
) -> None:
    """Submit an experiment to SLURM as a job array on one results folder.

    The folder must be on a disk that all nodes share. Only shards with missing cells become
    tasks, so the same command after a failure submits the rest. A task close to its time
    limit stops cleanly and is queued again.

    \b
      mlbench submit my.yaml --tasks 16 --time "4 h" --mem "8 GB" --dry-run
      mlbench submit my.yaml --tasks 16 --time "4 h" --mem "8 GB" --extra=--account=lab
      mlbench status runs/my
    """
    from mlbench.api.submit import Resources, options_of_run, plan_submission, submit_planned
    from mlbench.cli.prepare import prepare_experiment
    from mlbench.number_text import counted

    prepared = prepare_experiment(config, data_dirs, out, settings, quick, exports)
    planned = plan_submission(
        prepared,
        Resources(tasks, cpus, limit, mem, partition, extra),
        options_of_run(data_dirs, settings, quick),
        lambda words: click.echo(words, err=True),
    )
    if not planned.array.tasks:
        click.echo(f"nothing is missing in {prepared.out}: mlbench report {prepared.out}")
        return
    click.echo(planned.script)
    if dry_run:
        return
    job = submit_planned(prepared, planned, force).job
    n_tasks, logs = len(planned.array.tasks), prepared.out.resolve() / "slurm"
    click.echo(
        f"submitted {counted(planned.n_cells, 'cell')} in {counted(n_tasks, 'task')} as job {job}\n"
        f"watch: mlbench status {prepared.out}, squeue --job {job}, {logs}/{job}_*.log\n"
        f"cancel: scancel {job}",
        err=True,
    )
