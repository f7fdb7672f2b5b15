"""Run the missing cells of a prepared experiment."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from mlbench.api.base import moved_numbers
from mlbench.api.compile_ahead import compile_ahead
from mlbench.api.prepare import Prepared
from mlbench.api.progress import RunProgress
from mlbench.environment import LIBRARIES, environment
from mlbench.errors import MlbenchError, StoreError
from mlbench.executors.events import Advanced, Finished, Started, WriteFailed
from mlbench.executors.executor import Executor
from mlbench.executors.slurm import queued_arrays, why_unknown
from mlbench.number_text import counted, listed, were
from mlbench.plan import Cell
from mlbench.plan.cells import without_parameters
from mlbench.plan.cost import CostModel
from mlbench.plan.giving_up import GivingUp
from mlbench.plan.pending import drift, outstanding
from mlbench.plan.shards import PartOfRun
from mlbench.results.plan import StoredPlan
from mlbench.results.results import Results
from mlbench.results.taken_over import read_taken_over, with_taken_over
from mlbench.store import Row, Scan, Store
from mlbench.store.active_runs import RunningNote, runs_at_work
from mlbench.store.filesystem_check import durability_warnings
from mlbench.store.store import TAKEN_OVER

Tell = Callable[[str], None]
"""Takes a warning or a note."""


class UnfinishedError(MlbenchError):
    """A run that was stopped; finished cells are kept.

    Attributes
    ----------
    by_interrupt : bool
        Whether by Ctrl-C, instead of a request to end soon.
    """

    def __init__(self, done: int, cells: int, prepared: Prepared, by_interrupt: bool) -> None:
        what = "stopped" if by_interrupt else "stopped on request"
        is_task = "SLURM_ARRAY_TASK_ID" in os.environ
        who = "the task, if it is queued again," if is_task else "the same command"
        super().__init__(
            f"{what}: {done} of {cells} cells to run were finished; all finished "
            f"cells are kept in {prepared.out}, and {who} resumes from there"
        )
        self.by_interrupt = by_interrupt


class RowNotWrittenError(MlbenchError):
    """A row could not be written, for example because the disk is full."""


@dataclass
class Run:
    """The cells of an experiment, with the finished rows and the cells left to run."""

    prepared: Prepared
    store: Store
    cells: list[Cell]
    """Those of the part to run."""
    scan: Scan[Row]
    left: list[Cell]
    giving_up: GivingUp

    @classmethod
    def open(
        cls,
        prepared: Prepared,
        tell: Tell,
        part: PartOfRun | None = None,
        retry_failed: bool = False,
        rerun_changed: bool = False,
    ) -> Run:
        """Read the rows in the results folder, and write the plan there.

        Parameters
        ----------
        prepared : Prepared
        tell : callable
            Takes warnings: of damaged files, other software, changed code.
        part : Part, optional
            What to run; by default all.
        retry_failed, rerun_changed : bool
            Whether failed cells are left to run, and those whose code changed.

        Raises
        ------
        StoreError
            If the folder holds something else, or cannot be written.
        MlbenchError
            If the part has a name that is not in the experiment.
        """
        cells = (part or PartOfRun()).of(prepared.plan)
        store = Store(prepared.out)
        refuse_other_experiment(prepared, store, tell)
        scan = _clean_scan(prepared, store, tell)
        _set_aside_damaged(store, tell)
        kept, planned = store.kept_predictions(), prepared.plan.cells
        unsettled = {
            cell.key for cell in outstanding(planned, scan.rows, kept, retry_failed, rerun_changed)
        }
        left = [*{cell.key: cell for cell in cells if cell.key in unsettled}.values()]
        _warn_of_another_base(prepared, store, tell)
        _write_plan(prepared, store, tell)
        if failing := without_parameters(cells):
            tell(f"warning: {failing}; such cells fail")
        _warn_of_other_environment(scan, tell)
        if not rerun_changed:
            _warn_of_other_code(cells, scan, tell)
        giving_up = GivingUp(planned, scan.rows, unsettled)
        return cls(prepared, store, cells, scan, left, giving_up)

    @cached_property
    def costs(self) -> CostModel:
        """The cost of a cell, as learned from the rows."""
        costs = CostModel(self.prepared.plan.facts)
        costs.learn(self.prepared.plan.cells, self.scan.rows)
        costs.learn_stale(self.prepared.plan.cells, self.store)
        return costs

    def execute(
        self,
        executor: Executor[Any],
        jobs: int,
        quiet: bool,
        stream: TextIO,
        grace_period: float | None = None,
        n_restarts: int = 0,
    ) -> None:
        """Run the cells that are left, and read their rows.

        Parameters
        ----------
        executor : Executor
        jobs : int
        quiet : bool
            Show only failures.
        stream : file
            Where progress is shown.
        grace_period : float, optional
            From now on, SIGUSR1 starts no more cells and ends those that run after so many seconds.
        n_restarts : int
            How often such a signal has ended this run before: then long cells come last.

        Raises
        ------
        UnfinishedError
            If the run was interrupted, or asked to end.
        RowNotWrittenError
        """
        if not self.left:
            return
        in_main_thread = threading.current_thread() is threading.main_thread()
        if grace_period is not None and hasattr(signal, "SIGUSR1"):
            seconds = grace_period
            signal.signal(signal.SIGUSR1, lambda *_: executor.start_grace_period(seconds))
        executor.giving_up, executor.known = self.giving_up, self.scan.rows
        in_order = self.costs.in_order(self.left)
        if n_restarts:
            in_order = self.costs.shortest_first(self.left, n_restarts)
        events = executor.run(in_order)
        interrupted = is_noted = False
        with (
            RunProgress(self.left, self.costs, jobs, quiet, stream) as progress,
            RunningNote(self.prepared.out, jobs) as note,
        ):
            try:
                compile_ahead(self.left, self.prepared.plan.facts, progress.say)
                for event in events:
                    progress.show(event)
                    note.refresh()
                    if isinstance(event, Started):
                        note.start(event.cell.name)
                        if not is_noted:
                            is_noted = True
                            _warn_of_other_runs(self.prepared, self.left, progress.warn)
                            _tell_what_is_queued(self.prepared.out, progress.say)
                    elif isinstance(event, Advanced):
                        note.advance(event.cell.name, event.at)
                    elif isinstance(event, Finished):
                        note.end(event.cell.name)
                    elif isinstance(event, WriteFailed):
                        raise RowNotWrittenError(
                            f"a row could not be written: {event.message}\n{progress.done} cells "
                            f"were finished and are kept in {self.prepared.out}; make room, then "
                            "the same command resumes from there"
                        )
            except KeyboardInterrupt:
                if in_main_thread:
                    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)
                events.close()
                if in_main_thread:
                    signal.signal(signal.SIGINT, ignored)
                interrupted = True
        if interrupted or progress.done < len(self.left):
            raise UnfinishedError(progress.done, len(self.left), self.prepared, interrupted)
        new = self.store.scan({cell.key for cell in self.left})
        self.scan = Scan({**self.scan.rows, **new.rows}, new.damaged)

    def results(self) -> Results:
        """Return the results folder, without reading it again."""
        own = Results(
            self.prepared.out,
            StoredPlan.read(self.store),
            self.scan.rows,
            damaged=self.scan.damaged,
        )
        return with_taken_over(own, self.prepared.taken_over)


def refuse_another(prepared: Prepared, store: Store) -> None:
    """Refuse a folder that holds the results of an experiment of another name."""
    try:
        name = StoredPlan.read(store).experiment.name if store.has_plan() else None
    except StoreError:  # told where it is needed
        return
    if name not in (None, prepared.plan.experiment.name):
        raise StoreError(
            f"{prepared.out}: holds the results of the experiment {name!r}, not of "
            f"{prepared.plan.experiment.name!r}; choose another folder with --out"
        )


def refuse_other_experiment(prepared: Prepared, store: Store, tell: Tell) -> None:
    """Refuse a folder that is not for results, or holds those of another experiment."""
    store.check_writable()
    if not store.has_plan():
        return
    try:
        plan = StoredPlan.read(store)
    except StoreError as error:
        tell(f"warning: {error}")
        return
    refuse_another(prepared, store)
    there = {(cell.dataset, cell.method) for cell in plan.cells}
    if (
        there
        and prepared.plan.cells
        and not there & {(cell.dataset, cell.method) for cell in prepared.plan.cells}
    ):
        tell(
            f"note: {prepared.out} holds an experiment of the same name with other data sets or "
            "methods; its rows are kept, and count again when that experiment is run again"
        )


def _clean_scan(prepared: Prepared, store: Store, tell: Tell) -> Scan[Row]:
    """Read the rows that count, and move damaged files out of the way."""
    scan = store.scan({cell.key for cell in prepared.plan.cells})
    for path, problem in scan.damaged.items():
        target = store.set_aside(path)
        tell(f"warning: {path}: damaged: {problem}; set aside as {target}, what is lost runs again")
    return scan


def _warn_of_another_base(prepared: Prepared, store: Store, tell: Tell) -> None:
    """Say which numbers of the base have changed since the last run."""
    now = [part for part in prepared.taken_over if part.origin.is_base]
    for old in read_taken_over(store.root) if now else ():
        if not old.origin.is_base or old.origin.sha256 == now[0].origin.sha256:
            continue
        moved = moved_numbers(old.results, now[0].results)
        words = f"{counted(len(moved), 'number')} moved"
        words += f" (first: {moved[0]})" if moved else ""
        for verb, one, other in (("left", old, now[0]), ("came", now[0], old)):
            if names := [m for m in one.results.methods if m not in other.results.methods]:
                words += f"; {listed(names)} {verb}"
        tell(f"warning: the base changed since {old.origin.date}: {words}")


def _set_aside_damaged(store: Store, tell: Tell) -> None:
    """Move a damaged file of cells that were taken over out of the way."""
    try:
        read_taken_over(store.root)
    except StoreError as error:
        target = store.set_aside(store.root / TAKEN_OVER)
        tell(f"warning: {error}; set aside as {target}, what is not taken over again runs")


def _write_plan(prepared: Prepared, store: Store, tell: Tell) -> None:
    try:
        prepared.write_plan(store)
        store.remove_stale_files()
        for warning in durability_warnings(store.root):
            tell(f"warning: {store.root} may not survive a crash: {warning}")
    except OSError as error:
        raise unwritable(prepared.out, error) from None


def unwritable(folder: Path, error: OSError) -> StoreError:
    """Return the error that tells of a results folder in which nothing can be written."""
    return StoreError(
        f"{folder}: cannot be written: {error.strerror or error}; "
        "choose another folder with --out, or make room if the disk is full"
    )


def _warn_of_other_environment(scan: Scan[Row], tell: Tell) -> None:
    now = environment()
    changes = {
        change for row in scan.rows.values() for change in drift(row.environment, now).items()
    }
    if changes:
        words = "; ".join(sorted(f"{name} {then} -> {new}" for name, (then, new) in changes))
        again = "; --rerun-changed runs rows of other libraries again"
        tell(
            f"warning: some rows were computed elsewhere, last digits may differ: {words}"
            + (again if {*LIBRARIES} & {name for name, _ in changes} else "")
        )


def _warn_of_other_code(cells: list[Cell], scan: Scan[Row], tell: Tell) -> None:
    changed: dict[str, set[str]] = {}
    for cell in cells:
        row = scan.rows.get(cell.key)
        if row is not None and drift(row.code, cell.code):
            changed.setdefault(cell.method, set()).add(cell.key)
    for method, keys in changed.items():
        tell(
            f"warning: {counted(len(keys), 'row')} of {method} {were(len(keys))} computed by "
            "different code of the same revision; --rerun-changed runs them again"
        )


def _tell_what_is_queued(out: Path, tell: Tell) -> None:
    """Name the SLURM jobs that are to run cells of the folder, too, but for this one."""
    arrays = queued_arrays(out)
    if arrays is None:
        tell(f"{why_unknown()}: a task runs what is missing when it starts")
    for array in arrays or ():
        if array.job != os.environ.get("SLURM_ARRAY_JOB_ID"):
            states = ", ".join(f"{n} {state}" for state, n in sorted(array.states.items()))
            tell(
                f"SLURM job {array.job} is for this folder, too ({states}): a task runs what is "
                "missing when it starts"
            )


def _warn_of_other_runs(prepared: Prepared, left: list[Cell], tell: Tell) -> None:
    """Warn of runs with a cell that this one has; of two that start at once, the later warns."""
    for note in runs_at_work(prepared.out):
        if (note["host"], note["pid"]) == (socket.gethostname(), os.getpid()):
            continue
        if any(cell.name in note["cells"] for cell in left):
            tell(
                f"warning: process {note['pid']} on {note['host']} is at work in {prepared.out}: "
                "cells that it runs now may run twice"
            )
