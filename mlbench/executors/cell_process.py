"""A process that runs cells. It is forked from a worker, in which no code of a method has run."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import time
import traceback
from collections.abc import Callable
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import NoReturn

from threadpoolctl import ThreadpoolController

from mlbench.executors.cell_runner import CellRunner
from mlbench.executors.log import WorkerLog
from mlbench.executors.process import die_with_parent, kill_descendants, reap
from mlbench.executors.shared_text import SharedText
from mlbench.hashing import canonical_json
from mlbench.plan import Cell
from mlbench.registry.import_policy import imports_allowed
from mlbench.steps import heard_by
from mlbench.store import Row, to_plain
from mlbench.store.checksum import DamagedFileError
from mlbench.store.predictions import check, compressed
from mlbench.store.row import row_from_json

_POLL_SECONDS = 0.1
"""How soon the worker notices that a process has ended without a result."""

_TELL_SECONDS = 1.0
"""How often at most the run hears how far a cell is."""

TRACKER_SECONDS = 0.5
"""How long resource trackers may take to remove what a process has left."""


class ProcessEndedError(Exception):
    """The process ended without a result; the argument is its exit code."""


class CellProcess:
    """Runs cells in a forked process, and reads what they print.

    The process returns texts and files of plain arrays, so that this one loads no code of a method.

    Parameters
    ----------
    runner : CellRunner
        The forked process has the data sets that it has loaded.
    threads : int
        BLAS threads.
    custom : bool
        Whether to run code that comes neither with mlbench nor with scikit-learn. Such a process
        is for a single cell.
    commands : Connection
        The worker's connection to the run. The run is over if it closes.
    log : WorkerLog
        The log of what the cells print.
    """

    def __init__(
        self,
        runner: CellRunner,
        threads: int,
        custom: bool,
        commands: Connection,
        log: WorkerLog,
    ) -> None:
        self._commands = commands
        self._log = log
        self._cell: Cell | None = None
        self._connection, theirs = Pipe()
        self._at = SharedText()
        self._printed, printing = os.pipe()
        os.set_blocking(self._printed, False)
        self._sources: list[Connection | int] = [self._connection, self._printed]
        libraries = _libraries()
        self._pid = os.fork()
        if self._pid == 0:
            for connection in (commands, self._connection):
                connection.close()
            _serve(theirs, runner, libraries, threads, custom, printing, self._at)
        theirs.close()
        os.close(printing)

    def run(self, cell: Cell, tell: Callable[[str], None]) -> tuple[Row, bytes]:
        """Run a cell; return its row, and the file of the predictions to keep, or nothing.

        Parameters
        ----------
        cell : Cell
        tell : callable
            Called about once a second with how far the cell is, if that has changed.

        Raises
        ------
        ProcessEndedError
            If the process ends without a result.
        EOFError
            If the run ends first.
        DamagedFileError
            If the process returned something other than a row of the cell.
        """
        self._cell = cell
        told, next_time = "", time.monotonic() + _TELL_SECONDS
        with contextlib.suppress(OSError):  # it is noticed below that the process has ended
            self._connection.send(cell)
        while True:
            ready = wait([*self._sources, self._commands], _POLL_SECONDS)
            content = self._receive() if self._connection in ready else None
            self._read_printed()  # after the result: then it is complete
            if content is not None:
                return _result(cell, *content)
            if time.monotonic() >= next_time and (at := self._at.read()) != told:
                tell(at)
                told, next_time = at, time.monotonic() + _TELL_SECONDS
            if self._commands in ready:
                raise EOFError
            if (code := reap(self._pid)) is not None:
                raise ProcessEndedError(code)

    def end(self) -> None:
        """End the process and all processes that it has started."""
        kill_descendants(os.getpid(), TRACKER_SECONDS)
        self._connection.close()
        self._read_printed()
        os.close(self._printed)
        self._at.close()
        reap(self._pid)

    def _receive(self) -> tuple[bytes, bytes] | None:
        try:
            return self._connection.recv_bytes(), self._connection.recv_bytes()
        except (EOFError, OSError):
            self._sources.remove(self._connection)
            return None

    def _read_printed(self) -> None:
        if self._printed not in self._sources:
            return
        with contextlib.suppress(BlockingIOError):
            while text := os.read(self._printed, 2**16):
                if self._cell is not None:
                    self._log.append(self._cell, text)
            self._sources.remove(self._printed)  # no process is left that could print


def _result(cell: Cell, text: bytes, predictions: bytes) -> tuple[Row, bytes]:
    row = row_from_json(text, cell.key)
    if predictions:
        try:
            check(predictions)
        except Exception as error:
            raise DamagedFileError(f"predictions: {error}") from None
    return row, predictions


@cache
def _libraries() -> ThreadpoolController:
    """Find the libraries with threads, once for all processes forked from this one."""
    return ThreadpoolController()


def _serve(
    connection: Connection,
    runner: CellRunner,
    libraries: ThreadpoolController,
    threads: int,
    custom: bool,
    printing: int,
    at: SharedText,
) -> NoReturn:
    """Run the cells that arrive. This function never returns: it ends the process."""
    pid = os.getpid()
    try:
        die_with_parent()
        os.dup2(printing, 1)
        os.dup2(printing, 2)
        os.close(printing)
        # Line by line, so that the log has what was printed before a crash.
        sys.stdout = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
        faulthandler.enable(file=2, all_threads=False)
        if custom and imports_allowed():
            os.environ.pop("PYTHONSAFEPATH", None)
        with libraries.limit(limits=threads):
            while True:
                cell = connection.recv()
                at.write("")
                with heard_by(at.write):
                    texts = _run(runner, cell)
                if os.getpid() != pid:  # a method forked, and this is the child
                    os._exit(0)
                with contextlib.suppress(Exception):  # a method may have closed or replaced them
                    sys.stdout.flush()
                    sys.stderr.flush()
                for text in texts:
                    connection.send_bytes(text)
    except EOFError:
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _run(runner: CellRunner, cell: Cell) -> tuple[bytes, bytes]:
    """Run a cell; return its row and the file of its predictions."""
    row, predictions = runner.run(cell)
    return canonical_json(to_plain(row)).encode(), compressed(predictions) if predictions else b""
