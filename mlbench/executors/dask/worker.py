"""What a run calls on a Dask worker: the version of its code, a cell, and the end of the run.

Each thread of a Dask worker that runs a cell has a local executor with one worker process, because
Dask cannot end a task that takes too much time or memory. The executor keeps its rows in a
temporary folder, from where they are sent to the run.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from multiprocessing.util import Finalize
from pathlib import Path

import mlbench
from mlbench.errors import MlbenchError
from mlbench.executors.events import Finished, WriteFailed
from mlbench.executors.local import LocalExecutor
from mlbench.executors.log import last_output
from mlbench.plan import Cell
from mlbench.store import Row, SavedState

IDLE_SECONDS = 60.0
"""An executor that has waited this long for a cell is closed: its run may be gone."""

_MAX_LOG_BYTES = 2**16


@dataclass(frozen=True)
class CellRequest:
    """A cell, and all that a Dask worker needs to run it."""

    run: str
    """The identifier of the run."""
    cell: Cell
    data_dirs: Sequence[Path]
    """Folders to search for data first."""
    threads: int
    """BLAS threads."""
    allow_imports: bool
    """Whether methods may be imported from files and packages that the experiment names."""
    search: object
    """The finished parameter search that the cell shares, as plain JSON, or None."""


@dataclass(frozen=True)
class CellOutput:
    """A cell's row, its predictions if kept, a search to share, and what it printed."""

    row: Row
    predictions: bytes | None
    search: object
    printed: bytes


@cache
def code_version() -> str:
    """Return the version of mlbench and a hash of its code, as installed here."""
    home = Path(mlbench.__file__).parent
    content = sha256()
    for path in sorted(home.rglob("*.py")):
        content.update(path.relative_to(home).as_posix().encode() + b"\0")
        content.update(sha256(path.read_bytes()).digest())
    return f"{mlbench.__version__}, code {content.hexdigest()[:12]}"


def run_request(request: CellRequest) -> CellOutput:
    """Run a cell within its limits.

    Raises
    ------
    RuntimeError
        If the run was ended, or something failed that is not due to the cell.
    """
    try:
        with _runs.setdefault(request.run, _Run()).executor(request) as executor:
            return _run(executor, request)
    except Exception as error:  # the run may not be able to unpickle it
        raise RuntimeError(f"{type(error).__name__}: {error}") from None


def end_run(run: str) -> None:
    """End all cells and processes of a run."""
    if run in _runs:
        _runs.pop(run).end()


class _Run:
    """The executors of a run in this process. They wait for its next cell, up to a limit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: set[LocalExecutor] = set()
        self._idle: dict[LocalExecutor, threading.Timer] = {}
        self._has_ended = False

    @contextlib.contextmanager
    def executor(self, request: CellRequest) -> Iterator[LocalExecutor]:
        """Lend an executor to this thread. It is closed after an error."""
        executor = self._take(request)
        timer = threading.Timer(IDLE_SECONDS, self._close_idle, [executor])
        timer.daemon = True
        try:
            yield executor
            with self._lock:
                if not self._has_ended:
                    self._idle[executor] = timer
                    timer.start()
        finally:
            with self._lock:
                self._busy.discard(executor)
                is_kept = executor in self._idle
            if not is_kept:
                _close(executor)

    def end(self) -> None:
        """Kill the cells that run, and close the executors that wait."""
        with self._lock:
            self._has_ended = True
            for executor in self._busy:
                executor.start_grace_period(0)
            waiting, self._idle = self._idle, {}
        for executor, timer in waiting.items():
            timer.cancel()
            _close(executor)

    def _take(self, request: CellRequest) -> LocalExecutor:
        with self._lock:
            if self._has_ended:
                raise MlbenchError("the run has ended")
            if self._idle:
                executor, timer = self._idle.popitem()
                timer.cancel()
            else:
                executor = _new_executor(request)
            self._busy.add(executor)
        return executor

    def _close_idle(self, executor: LocalExecutor) -> None:
        with self._lock:
            is_idle = self._idle.pop(executor, None) is not None
        if is_idle:
            _close(executor)


_runs: dict[str, _Run] = {}


def _new_executor(request: CellRequest) -> LocalExecutor:
    _end_all_at_exit()
    return LocalExecutor(
        Path(tempfile.mkdtemp(prefix="mlbench-", dir=_scratch_folder())),
        request.data_dirs,
        1,
        request.threads,
        allow_imports=request.allow_imports,
        keep_workers=True,
    )


@cache
def _end_all_at_exit() -> None:
    """End all runs before multiprocessing waits for the child processes of this process."""
    Finalize(None, _end_all, exitpriority=1)


def _end_all() -> None:
    for run in list(_runs):
        end_run(run)


def _scratch_folder() -> str | None:
    """Return the folder that Dask removes with the worker, or None outside a Dask worker."""
    from distributed import get_worker

    try:
        folder: str = get_worker().local_directory
    except ValueError:
        return None
    return folder


def _close(executor: LocalExecutor) -> None:
    executor.close()
    shutil.rmtree(executor.root, ignore_errors=True)


def _run(executor: LocalExecutor, request: CellRequest) -> CellOutput:
    cell, store, searches = request.cell, executor.store, SavedState(executor.root, "searches")
    search = cell.search if cell.shares_search else None
    if search is not None and request.search is not None:
        searches.save(search, request.search)
    events = [event for event in executor.run([cell]) if isinstance(event, Finished | WriteFailed)]
    for event in events:
        if isinstance(event, WriteFailed):
            raise MlbenchError(event.message)
    if not any(isinstance(event, Finished) for event in events):
        raise MlbenchError("the run has ended")
    row = store.read_row(store.row_path(cell.key))
    predictions = store.predictions_path(cell.key)
    output = CellOutput(
        row,
        predictions.read_bytes() if row.predictions is not None else None,
        searches.load(search) if search is not None else None,
        last_output(executor.root, [cell.key], _MAX_LOG_BYTES).get(cell.key, b""),
    )
    for path in (store.row_path(cell.key), predictions, executor.root / "worker.log"):
        path.unlink(missing_ok=True)
    return output
