"""Run cells on a Dask cluster: one started on this machine, or an existing one.

The run is a client of the cluster. It gives each free thread of a Dask worker one cell at a time,
and receives the cell's output. Only the run writes to the results folder: Dask workers need no
shared disk, and no row is lost or duplicated if one dies. The run chooses the Dask worker of each
cell, so it knows which cells are lost with a worker.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from mlbench.data.search_path import search_path
from mlbench.executors.dask.cluster import CONNECT_SECONDS, REFRESH_SECONDS, DaskCluster
from mlbench.executors.events import Event, Finished, Retried, Started, WriteFailed
from mlbench.executors.executor import Executor
from mlbench.executors.log import WorkerLog
from mlbench.registry.import_policy import imports_allowed
from mlbench.store import Failure, SavedState
from mlbench.store.atomic import write_atomically

if TYPE_CHECKING:
    from distributed import Future

    from mlbench.executors.dask.worker import CellOutput
    from mlbench.plan import Cell


@dataclass(frozen=True)
class _Task:
    cell: Cell
    worker: str
    future: Future
    submitted: float


class DaskExecutor(Executor[str]):
    """Runs cells on the workers of a Dask cluster, each within its limits.

    Parameters
    ----------
    root : Path
        The results folder; only this process writes to it.
    data_dirs : sequence of Path
        Folders to search for data first, here and on the workers.
    jobs : int
        Number of workers to start on this machine, if no scheduler is given.
    threads : int
        BLAS threads per cell.
    scheduler : str, optional
        The address of a running scheduler: ``tcp://host:8786``.
    notice : callable
        Called with messages for the user during the run.

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
        super().__init__(root, search_path(data_dirs), jobs, threads)
        self._log = WorkerLog(self.root)
        self._cluster = DaskCluster(scheduler, notice)
        self._run = secrets.token_hex(8)
        self._tasks: dict[str, _Task] = {}
        self._done: SimpleQueue[Future | None] = SimpleQueue()

    def run(self, cells: Sequence[Cell]) -> Generator[Event]:
        """Run cells, as `Executor.run` does.

        Raises
        ------
        ConnectionError
            If the scheduler cannot be reached, or the connection is lost.
        MlbenchError
            If no worker has the same code as this process.
        """
        with self._cluster.connected(min(self.jobs, len(cells)), self._run):
            try:
                yield from self._run_all(cells)
            finally:
                self._cluster.cancel([task.future for task in self._tasks.values()])

    def _is_busy(self) -> bool:
        return bool(self._tasks)

    def _wake_up(self) -> None:
        self._done.put(None)

    def _free_workers(self) -> list[str]:
        self._cluster.refresh()
        busy = Counter(task.worker for task in self._tasks.values())
        return [
            worker
            for worker, threads in self._cluster.threads.items()
            for _ in range(threads - busy[worker])
        ]

    def _assign(self, worker: str, cell: Cell) -> Iterator[Event]:
        from mlbench.executors.cell_runner import shared_searches
        from mlbench.executors.dask.worker import CellRequest, run_request

        searches = shared_searches(self.store, cell)
        search = searches.load(cell.search) if searches is not None and cell.search else None
        request = CellRequest(
            self._run, cell, self.data_dirs, self.threads, imports_allowed(), search
        )
        future = self._cluster.client.submit(
            run_request,
            request,
            key=f"mlbench-{secrets.token_hex(8)}",
            workers=[worker],
            allow_other_workers=False,
            pure=False,
        )
        self._tasks[future.key] = _Task(cell, worker, future, time.monotonic())
        future.add_done_callback(self._done.put)
        yield Started(cell)

    def _wait_for_events(self) -> Iterator[Event]:
        """Wait for a task to finish or a worker to be lost, and handle it."""
        timeout = REFRESH_SECONDS
        if self._stop_at is not None:
            timeout = min(timeout, max(0.0, self._stop_at - time.monotonic()))
        with contextlib.suppress(Empty):
            future = self._done.get(timeout=timeout)
            if future is not None and future.key in self._tasks:
                yield from self._receive(self._tasks[future.key])
        for task in list(self._tasks.values()):
            if task.worker not in self._cluster.threads:
                yield from self._retry_or_fail(task, f"the Dask worker {task.worker} was lost")

    def _receive(self, task: _Task) -> Iterator[Event]:
        if task.future.cancelled():
            raise self._cluster.connection_error("it canceled the tasks of this run")
        try:
            output = self._output_of(task)
        except Exception as error:
            words = f"{error} (on the Dask worker {task.worker})"
            yield from self._retry_or_fail(task, words)
            return
        if output is None:
            yield from self._retry_or_fail(task, f"the Dask worker {task.worker} was lost")
            return
        del self._tasks[task.future.key]
        task.future.release()
        yield self._store_output(task, output)

    def _output_of(self, task: _Task) -> CellOutput | None:
        """Return the output of a finished task, or None if its worker is lost meanwhile."""
        while True:
            try:
                output: CellOutput = task.future.result(timeout=CONNECT_SECONDS)
                return output
            except TimeoutError:
                if not self._cluster.has_worker(task.worker):
                    return None

    def _store_output(self, task: _Task, output: CellOutput) -> Event:
        """Write a cell's output; the row comes last, so that what it refers to exists."""
        cell, row = task.cell, output.row
        seconds = time.monotonic() - task.submitted
        if output.printed:
            self._log.append(cell, output.printed)
        try:
            if (content := output.predictions) is not None:
                path = self.store.predictions_path(cell.key)
                write_atomically(path, lambda file: file.write(content))
            if output.search is not None and cell.search is not None:
                SavedState(self.root, "searches").save(cell.search, output.search)
            self.store.write_row(row)
        except OSError as error:
            return WriteFailed(cell, str(error))
        SavedState(self.root, "partial", cell.key).clear()
        message = row.failure.message if row.failure else ""
        return Finished(cell, row.status, seconds, message)

    def _retry_or_fail(self, task: _Task, why: str) -> Iterator[Event]:
        """Run a lost cell once more; if it is lost again, write a row that says so."""
        cell = task.cell
        del self._tasks[task.future.key]
        task.future.release()
        if self._may_retry(cell):
            yield Retried(cell, why)
            self._queue.put_back(cell)
            return
        seconds = time.monotonic() - task.submitted
        yield self._write_failure(cell, Failure("crash", f"twice: {why}"), seconds)
