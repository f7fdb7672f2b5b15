"""Worker processes on this machine, each cell with its own limits."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlbench.errors import MlbenchError
from mlbench.executors.events import Event, Finished, Started, Unstored
from mlbench.executors.process import group_memory_mb, kill_group
from mlbench.store import Failure, FailureKind, Store

if TYPE_CHECKING:
    from mlbench.plan import Cell

_MEMORY_CHECK_SECONDS = 0.1
_LONGEST_WAIT_SECONDS = 3600.0
_FORK_SERVER_GONE = 255  # what multiprocessing reports for the workers of a server that died
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def warm_up() -> Any:
    """Start the server that workers are forked from, and return the context to do so.

    The server imports the heavy libraries in the background, with a single thread for linear
    algebra: workers set the number that they want. Calling this again does nothing.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mlbench.executors.worker"])
    variables = {**dict.fromkeys(_THREAD_VARIABLES, "1"), "PYTHONSAFEPATH": "1"}
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the main one's matter
    try:
        with _environment(variables):
            forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, previous)
    return context


@dataclass
class _Worker:
    process: Any
    line: Connection
    lifeline: Connection
    cell: Cell | None = None
    since: float = 0.0

    @property
    def deadline(self) -> float | None:
        if self.cell is None or self.cell.limits.time is None:
            return None
        return self.since + self.cell.limits.time


class LocalExecutor:
    """Runs cells in warm worker processes, which are replaced only when one had to be killed.

    Workers are forked from a server that has the heavy libraries loaded. Each is the leader of
    a process group, so that a cell which exceeds a limit is ended with all that it started.

    Parameters
    ----------
    root : Path
        The results folder.
    data_dirs : sequence of Path
        Where data is looked for first.
    jobs : int
        How many workers.
    threads : int
        BLAS threads of each.
    """

    def __init__(self, root: Path, data_dirs: Sequence[Path], jobs: int, threads: int = 1) -> None:
        self.root = root.resolve()
        self.store = Store(self.root)
        self.data_dirs = [path.resolve() for path in data_dirs]
        self.jobs = jobs
        self.threads = threads
        self._workers: list[_Worker] = []
        self._killed_from_outside: set[str] = set()
        self._unfinished: set[str] = set()
        self._last_call: float | None = None
        self._context = warm_up()
        self._bell, self._rope = multiprocessing.Pipe(duplex=False)

    def last_call(self, seconds: float) -> None:
        """Start nothing new from now on, and give running cells so many seconds to finish.

        May be called from a signal handler. What is not finished then is killed; the finished
        folds of its search are kept.
        """
        if self._last_call is None:
            self._last_call = time.monotonic() + seconds
            self._rope.send(None)

    def run(self, cells: Sequence[Cell]) -> Generator[Event]:
        """Run cells in the given order as far as what they wait for allows.

        Closing the generator, or an exception in it, kills all workers.

        Yields
        ------
        Event
            A start and an end for each cell. After an ``Unstored`` event nothing new starts.
        """
        waiting = list(cells)
        self._unfinished = {cell.key for cell in cells}
        try:
            for _ in range(len(self._workers), min(self.jobs, len(cells))):
                self._workers.append(self._start_worker())
            while self._goes_on(waiting):
                for worker in self._workers:
                    if worker.cell is None and (cell := self._next(waiting)) is not None:
                        yield from self._assign(worker, cell)
                for event in self._watch():
                    if isinstance(event, Finished):
                        self._unfinished.discard(event.cell.key)
                    yield event
                    if isinstance(event, Unstored):
                        return
        finally:
            self._stop()

    def _goes_on(self, waiting: list[Cell]) -> bool:
        at_work = any(worker.cell for worker in self._workers)
        if self._last_call is None:
            return bool(waiting) or at_work
        return at_work and time.monotonic() < self._last_call

    def _next(self, waiting: list[Cell]) -> Cell | None:
        """Take the first cell that need not wait for another one's search."""
        if self._last_call is not None:
            return None
        for index, cell in enumerate(waiting):
            if cell.after not in self._unfinished:
                return waiting.pop(index)
        return None

    def _assign(self, worker: _Worker, cell: Cell) -> Iterator[Event]:
        worker.cell, worker.since = cell, time.monotonic()
        with contextlib.suppress(OSError):  # a dead worker is seen by its closed line
            worker.line.send(cell)
        yield Started(cell)

    def _watch(self) -> Iterator[Event]:
        """Wait until something happens, and deal with it."""
        busy = [worker for worker in self._workers if worker.cell is not None]
        # A child that a dead worker left behind may hold its line open: watch the process too.
        signs = [sign for worker in busy for sign in (worker.line, worker.process.sentinel)]
        ready = wait([*signs, self._bell], timeout=self._patience(busy))
        if self._bell in ready:
            self._bell.recv()
        now = time.monotonic()
        for worker in busy:
            cell = worker.cell
            assert cell is not None
            if worker.line in ready:
                yield from self._hear(worker, cell)
            elif worker.process.sentinel in ready:
                yield from self._bury(worker, cell)
            elif worker.deadline is not None and now >= worker.deadline:
                message = f"took longer than its limit of {cell.limits.time:g} s"
                yield from self._end(worker, cell, "timeout", message)
            elif (
                cell.limits.memory is not None
                and group_memory_mb(worker.process.pid) > cell.limits.memory
            ):
                message = f"took more than its limit of {cell.limits.memory:g} MB"
                yield from self._end(worker, cell, "memory", message)

    def _patience(self, busy: list[_Worker]) -> float:
        times = [worker.deadline for worker in busy if worker.deadline is not None]
        patience = [_LONGEST_WAIT_SECONDS]
        if self._last_call is not None:
            times.append(self._last_call)
        patience += [max(0.0, limit - time.monotonic()) for limit in times]
        if any(worker.cell and worker.cell.limits.memory for worker in busy):
            patience.append(_MEMORY_CHECK_SECONDS)
        return min(patience)

    def _hear(self, worker: _Worker, cell: Cell) -> Iterator[Event]:
        try:
            key, status, seconds, message = worker.line.recv()
        except (EOFError, OSError):
            yield from self._bury(worker, cell)
            return
        if key != cell.key:  # an echo of a child that a method forked
            return
        worker.cell = None
        if status == "unstored":
            yield Unstored(cell, message)
        else:
            yield Finished(cell, status, seconds, message)

    def _bury(self, worker: _Worker, cell: Cell) -> Iterator[Event]:
        """Deal with a worker that died by itself; a kill from outside is tried once more."""
        worker.process.join(5)
        code = worker.process.exitcode
        if (
            code in (-signal.SIGKILL, _FORK_SERVER_GONE)
            and cell.key not in self._killed_from_outside
        ):
            self._killed_from_outside.add(cell.key)
            self._replace(worker)
            yield from self._assign(worker, cell)
            return
        if code is not None and code < 0:
            how = f"was ended by signal {-code} ({signal.Signals(-code).name})"
        else:
            how = f"ended with exit code {code}"
        message = f"the worker's process {how}; see {self.root / 'worker.log'}"
        yield from self._end(worker, cell, "crash", message)

    def _end(self, worker: _Worker, cell: Cell, kind: FailureKind, message: str) -> Iterator[Event]:
        """Kill what is left of a worker, leave a row for its cell, start another worker."""
        from mlbench.executors.cell_runner import failed_row

        seconds = time.monotonic() - worker.since
        self._replace(worker)
        stored = self.store.scan([cell.key]).rows.get(cell.key)
        if stored is not None and stored.is_ok:
            yield Finished(cell, "ok", seconds)  # it had just finished
            return
        try:
            self.store.write_row(failed_row(cell, Failure(kind, message), seconds))
        except OSError as error:
            yield Unstored(cell, str(error))
            return
        yield Finished(cell, kind, seconds, message)

    def _start_worker(self) -> _Worker:
        from mlbench.executors.worker import serve

        try:
            ours, theirs = self._context.Pipe()
            their_lifeline, our_lifeline = self._context.Pipe(duplex=False)
        except OSError as error:
            raise MlbenchError(
                f"no more than {len(self._workers)} workers could be started: {error}; "
                f"run the command again with fewer --jobs than {self.jobs}"
            ) from error
        process = self._context.Process(
            target=serve,
            args=(theirs, their_lifeline, self.root, self.data_dirs, self.threads),
        )
        try:
            process.start()
        except (OSError, EOFError) as error:
            reason = f": {error}" if str(error) else ", its server has ended"
            raise MlbenchError(
                f"a worker could not be started{reason}; what is done is kept, run the command "
                f"again (with fewer --jobs than {self.jobs}, if files or memory ran out)"
            ) from error
        theirs.close()
        their_lifeline.close()
        return _Worker(process, ours, our_lifeline)

    def _replace(self, worker: _Worker) -> None:
        self._kill(worker)
        new = self._start_worker()
        worker.process, worker.line, worker.lifeline = new.process, new.line, new.lifeline
        worker.cell = None

    def _kill(self, worker: _Worker) -> None:
        kill_group(worker.process.pid)
        worker.process.kill()  # if it does not lead a group yet
        worker.process.join()
        worker.line.close()
        worker.lifeline.close()

    def _stop(self) -> None:
        for worker in self._workers:
            if worker.cell is None:
                worker.line.close()
        for worker in self._workers:
            if worker.cell is None:
                worker.process.join(1)
            self._kill(worker)
        self._workers = []


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables for processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
