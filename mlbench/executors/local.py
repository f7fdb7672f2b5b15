"""Run cells in worker processes on this machine, each within its limits."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.errors import MlbenchError
from mlbench.executors.events import Advanced, Event, Finished, Retried, Started, WriteFailed
from mlbench.executors.executor import Executor
from mlbench.executors.fork_server import fork_worker, join, start_fork_server
from mlbench.executors.process import exceeds_memory, kill_worker
from mlbench.registry.import_policy import imports_allowed
from mlbench.store import Failure, FailureKind

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from mlbench.executors.worker import CellOutcome
    from mlbench.plan import Cell

_MEMORY_CHECK_SECONDS = 0.1
_LONGEST_WAIT_SECONDS = 10.0
_FORK_SERVER_GONE = 255  # the exit code multiprocessing reports if the fork server died


@dataclass
class _WorkerHandle:
    """A worker as the main process sees it."""

    process: BaseProcess
    connection: Connection
    cell: Cell | None = None
    started: float = 0.0

    @property
    def pid(self) -> int:
        assert self.process.pid is not None  # it has been started
        return self.process.pid

    @property
    def deadline(self) -> float | None:
        if self.cell is None or self.cell.limits.time is None:
            return None
        return self.started + self.cell.limits.time


class LocalExecutor(Executor[_WorkerHandle]):
    """Runs cells in worker processes, and replaces a worker only if it dies or is killed.

    Workers are forked from a server that has the heavy libraries loaded. A cell that exceeds a
    limit is killed together with its worker and everything that it has started.

    Parameters
    ----------
    root : Path
        The results folder.
    data_dirs : sequence of Path
        Folders to search for data first.
    jobs : int
        Number of workers.
    threads : int
        BLAS threads per worker.
    allow_imports : bool, optional
        Whether cells may import the files and packages that the experiment names. By default, they
        may if this process may.
    keep_workers : bool
        Whether idle workers, with the data that they have loaded, wait for the next `run`. Then
        `close` ends them.
    """

    def __init__(
        self,
        root: Path,
        data_dirs: Sequence[Path],
        jobs: int,
        threads: int = 1,
        *,
        allow_imports: bool | None = None,
        keep_workers: bool = False,
    ) -> None:
        super().__init__(root, data_dirs, jobs, threads)
        self.allow_imports = imports_allowed() if allow_imports is None else allow_imports
        self.keep_workers = keep_workers
        self._workers: list[_WorkerHandle] = []
        self._at_once: int | None = None
        self._wake_reader, self._wake_writer = Pipe(duplex=False)
        start_fork_server()

    def run(self, cells: Sequence[Cell]) -> Generator[Event]:
        """Run cells, as `Executor.run` does."""
        if not self.keep_workers:  # else others may be at work beside these
            self._at_once = min(self.jobs, len(cells))
        try:
            for _ in range(len(self._workers), min(self.jobs, len(cells))):
                self._workers.append(self._start_worker())
            yield from self._run_all(cells)
        finally:
            if not self.keep_workers or self._is_busy():
                self.close()

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            if worker.cell is None:
                worker.connection.close()
        for worker in self._workers:
            if worker.cell is None:
                join(worker.process, 1)
            self._kill(worker)
        self._workers = []

    def _is_busy(self) -> bool:
        return any(worker.cell is not None for worker in self._workers)

    def _free_workers(self) -> list[_WorkerHandle]:
        return [worker for worker in self._workers if worker.cell is None]

    def _wake_up(self) -> None:
        self._wake_writer.send(None)

    def _assign(self, worker: _WorkerHandle, cell: Cell) -> Iterator[Event]:
        worker.cell, worker.started = cell, time.monotonic()
        with contextlib.suppress(OSError):  # a dead worker is noticed when its connection closes
            worker.connection.send(cell)
        yield Started(cell)

    def _wait_for_events(self) -> Iterator[Event]:
        """Wait until a worker answers, dies or reaches a limit, and handle it."""
        busy = [worker for worker in self._workers if worker.cell is not None]
        # A child left by a dead worker may hold its connection open: watch the process too.
        handles = [
            handle for worker in busy for handle in (worker.connection, worker.process.sentinel)
        ]
        ready = wait([*handles, self._wake_reader], timeout=self._wait_seconds(busy))
        if self._wake_reader in ready:
            self._wake_reader.recv()
        now = time.monotonic()
        for worker in busy:
            cell = worker.cell
            assert cell is not None
            if worker.connection in ready:
                yield from self._receive(worker, cell)
            elif worker.process.sentinel in ready:
                yield from self._handle_dead_worker(worker, cell)
            elif worker.deadline is not None and now >= worker.deadline:
                message = f"took longer than its limit of {cell.limits.time:g} s"
                yield from self._kill_and_record(worker, cell, "timeout", message)
            elif cell.limits.memory is not None and exceeds_memory(worker.pid, cell.limits.memory):
                message = f"took more than its limit of {cell.limits.memory:g} MB"
                yield from self._kill_and_record(worker, cell, "memory", message)

    def _wait_seconds(self, busy: list[_WorkerHandle]) -> float:
        """Return how long to wait at most before limits and progress must be checked."""
        times = [worker.deadline for worker in busy if worker.deadline is not None]
        seconds = [_LONGEST_WAIT_SECONDS]
        if self._stop_at is not None:
            times.append(self._stop_at)
        seconds += [max(0.0, limit - time.monotonic()) for limit in times]
        if any(worker.cell and worker.cell.limits.memory for worker in busy):
            seconds.append(_MEMORY_CHECK_SECONDS)
        return min(seconds)

    def _receive(self, worker: _WorkerHandle, cell: Cell) -> Iterator[Event]:
        try:
            answer: CellOutcome | str = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._handle_dead_worker(worker, cell)
            return
        if isinstance(answer, str):
            yield Advanced(cell, answer)
            return
        if answer.exit_code is not None:
            yield from self._retry_or_fail(worker, cell, "process", answer.exit_code)
            return
        worker.cell = None
        if answer.status is None:
            yield WriteFailed(cell, answer.message)
        else:
            yield Finished(cell, answer.status, answer.seconds, answer.message)

    def _handle_dead_worker(self, worker: _WorkerHandle, cell: Cell) -> Iterator[Event]:
        join(worker.process, 5)
        code = worker.process.exitcode
        self._replace(worker)
        yield from self._retry_or_fail(worker, cell, "worker", code)

    def _retry_or_fail(
        self, worker: _WorkerHandle, cell: Cell, ended: str, code: int | None
    ) -> Iterator[Event]:
        """Run a cell once more if its process was killed from outside; else record a crash."""
        if code in (-signal.SIGKILL, _FORK_SERVER_GONE) and self._may_retry(cell):
            yield Retried(cell, f"its {ended} was killed")
            yield from self._assign(worker, cell)
            return
        if code is not None and code < 0:
            how = f"was killed by signal {-code} ({signal.Signals(-code).name})"
        else:
            how = f"exited with exit code {code}"
        message = f"the {ended} of {cell.method} {how}"
        yield from self._record(worker, cell, "crash", message)

    def _kill_and_record(
        self, worker: _WorkerHandle, cell: Cell, kind: FailureKind, message: str
    ) -> Iterator[Event]:
        self._replace(worker)
        yield from self._record(worker, cell, kind, message)

    def _record(
        self, worker: _WorkerHandle, cell: Cell, kind: FailureKind, message: str
    ) -> Iterator[Event]:
        """Write a row for a cell that its worker did not finish."""
        seconds = time.monotonic() - worker.started
        worker.cell = None
        stored = self.store.scan([cell.key]).rows.get(cell.key)
        if stored is not None and stored.is_ok:
            yield Finished(cell, "ok", seconds)  # the worker had written the row before it ended
            return
        yield self._write_failure(cell, Failure(kind, message), seconds)

    def _start_worker(self) -> _WorkerHandle:
        from mlbench.executors.worker import run_worker

        try:
            our_end, their_end = Pipe()
        except OSError as error:
            raise MlbenchError(
                f"only {len(self._workers)} workers could be started: {error}; "
                f"run the command again with --jobs below {self.jobs}"
            ) from error
        settings = (self.root, self.data_dirs, self.threads, self.allow_imports, self._at_once)
        try:
            process = fork_worker(run_worker, their_end, *settings)
        except (OSError, EOFError) as error:
            reason = f": {error}" if str(error) else "; the fork server has exited"
            fewer = f" (with --jobs below {self.jobs} if files or memory ran out)"
            raise MlbenchError(
                f"could not start a worker{reason}; finished cells are kept, run the command "
                f"again{fewer if self.jobs > 1 else ''}"
            ) from error
        their_end.close()
        return _WorkerHandle(process, our_end)

    def _replace(self, worker: _WorkerHandle) -> None:
        self._kill(worker)
        new = self._start_worker()
        worker.process, worker.connection = new.process, new.connection

    def _kill(self, worker: _WorkerHandle) -> None:
        kill_worker(worker.pid)
        join(worker.process)
        worker.connection.close()
