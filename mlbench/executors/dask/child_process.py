"""The child process of a Dask worker's thread: it runs cells within their limits.

A Dask worker cannot kill a task that takes too much time or memory, and its processes may not
have children. This process may: it runs a local executor on a temporary folder.
"""

from __future__ import annotations

import os
import pickle
import queue
import shutil
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from mlbench.executors.events import WriteFailed
from mlbench.executors.local import LocalExecutor
from mlbench.plan import Cell
from mlbench.store import Row, SavedState

IDLE_SECONDS = 60.0
"""The process exits after this long without a cell; its parent no longer uses it by then."""
_MAX_LOG_BYTES = 2**16


@dataclass(frozen=True)
class CellRequest:
    """A cell with all that a worker needs to run it."""

    run: str
    """The identifier of the run, by which all its processes can be killed."""
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
    printed: str


class _PersistentExecutor(LocalExecutor):
    """Keeps its worker, with the data it has loaded, for the next cell."""

    def _stop(self) -> None:
        if any(worker.cell is not None for worker in self._workers):
            super()._stop()


def main() -> None:
    """Read requests from standard input; write outputs, or error messages, to standard output."""
    root = Path(sys.argv[1])
    requests: queue.SimpleQueue[CellRequest] = queue.SimpleQueue()
    incoming, answers = _private_stream(0, "rb", os.O_RDONLY), _private_stream(1, "wb", os.O_WRONLY)
    threading.Thread(target=_read_requests, args=(incoming, requests, root), daemon=True).start()
    executor: _PersistentExecutor | None = None
    while True:
        try:
            request = requests.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            shutil.rmtree(root, ignore_errors=True)
            return
        executor = executor or _PersistentExecutor(root, request.data_dirs, 1, request.threads)
        try:
            answer: CellOutput | str = _run_request(executor, request)
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


def _run_request(executor: _PersistentExecutor, request: CellRequest) -> CellOutput:
    cell, store, searches = request.cell, executor.store, SavedState(executor.root, "searches")
    name = cell.search if cell.shares_search else None
    if name is not None and request.search is not None:
        searches.save(name, request.search)
    for event in executor.run([cell]):
        if isinstance(event, WriteFailed):
            raise OSError(event.message)
    row = store.read_row(store.row_path(cell.key))
    if row.failure is not None:  # its log is appended to the one in the results folder
        message = row.failure.message.replace(f"{executor.root}{os.sep}", "")
        row = replace(row, failure=replace(row.failure, message=message))
    predictions = executor.root / "predictions" / f"{cell.key}.npz"
    output = CellOutput(
        row,
        predictions.read_bytes() if row.predictions is not None else None,
        searches.load(name) if name is not None else None,
        _take_log(executor.root / "worker.log"),
    )
    store.row_path(cell.key).unlink()
    predictions.unlink(missing_ok=True)
    return output


def _take_log(log: Path) -> str:
    """Return the end of what was printed since the last cell, and truncate the file."""
    try:
        with log.open("r+b") as file:
            file.seek(max(0, log.stat().st_size - _MAX_LOG_BYTES))
            text = file.read().decode(errors="replace")
            file.truncate(0)
    except OSError:
        return ""
    return text


def _private_stream(handle: int, mode: str, flags: int) -> BinaryIO:
    """Take over a standard stream, so that methods and their children see the null device."""
    private = os.dup(handle)
    null = os.open(os.devnull, flags)
    os.dup2(null, handle)
    os.close(null)
    return os.fdopen(private, mode)  # type: ignore[return-value]


def _read_requests(
    incoming: BinaryIO, requests: queue.SimpleQueue[CellRequest], root: Path
) -> None:
    """Queue incoming requests; when the parent is gone, exit and stop everything that runs."""
    try:
        while True:
            requests.put(pickle.load(incoming))
    except Exception:
        shutil.rmtree(root, ignore_errors=True)
        os._exit(1)
