"""A worker process: it runs one cell after another and writes a row for each.

The fork server imports this module before the first worker starts, so that a new worker has
numpy, scipy and scikit-learn already loaded.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import sklearn.linear_model
import sklearn.metrics
import sklearn.neighbors
import sklearn.svm
import sklearn.tree  # noqa: F401 - the usual learners, loaded before workers fork
from threadpoolctl import threadpool_limits

from mlbench.executors.cell_runner import CellRunner
from mlbench.executors.process import die_with_parent
from mlbench.plan import Cell

_LOG_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
"""The log is not written through a symbolic link, which a folder from elsewhere may contain."""


def run_worker(
    cells: Connection, lifeline: Connection, root: Path, data_dirs: Sequence[Path], threads: int
) -> None:
    """Run cells as they arrive, until the connection closes.

    For each cell received, ``(key, status, seconds, message)`` is sent back once its row is on
    disk. The status is ``write_failed`` if the row could not be written.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    os.environ.pop("PYTHONSAFEPATH", None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(lifeline)
    worker_pid = os.getpid()
    runner = CellRunner(root, data_dirs)
    with threadpool_limits(threads):
        while True:
            try:
                cell = cells.recv()
            except EOFError:
                return
            _redirect_output(root / "worker.log")
            start = time.perf_counter()
            status, message = _run_and_store(runner, cell, worker_pid)
            with contextlib.suppress(BrokenPipeError):
                cells.send((cell.key, status, time.perf_counter() - start, message))


def _run_and_store(runner: CellRunner, cell: Cell, worker_pid: int) -> tuple[str, str]:
    try:
        row = runner.run(cell)
        if os.getpid() != worker_pid:  # a method forked, and this is the child
            os._exit(0)
        runner.store_row(row)
    except OSError as error:
        return "write_failed", str(error)
    return row.status, row.failure.message if row.failure else ""


def _redirect_output(path: Path) -> None:
    """Send what methods print, and the stack of a crash, to a log file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, _LOG_FLAGS, 0o644)
    except OSError:
        handle = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(Exception):  # a method may have closed or replaced them
        sys.stdout.flush()
        sys.stderr.flush()
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    if handle > 2:  # otherwise a method had closed stdout or stderr, and this is one of them
        os.close(handle)
    faulthandler.enable(file=2, all_threads=False)
