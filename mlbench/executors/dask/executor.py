"""Workers of a Dask cluster: one on this machine, or one that is there already.

The client gives each free thread of a worker one cell at a time. What a cell leaves behind comes
back to the client, which alone writes into the results folder: so the workers need no disk in
common with it, and no row is lost or doubled whatever happens to a worker. The client chooses the
worker itself, because only then does it know which cell was lost with which one.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlbench.data.search import search_path
from mlbench.executors.dask.workers import CONNECT_SECONDS, LOOK_SECONDS, Crew
from mlbench.executors.events import Event, Finished, Started, Unstored
from mlbench.registry.import_policy import imports_allowed
from mlbench.store import Failure, Partial, Store
from mlbench.store.atomic import write_atomically

if TYPE_CHECKING:
    from mlbench.executors.dask.child_process import Outcome
    from mlbench.plan import Cell


@dataclass(frozen=True)
class _Task:
    cell: Cell
    worker: str
    future: Any
    since: float


class DaskExecutor:
    """Runs cells on the workers of a Dask cluster, each with its limits.

    Parameters
    ----------
    root : Path
        The results folder; only this process writes there.
    data_dirs : sequence of Path
        Where data is looked for first; workers look there too.
    jobs : int
        How many workers to start on this machine, if no scheduler is given.
    threads : int
        BLAS threads of a cell.
    scheduler : str, optional
        The address of a running scheduler: ``tcp://host:8786``.
    notice : callable
        Told, in words, what a user should know while the run goes on.

    Raises
    ------
    MlbenchError
        If dask.distributed is not installed.
    """

    def __init__(
        self,
        root: Path,
        data_dirs: Sequence[Path],
        jobs: int,
        threads: int = 1,
        scheduler: str | None = None,
        notice: Callable[[str], None] = lambda words: None,
    ) -> None:
        self.root = root.resolve()
        self.store = Store(self.root)
        self.data_dirs = [path.resolve() for path in search_path(data_dirs)]
        self.jobs = jobs
        self.threads = threads
        self._crew = Crew(scheduler, notice)
        self._run = secrets.token_hex(8)
        self._tasks: dict[str, _Task] = {}
        self._tried: set[str] = set()
        self._unfinished: set[str] = set()
        self._last_call: float | None = None
        self._bell: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def last_call(self, seconds: float) -> None:
        """Start nothing new from now on, and give running cells so many seconds to finish.

        May be called from a signal handler. What is not finished then is ended.
        """
        if self._last_call is None:
            self._last_call = time.monotonic() + seconds
            self._bell.put(None)

    def run(self, cells: Sequence[Cell]) -> Generator[Event]:
        """Run cells in the given order as far as what they wait for allows.

        Closing the generator, or an exception in it, ends all that runs on the workers.

        Yields
        ------
        Event
            A start and an end for each cell. After an ``Unstored`` event nothing new starts.

        Raises
        ------
        ConnectionError
            If there is no scheduler, or it is lost.
        MlbenchError
            If no worker has the code that this process has.
        """
        waiting = list(cells)
        self._unfinished = {cell.key for cell in cells}
        with self._crew.connected(min(self.jobs, len(cells)), self._run):
            try:
                while self._goes_on(waiting):
                    self._crew.look()
                    for worker in self._free():
                        if (cell := self._next(waiting)) is not None:
                            yield from self._assign(worker, cell)
                    for event in self._watch(waiting):
                        if isinstance(event, Finished):
                            self._unfinished.discard(event.cell.key)
                        yield event
                        if isinstance(event, Unstored):
                            return
            finally:
                self._crew.drop([task.future for task in self._tasks.values()])

    def _goes_on(self, waiting: list[Cell]) -> bool:
        if self._last_call is None:
            return bool(waiting or self._tasks)
        return bool(self._tasks) and time.monotonic() < self._last_call

    def _next(self, waiting: list[Cell]) -> Cell | None:
        """Take the first cell that need not wait for another one's search."""
        if self._last_call is not None:
            return None
        for index, cell in enumerate(waiting):
            if cell.after not in self._unfinished:
                return waiting.pop(index)
        return None

    def _free(self) -> list[str]:
        busy = Counter(task.worker for task in self._tasks.values())
        return [
            worker
            for worker, threads in self._crew.threads.items()
            for _ in range(threads - busy[worker])
        ]

    def _assign(self, worker: str, cell: Cell) -> Iterator[Event]:
        from mlbench.executors.cell_runner import shared_searches
        from mlbench.executors.dask.child_process import Order
        from mlbench.executors.dask.worker import run_cell

        searches = shared_searches(self.store, cell)
        search = searches.load(cell.search) if searches is not None and cell.search else None
        order = Order(self._run, cell, self.data_dirs, self.threads, imports_allowed(), search)
        future = self._crew.client.submit(
            run_cell,
            order,
            key=f"mlbench-{secrets.token_hex(8)}",
            workers=[worker],
            allow_other_workers=False,
            pure=False,
        )
        self._tasks[future.key] = _Task(cell, worker, future, time.monotonic())
        future.add_done_callback(self._bell.put)
        yield Started(cell)

    def _watch(self, waiting: list[Cell]) -> Iterator[Event]:
        """Wait until something happens, and deal with it."""
        patience = LOOK_SECONDS
        if self._last_call is not None:
            patience = min(patience, max(0.0, self._last_call - time.monotonic()))
        with contextlib.suppress(queue.Empty):
            future = self._bell.get(timeout=patience)
            if future is not None and future.key in self._tasks:
                yield from self._hear(self._tasks[future.key], waiting)
        for task in list(self._tasks.values()):
            if task.worker not in self._crew.threads:
                yield from self._again(task, f"the Dask worker {task.worker} was lost", waiting)

    def _hear(self, task: _Task, waiting: list[Cell]) -> Iterator[Event]:
        if task.future.cancelled():
            raise self._crew.lost("it has dropped the cells of this run")
        try:
            outcome = self._fetched(task)
        except Exception as error:
            words = f"{error} (on the Dask worker {task.worker})"
            yield from self._again(task, words, waiting)
            return
        if outcome is None:
            yield from self._again(task, f"the Dask worker {task.worker} was lost", waiting)
            return
        del self._tasks[task.future.key]
        task.future.release()
        yield self._keep(task, outcome)

    def _fetched(self, task: _Task) -> Outcome | None:
        """Return what a finished task gave, or None if its worker is lost on the way."""
        while True:
            try:
                outcome: Outcome = task.future.result(timeout=CONNECT_SECONDS)
                return outcome
            except TimeoutError:
                if not self._crew.has(task.worker):
                    return None

    def _keep(self, task: _Task, outcome: Outcome) -> Event:
        """Write what a cell left behind: predictions before the row, as everywhere."""
        cell, row = task.cell, outcome.row
        seconds = time.monotonic() - task.since
        self._log(outcome.printed)
        try:
            if (content := outcome.predictions) is not None:
                path = self.store.predictions_path(cell.key)
                write_atomically(path, lambda file: file.write(content))
            if outcome.search is not None and cell.search is not None:
                Partial(self.root / "searches").save(cell.search, outcome.search)
            self.store.write_row(row)
        except OSError as error:
            return Unstored(cell, str(error))
        Partial(self.root / "partial" / cell.key).clear()
        message = row.failure.message if row.failure else ""
        return Finished(cell, row.status, seconds, message)

    def _log(self, printed: str) -> None:
        path = self.root / "worker.log"
        with contextlib.suppress(OSError):
            self.root.mkdir(parents=True, exist_ok=True)
            if not path.is_symlink():
                with path.open("a", encoding="utf-8", errors="replace") as file:
                    file.write(printed)

    def _again(self, task: _Task, why: str, waiting: list[Cell]) -> Iterator[Event]:
        """Let a cell that was lost run once more; then leave a row that says so."""
        from mlbench.executors.cell_runner import failed_row

        cell = task.cell
        del self._tasks[task.future.key]
        task.future.release()
        if cell.key not in self._tried:
            self._tried.add(cell.key)
            waiting.insert(0, cell)
            return
        seconds = time.monotonic() - task.since
        failure = Failure("crash", f"twice: {why}")
        try:
            self.store.write_row(failed_row(cell, failure, seconds))
        except OSError as error:
            yield Unstored(cell, str(error))
            return
        yield Finished(cell, "crash", seconds, failure.message)
