"""What all executors share: the order of cells, the grace period, and the loop over events."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Container, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from mlbench.executors.events import Event, Finished, Waited, WriteFailed
from mlbench.store import Failure, Step, Store

if TYPE_CHECKING:
    from mlbench.plan import Cell
    from mlbench.plan.giving_up import GivingUp

Worker = TypeVar("Worker")


class Executor(ABC, Generic[Worker]):
    """Runs cells and yields events as they happen.

    Parameters
    ----------
    root : Path
        The results folder.
    data_dirs : sequence of Path
        Folders to search for data first.
    jobs : int
        Number of workers to start on this machine.
    threads : int
        BLAS threads per cell.

    Attributes
    ----------
    giving_up : GivingUp or None
        Which cells are not run because others of their method have failed.
    known : container of str or None
        The keys of rows that were there before the run. Of other cells, those that are settled
        when they are to start do not run.
    """

    def __init__(self, root: Path, data_dirs: Sequence[Path], jobs: int, threads: int) -> None:
        self.root = root.resolve()
        self.store = Store(self.root)
        self.data_dirs = [path.resolve() for path in data_dirs]
        self.jobs = jobs
        self.threads = threads
        self._queue = CellQueue()
        self.giving_up: GivingUp | None = None
        self.known: Container[str] | None = None
        self._retried: set[str] = set()
        self._stop_at: float | None = None

    @abstractmethod
    def run(self, cells: Sequence[Cell]) -> Generator[Event]:
        """Run cells in the given order, except that a cell waits for a search that it shares.

        Closing the generator, or an exception in it, ends all work that it started.

        Yields
        ------
        Event
            The start and the end of each cell, and each wait. The run stops after a
            ``WriteFailed`` event.
        """

    def start_grace_period(self, seconds: float) -> None:
        """Start no more cells, and give the running ones this many seconds to finish.

        Safe to call from a signal handler. Cells that are still running at the end are killed.
        """
        if self._stop_at is None:
            self._stop_at = time.monotonic() + seconds
            self._wake_up()

    def _run_all(self, cells: Sequence[Cell]) -> Iterator[Event]:
        """Assign cells to free workers until all have finished, or the grace period is over."""
        self._queue = CellQueue(cells)
        while self._has_work():
            for worker in self._free_workers():
                while self._stop_at is None and (cell := self._queue.take()) is not None:
                    if (done := self._done_elsewhere(cell)) is not None:
                        self._queue.finish(cell)
                        yield done
                        continue
                    failure = self._reason_to_give_up(cell)
                    if failure is None:
                        yield from self._assign(worker, cell)
                        break
                    self._queue.finish(cell)
                    yield (event := self._write_failure(cell, failure))
                    if isinstance(event, WriteFailed):
                        return
            for event in self._wait_for_events():
                if isinstance(event, Finished):
                    self._queue.finish(event.cell)
                yield event
                if isinstance(event, WriteFailed):
                    return
            yield Waited()

    def _done_elsewhere(self, cell: Cell) -> Finished | None:
        """Return the end of a cell that another run on the folder has settled by now."""
        if self.known is None or cell.key in self.known:
            return None
        if not self.store.row_path(cell.key).exists():
            return None
        from mlbench.plan.pending import is_settled

        row = self.store.summaries([cell.key]).rows.get(cell.key)
        if row is None or not is_settled(cell, row, [cell.key]):
            return None
        said = "" if row.failure is None else row.failure.message
        return Finished(cell, row.status, row.seconds.get("total", 0.0), said)

    def _reason_to_give_up(self, cell: Cell) -> Failure | None:
        return None if self.giving_up is None else self.giving_up.failure(cell, self.store)

    def _has_work(self) -> bool:
        if self._stop_at is None:
            return bool(self._queue) or self._is_busy()
        return self._is_busy() and time.monotonic() < self._stop_at

    def _may_retry(self, cell: Cell) -> bool:
        """Tell whether to run a lost cell again: once."""
        if cell.key in self._retried:
            return False
        self._retried.add(cell.key)
        return True

    def _write_failure(self, cell: Cell, failure: Failure, seconds: float | None = None) -> Event:
        """Write the row of a cell that its worker did not finish, or that did not start."""
        from mlbench.executors.cell_runner import failed_row

        times: dict[Step, float] = {} if seconds is None else {"total": seconds}
        try:
            self.store.write_row(failed_row(cell, failure, times))
        except OSError as error:
            return WriteFailed(cell, str(error))
        return Finished(cell, failure.kind, seconds or 0.0, failure.message)

    @abstractmethod
    def _is_busy(self) -> bool:
        """Tell whether a cell is running."""

    @abstractmethod
    def _free_workers(self) -> Iterable[Worker]:
        """Return the workers that can take a cell, each as often as it can take one."""

    @abstractmethod
    def _assign(self, worker: Worker, cell: Cell) -> Iterator[Event]:
        """Start a cell."""

    @abstractmethod
    def _wait_for_events(self) -> Iterator[Event]:
        """Wait until a cell ends or must be ended, and handle it."""

    @abstractmethod
    def _wake_up(self) -> None:
        """End a wait that has begun."""


class CellQueue:
    """Cells that have not started, in the given order.

    A cell whose search another cell runs waits until that cell has finished.
    """

    def __init__(self, cells: Sequence[Cell] = ()) -> None:
        self._waiting = list(cells)
        self._unfinished = {cell.key for cell in cells}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def take(self) -> Cell | None:
        """Remove and return the first cell that can start, or None if there is none."""
        for index, cell in enumerate(self._waiting):
            if cell.after not in self._unfinished:
                return self._waiting.pop(index)
        return None

    def put_back(self, cell: Cell) -> None:
        """Make a cell that was lost the first one again."""
        self._waiting.insert(0, cell)

    def finish(self, cell: Cell) -> None:
        """Let the cells that wait for this one start."""
        self._unfinished.discard(cell.key)
