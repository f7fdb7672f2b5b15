"""Submit an experiment to SLURM."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.api.experiment import Experiment, load_any
from mlbench.api.prepare import Prepared, prepare
from mlbench.api.run_cells import Tell, refuse_other_experiment
from mlbench.config import quantities
from mlbench.errors import MlbenchError
from mlbench.executors import slurm
from mlbench.plan.pending import outstanding
from mlbench.plan.shards import shard_of_each
from mlbench.registry.import_policy import allow_imports, imports_allowed
from mlbench.store import Store


@dataclass(frozen=True)
class Submission:
    """A job array for the missing cells of an experiment."""

    array: slurm.JobArray
    n_cells: int
    """Cells that are missing."""
    job: str | None = None
    """The job ID; None if nothing was submitted."""

    @property
    def script(self) -> str:
        """The batch script."""
        return self.array.script()


@dataclass(frozen=True)
class Resources:
    """What a job array asks SLURM for."""

    tasks: int = 8
    """Tasks of the array, which share the cells."""
    cpus: int = 1
    """Workers per task."""
    seconds: float | None = None
    megabytes: float | None = None
    """Limits per task."""
    partition: str | None = None
    extra: Sequence[str] = ()
    """Other options of sbatch."""


def submit(
    experiment: str | Path | Mapping[str, object] | Experiment,
    *,
    out: str | Path | None = None,
    tasks: int = 8,
    cpus: int = 1,
    time: str | None = None,
    memory: str | None = None,
    partition: str | None = None,
    extra: Sequence[str] = (),
    data: Sequence[str | Path] = (),
    settings: Sequence[str] = (),
    quick: bool = False,
    allow_import: bool = False,
    dry_run: bool = False,
    force: bool = False,
) -> Submission:
    """Submit the missing cells of an experiment to SLURM, as a job array on one results folder.

    Parameters
    ----------
    experiment, out, data, settings, quick, allow_import
        As for `mlbench.run`. The folder must be on a disk that all nodes share.
    tasks : int
        Tasks of the array, which share the cells.
    cpus : int
        Workers per task.
    time, memory : str, optional
        Limits per task: ``"4 h"``, ``"8 GB"``.
    partition : str, optional
    extra : sequence of str
        Other options of sbatch: ``"--account=lab"``.
    dry_run : bool
        Submit nothing; the result has the script.
    force : bool
        Submit even if tasks for the same folder are queued.

    Raises
    ------
    MlbenchError
        If the experiment, its data or the folder is not as it should be, or SLURM refuses.
    """
    if allow_import:
        allow_imports()
    folders, folder = [Path(each) for each in data], None if out is None else Path(out)
    loaded = load_any(experiment, folder, settings, folders, quick)
    prepared = prepare(loaded, folders, folder)
    try:
        seconds = None if time is None else quantities.seconds(time)
        megabytes = None if memory is None else quantities.megabytes(memory)
    except ValueError as error:
        raise MlbenchError(str(error)) from None
    resources = Resources(tasks, cpus, seconds, megabytes, partition, extra)
    words = options_of_run(folders, settings, quick)
    planned = plan_submission(prepared, resources, words, lambda text: print(text, file=sys.stderr))
    return planned if dry_run else submit_planned(prepared, planned, force)


def options_of_run(
    data_dirs: Sequence[Path], settings: Sequence[str], quick: bool = False
) -> list[str]:
    """Return the options of ``mlbench run`` for the tasks of the array."""
    words = [word for path in data_dirs for word in ("--data", str(path.resolve()))]
    words += [word for setting in settings for word in ("--set", setting)]
    return [*words, "--quick"] if quick else words


def plan_submission(
    prepared: Prepared, resources: Resources, options: Sequence[str], tell: Tell
) -> Submission:
    """Return the array for the missing cells; it has no tasks if none are missing.

    Raises
    ------
    StoreError
        If the folder holds something else, or cannot be written.
    """
    plan, folder = prepared.plan, prepared.out.resolve()
    store = Store(folder)
    refuse_other_experiment(prepared, store, tell)
    rows = store.summaries(cell.key for cell in plan.cells).rows
    left = {cell.key for cell in outstanding(plan.cells, rows, store.kept_predictions())}
    shards = shard_of_each(plan.cells, resources.tasks, plan.facts)
    path = prepared.loaded.source.path
    if not path.is_file():  # made in Python: the folder's copy is the experiment
        path, options = folder / "experiment.yaml", []
    words = [*options, *(["--allow-import"] if imports_allowed() else [])]
    array = slurm.JobArray(
        name=plan.experiment.name,
        command=slurm.run_command(path.resolve(), folder, resources.cpus, words),
        folder=Path.cwd(),
        out=folder,
        parts=resources.tasks,
        tasks=sorted({shards[key] for key in left}),
        cpus=resources.cpus,
        seconds=resources.seconds,
        megabytes=resources.megabytes,
        partition=resources.partition,
        extra=resources.extra,
    )
    return Submission(array, len(left))


def submit_planned(prepared: Prepared, planned: Submission, force: bool = False) -> Submission:
    """Write the plan into the results folder, and submit the array.

    Raises
    ------
    MlbenchError
        If tasks for the folder are queued and `force` is false, or SLURM refuses.
    """
    folder = planned.array.out
    if not planned.array.tasks:
        return planned
    if (queued := slurm.queued_arrays(folder)) and not force:
        job = queued[0].job
        raise MlbenchError(
            f"job {job} for {prepared.out} is in the queue; a second job would run the same cells. "
            f"Wait for it, cancel it (scancel {job}), or force the submission"
        )
    prepared.write_plan(Store(folder))
    return Submission(planned.array, planned.n_cells, slurm.submit(planned.array))
