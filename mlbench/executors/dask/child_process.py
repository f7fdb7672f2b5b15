"""The process that a thread of a Dask worker leads: it runs cells as they come, each in its limits.

A Dask worker cannot end a task that runs too long or grows too large, and its processes may have
no children of their own. This process may: it is a small run on a folder of its own.
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
from typing import Any, BinaryIO

from mlbench.executors.events import Unstored
from mlbench.executors.local import LocalExecutor
from mlbench.plan import Cell
from mlbench.store import Partial, Row

IDLE_SECONDS = 60.0
"""After so long without a cell the process ends; whoever leads it asks no more by then."""
_MOST_PRINTED = 2**16


@dataclass(frozen=True)
class Order:
    """A cell, and what it needs where nothing is known of its run.

    Attributes
    ----------
    run : str
        The name of the run, by which all its processes can be ended.
    data_dirs : sequence of Path
        Where data is looked for first.
    threads : int
        BLAS threads.
    allow_imports : bool
        Whether methods may be imported from files and packages that an experiment names.
    search : Any
        The search for parameters that the cell shares, where it is done.
    """

    run: str
    cell: Cell
    data_dirs: Sequence[Path]
    threads: int
    allow_imports: bool
    search: Any


@dataclass(frozen=True)
class Outcome:
    """What a cell leaves behind: its row, kept predictions, a search to share, what was printed."""

    row: Row
    predictions: bytes | None
    search: Any
    printed: str


class _WarmExecutor(LocalExecutor):
    """Leaves its worker, and the data that it has read, to the next cell."""

    def _stop(self) -> None:
        if any(worker.cell is not None for worker in self._workers):
            super()._stop()


def main() -> None:
    """Answer each order on standard input with an outcome, or with words, on standard output."""
    root = Path(sys.argv[1])
    orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
    given, answers = _apart(0, "rb", os.O_RDONLY), _apart(1, "wb", os.O_WRONLY)
    threading.Thread(target=_listen, args=(given, orders, root), daemon=True).start()
    executor: _WarmExecutor | None = None
    while True:
        try:
            order = orders.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            shutil.rmtree(root, ignore_errors=True)
            return
        executor = executor or _WarmExecutor(root, order.data_dirs, 1, order.threads)
        try:
            answer: Outcome | str = _outcome(executor, order)
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


def _outcome(executor: _WarmExecutor, order: Order) -> Outcome:
    cell, store, searches = order.cell, executor.store, Partial(executor.root / "searches")
    name = cell.search if cell.shares_search else None
    if name is not None and order.search is not None:
        searches.save(name, order.search)
    for event in executor.run([cell]):
        if isinstance(event, Unstored):
            raise OSError(event.message)
    row = store.read_row(store.row_path(cell.key))
    if row.failure is not None:  # what was printed moves to the results folder's own log
        message = row.failure.message.replace(f"{executor.root}{os.sep}", "")
        row = replace(row, failure=replace(row.failure, message=message))
    predictions = executor.root / "predictions" / f"{cell.key}.npz"
    outcome = Outcome(
        row,
        predictions.read_bytes() if row.predictions is not None else None,
        searches.load(name) if name is not None else None,
        _printed(executor.root / "worker.log"),
    )
    store.row_path(cell.key).unlink()
    predictions.unlink(missing_ok=True)
    return outcome


def _printed(log: Path) -> str:
    """Return the end of what was printed since the last cell, and empty the file."""
    try:
        with log.open("r+b") as file:
            file.seek(max(0, log.stat().st_size - _MOST_PRINTED))
            text = file.read().decode(errors="replace")
            file.truncate(0)
    except OSError:
        return ""
    return text


def _apart(handle: int, mode: str, instead: int) -> BinaryIO:
    """Keep a standard stream for this process alone: methods and their children find none."""
    own = os.dup(handle)
    nothing = os.open(os.devnull, instead)
    os.dup2(nothing, handle)
    os.close(nothing)
    return os.fdopen(own, mode)  # type: ignore[return-value]


def _listen(given: BinaryIO, orders: queue.SimpleQueue[Order], root: Path) -> None:
    """Take in orders; when nobody is left to give them, end this process and all that it runs."""
    try:
        while True:
            orders.put(pickle.load(given))
    except Exception:
        shutil.rmtree(root, ignore_errors=True)
        os._exit(1)
