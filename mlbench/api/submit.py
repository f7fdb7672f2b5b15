"""Submit an experiment to SLURM."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mlbench.api.experiment import Experiment, load_any
from mlbench.api.prepare import Prepared, prepare
from mlbench.api.run import OneOrMore, OneOrMorePaths, several
from mlbench.api.run_cells import Tell, refuse_other_experiment, unwritable
from mlbench.api.shared_plan import SharedPlan
from mlbench.errors import MlbenchError
from mlbench.executors import slurm, slurm_limits
from mlbench.number_text import duration
from mlbench.plan.cells import Cell
from mlbench.plan.pending import outstanding
from mlbench.plan.shards import shard_of_each
from mlbench.registry.import_policy import allow_imports, imports_allowed
from mlbench.store import Store
from mlbench.store.paths import inside

MAX_TASKS = 10_000

_SHORT = 600.0
"""Of tasks with less time, much goes into stops and waiting."""


@dataclass(frozen=True)
class Submission:
    """Job arrays for the missing cells of an experiment."""

    arrays: Sequence[slurm.JobArray]
    """One, or several where SLURM allows no array of so many tasks; none if no cell is missing."""
    n_cells: int
    """Cells that are missing."""
    n_failed: int = 0
    """Cells that have failed and are not missing."""
    jobs: Sequence[str] = ()
    """The job IDs; none if nothing was submitted."""

    @property
    def scripts(self) -> list[str]:
        """The batch script of each array."""
        return [array.script() for array in self.arrays]


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
    at_once: int | None = None
    """The most tasks that run at a time."""
    setup: Sequence[str] = ()
    """Lines of shell that each task runs first."""
    max_array_size: int | None = None
    """SLURM's limit of task numbers; by default it is asked."""

    def __post_init__(self) -> None:
        """Refuse numbers that SLURM would not take."""
        for name, least in (("tasks", 1), ("cpus", 1), ("at_once", 1), ("max_array_size", 2)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise MlbenchError(f"{name} is {value!r}; it must be a whole number from {least}")
        if self.tasks > MAX_TASKS:
            raise MlbenchError(f"tasks is {self.tasks}; at most {MAX_TASKS} are allowed")


def submit(
    experiment: str | Path | Mapping[str, object] | Experiment,
    *,
    out: str | Path | None = None,
    tasks: int = 8,
    cpus: int = 1,
    time: str | None = None,
    memory: str | None = None,
    partition: str | None = None,
    extra: OneOrMore = (),
    at_once: int | None = None,
    setup: OneOrMore = (),
    max_array_size: int | None = None,
    data: OneOrMorePaths = (),
    settings: OneOrMore = (),
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
        Limits per task: ``"4 h"``, ``"8 GB"``, or as SLURM writes them: ``"2-12:00:00"``,
        ``"8G"``.
    partition : str, optional
    extra : str or sequence of str
        Other options of sbatch: ``"--account=lab"``.
    at_once : int, optional
        The most tasks that run at a time.
    setup : str or sequence of str
        Lines of shell that each task runs first: ``"module load gcc"``.
    max_array_size : int, optional
        SLURM's MaxArraySize, by default that of this machine's SLURM; more tasks become several
        arrays.
    dry_run : bool
        Submit nothing; the result has the scripts.
    force : bool
        Submit even if tasks for the same folder are queued.

    Raises
    ------
    MlbenchError
        If the experiment, its data or the folder is not as it should be, or SLURM refuses.
    """
    if allow_import:
        allow_imports()
    folders, folder = [Path(each) for each in several(data)], None if out is None else Path(out)
    loaded = load_any(experiment, folder, several(settings), folders, quick)
    prepared = prepare(loaded, folders, folder)
    try:
        seconds = None if time is None else slurm_limits.slurm_seconds(time)
        megabytes = None if memory is None else slurm_limits.slurm_megabytes(memory)
    except ValueError as error:
        raise MlbenchError(str(error)) from None
    resources = Resources(
        tasks,
        cpus,
        seconds,
        megabytes,
        partition,
        several(extra),
        at_once,
        several(setup),
        max_array_size,
    )
    planned = plan_submission(
        prepared, resources, folders, lambda text: print(text, file=sys.stderr)
    )
    return planned if dry_run else submit_planned(prepared, planned, force)


def plan_submission(
    prepared: Prepared, resources: Resources, data_dirs: Sequence[Path], tell: Tell
) -> Submission:
    """Return the arrays for the missing cells, and write the plan that their tasks share.

    Raises
    ------
    StoreError
        If the folder holds something else, or cannot be written.
    """
    plan, folder = prepared.plan, prepared.out.resolve()
    store = Store(folder)
    refuse_other_experiment(prepared, store, tell)
    scan = store.summaries(cell.key for cell in plan.cells)
    for file, problem in scan.damaged.items():
        tell(f"warning: {file}: damaged: {problem}; its rows count as missing")
    rows = scan.rows
    left = {cell.key for cell in outstanding(plan.cells, rows, store.kept_predictions())}
    n_failed = sum(not row.is_ok for key, row in rows.items() if key not in left)
    if not left:
        return Submission((), 0, n_failed)
    missing = [cell for cell in plan.cells if cell.key in left]
    _warn_of_memory(missing, resources, tell)
    _warn_of_time(missing, resources, tell)
    shards = shard_of_each(plan.cells, resources.tasks, plan.facts)
    path, text = prepared.loaded.source.path, prepared.loaded.source.text
    if not path.is_file():  # made in Python: the folder's copy is the experiment
        path, text = folder / "experiment.yaml", prepared.relocated_text(folder)
    try:
        shared = SharedPlan.of(plan, text, path.resolve()).write(inside(folder, "slurm"))
    except OSError as error:
        raise unwritable(prepared.out, error) from None
    words = ["--plan", str(shared)]
    words += [word for each in data_dirs for word in ("--data", str(each.resolve()))]
    words += ["--allow-import"] if imports_allowed() else []
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
        at_once=resources.at_once,
        setup=resources.setup,
    )
    arrays = array.in_parts(resources.max_array_size or slurm.max_array_size())
    return Submission(arrays, len(left), n_failed)


def _warn_of_memory(cells: Sequence[Cell], resources: Resources, tell: Tell) -> None:
    """Warn where cells may take more than a task has: SLURM ends the task, and nothing says why."""
    allowed = max((cell.limits.memory or 0.0 for cell in cells), default=0.0) * resources.cpus
    if resources.megabytes and allowed > resources.megabytes:
        workers = f"{resources.cpus} workers with " if resources.cpus > 1 else ""
        tell(
            f"warning: a task has {resources.megabytes:.0f} MB, and {workers}limits.memory may "
            f"take {allowed:.0f} MB: SLURM ends a task that takes more than it has, with all its "
            "cells; ask for more memory, or lower limits.memory"
        )


def _warn_of_time(cells: Sequence[Cell], resources: Resources, tell: Tell) -> None:
    """Warn of a time so short that much of it is lost, or that a cell may take longer than."""
    if resources.seconds and resources.seconds < _SHORT:
        tell(
            f"warning: a task has {duration(resources.seconds)}: if its cells take longer, it "
            "stops before its limit, and SLURM holds it back for about two minutes before it goes "
            f"on; ask for {duration(_SHORT)} or more"
        )
    longest = max((cell.limits.time or 0.0 for cell in cells), default=0.0)
    if resources.seconds and longest > resources.seconds:
        tell(
            f"warning: a task has {duration(resources.seconds)}, and limits.time lets a cell take "
            f"{duration(longest)}: a cell that is longer than its task never finishes; ask for "
            "more time, or lower limits.time"
        )


def submit_planned(prepared: Prepared, planned: Submission, force: bool = False) -> Submission:
    """Write the plan into the results folder, and submit the arrays.

    Where SLURM takes none of them, the folder has the plan that it had.

    Raises
    ------
    MlbenchError
        If tasks for the folder are queued and `force` is false, or SLURM refuses.
    """
    store = Store(prepared.out.resolve())
    if planned.arrays and not force:
        refuse_second(prepared)
    try:
        with store.plan_as_before_on_error():
            prepared.write_plan(store)
            jobs = slurm.submit(planned.arrays) if planned.arrays else ()
    except slurm.NotAllSubmittedError:
        prepared.write_plan(store)
        raise
    except OSError as error:
        raise unwritable(prepared.out, error) from None
    return replace(planned, jobs=jobs)


def refuse_second(prepared: Prepared) -> None:
    """Refuse to submit while tasks for the folder are queued, or may be.

    Raises
    ------
    MlbenchError
        It names their jobs.
    """
    arrays = slurm.queued_arrays(prepared.out.resolve())
    if arrays is None:
        slurm.require_sbatch()
        raise MlbenchError(
            f"{prepared.out}: {slurm.why_unknown()}, and a second submission would run the same "
            "cells. Try again later, or force the submission (--force)"
        )
    if queued := [array.job for array in arrays]:
        jobs, are = ("job", "is") if len(queued) == 1 else ("jobs", "are")
        raise MlbenchError(
            f"{jobs} {', '.join(queued)} for {prepared.out} {are} in the queue; a second "
            f"submission would run the same cells. Wait, cancel (scancel {' '.join(queued)}), run "
            "a single task that has failed again (scontrol requeue JOB_TASK), or force the "
            "submission (--force)"
        )
