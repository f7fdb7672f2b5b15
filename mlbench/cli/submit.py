"""``mlbench submit``."""

from __future__ import annotations

from pathlib import Path

import click

from mlbench.cli.prepare import takes_experiment


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
@click.option(
    "--jobs",
    "-j",
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
    jobs: int,
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
      mlbench submit my.yaml --jobs 16 --time "4 h" --mem "8 GB" --dry-run
      mlbench submit my.yaml --jobs 16 --time "4 h" --mem "8 GB" --extra=--account=lab
      mlbench status runs/my
    """
    from mlbench.api.run_cells import refuse_other_experiment
    from mlbench.cli.prepare import prepare
    from mlbench.errors import MlbenchError
    from mlbench.executors.slurm import JobArray, queued_arrays, run_command
    from mlbench.executors.slurm import submit as submit_array
    from mlbench.plan.pending import outstanding
    from mlbench.plan.shards import shard_of_each
    from mlbench.registry.import_policy import imports_allowed
    from mlbench.report.numbers import counted
    from mlbench.store import Store

    prepared = prepare(config, data_dirs, out, settings, quick)
    plan, folder = prepared.plan, prepared.out.resolve()
    store = Store(folder)
    refuse_other_experiment(prepared, store, lambda words: click.echo(words, err=True))
    rows = store.summaries(cell.key for cell in plan.cells).rows
    left = {cell.key for cell in outstanding(plan.cells, rows, store.kept_predictions())}
    shards = shard_of_each(plan.cells, jobs, plan.facts)
    tasks = sorted({shards[key] for key in left})
    if not tasks:
        click.echo(f"nothing is missing in {prepared.out}: mlbench report {prepared.out}")
        return
    words = [word for path in data_dirs for word in ("--data", str(path.resolve()))]
    words += [word for setting in settings for word in ("--set", setting)]
    words += ["--quick"] if quick else []
    words += ["--allow-import"] if imports_allowed() else []
    array = JobArray(
        name=plan.experiment.name,
        command=run_command(prepared.loaded.source.path.resolve(), folder, cpus, words),
        folder=Path.cwd(),
        out=folder,
        parts=jobs,
        tasks=tasks,
        cpus=cpus,
        seconds=limit,
        megabytes=mem,
        partition=partition,
        extra=extra,
    )
    click.echo(array.script())
    if dry_run:
        return
    if (queued := queued_arrays(folder)) and not force:
        job = queued[0].job
        raise MlbenchError(
            f"job {job} for {prepared.out} is in the queue; a second job would run the same cells. "
            f"Wait for it, cancel it (scancel {job}), or submit with --force"
        )
    store.write_plan(plan.as_plain(), prepared.loaded.source.text, prepared.published_text)
    job = submit_array(array)
    click.echo(
        f"submitted {counted(len(left), 'cell')} in {counted(len(tasks), 'task')} as job {job}\n"
        f"watch: mlbench status {prepared.out}, squeue --job {job}, {folder}/slurm/{job}_*.log\n"
        f"cancel: scancel {job}",
        err=True,
    )
