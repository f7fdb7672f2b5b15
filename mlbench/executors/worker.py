"""A worker: it forks processes that run cells, and writes a row for each cell."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from mlbench.executors.cell_process import (
    TRACKER_SECONDS,
    CellProcess,
    ProcessEndedError,
)
from mlbench.executors.cell_runner import CellRunner, failed_row
from mlbench.executors.log import WorkerLog
from mlbench.executors.process import adopt_orphans, kill_descendants
from mlbench.plan import Cell
from mlbench.plan.make_splitter import UserSplitter
from mlbench.registry.import_policy import allow_imports, untrusted_names
from mlbench.store import Failure, Row, SavedState, Store
from mlbench.store.checksum import DamagedFileError


@dataclass(frozen=True)
class CellOutcome:
    """The outcome of a cell."""

    key: str
    status: str | None
    """The status of the row on disk; None if there is no row."""
    seconds: float
    message: str = ""
    """Why the cell failed, or why its row could not be written."""
    exit_code: int | None = None
    """The exit code of the cell's process, if it ended without a result."""


def run_worker(
    commands: Connection,
    root: Path,
    data_dirs: Sequence[Path],
    threads: int,
    imports: bool,
    jobs: int | None,
) -> None:
    """Run cells as they arrive, say how far each is, and answer it; end with the connection.

    No code of a method runs in this process. A cell whose code comes with mlbench or scikit-learn
    may run in the same process as the cell before it; any other cell has a new process.
    """
    os.setsid()
    allow_imports(imports)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()
    gc.freeze()  # collections in a forked process then copy no memory
    worker = _Worker(commands, CellRunner(root, data_dirs, jobs), threads)
    try:
        while True:
            commands.send(worker.answer(commands.recv()))
    except (EOFError, ConnectionError):
        kill_descendants(os.getpid(), TRACKER_SECONDS)


class _Worker:
    def __init__(self, commands: Connection, runner: CellRunner, threads: int) -> None:
        self._commands = commands
        self.store = runner.store
        self.runner = runner
        self._fork = partial(
            CellProcess,
            self.runner,
            threads,
            commands=commands,
            log=WorkerLog(runner.root),
        )
        self._process: CellProcess | None = None

    def answer(self, cell: Cell) -> CellOutcome:
        start = time.perf_counter()
        try:
            row, predictions = self._run(cell)
            write_result(self.store, row, predictions)
        except ProcessEndedError as died:
            seconds = time.perf_counter() - start
            return CellOutcome(cell.key, None, seconds, exit_code=died.args[0])
        except OSError as error:
            return CellOutcome(cell.key, None, time.perf_counter() - start, str(error))
        message = row.failure.message if row.failure else ""
        return CellOutcome(cell.key, row.status, time.perf_counter() - start, message)

    def _run(self, cell: Cell) -> tuple[Row, bytes]:
        is_last = runs_custom_code(cell)
        if is_last:
            self._end_process()
            self.runner.load_data(cell)
        process = self._process = self._process or self._fork(custom=is_last)
        try:
            return process.run(cell, lambda at: self._commands.send(at))
        except DamagedFileError as error:
            is_last = True
            failure = Failure("error", f"its result cannot be read: {error}")
            return failed_row(cell, failure, {"total": 0.0}), b""
        except ProcessEndedError:
            is_last = True
            raise
        finally:
            if is_last:
                self._end_process()

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


def write_result(store: Store, row: Row, predictions: bytes) -> None:
    """Write a row after the file of its predictions, and delete the cell's checkpoint.

    Raises
    ------
    OSError
        If they could not be written.
    """
    if predictions:
        row = replace(row, predictions=store.write_predictions(row.key, predictions))
    store.write_row(row)
    SavedState(store.root, "partial", row.key).clear()


def runs_custom_code(cell: Cell) -> bool:
    """Tell whether any code in a cell may come neither with mlbench nor with scikit-learn.

    The names in the experiment decide, not the classes: importing a file that offers a class of
    scikit-learn runs the file.
    """
    method, tuning = cell.planned_method, cell.tuning
    named = [method.use, method.parameters, [] if tuning is None else tuning.grid]
    splitter = getattr(cell.splitter, "inner", cell.splitter)
    return isinstance(splitter, UserSplitter) or bool(cell.metrics) or any(untrusted_names(named))
