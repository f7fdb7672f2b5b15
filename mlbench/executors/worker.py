"""A worker: takes one cell after another and leaves a row for each.

This module is what the fork server imports before the first worker starts, so that a new
worker finds numpy, scipy and scikit-learn already there.
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

from mlbench.executors.cell_runner import Bench
from mlbench.executors.process import die_with_parent
from mlbench.plan import Cell

_TO_LOG = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
"""A link in the log's place, in a folder from elsewhere, is not written through."""


def serve(
    cells: Connection, lifeline: Connection, root: Path, data_dirs: Sequence[Path], threads: int
) -> None:
    """Run cells as they come, until the line closes.

    For each cell that is received, ``(key, status, seconds, message)`` is sent back once its row
    is on the disk, with the status ``unstored`` if it could not be written.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    os.environ.pop("PYTHONSAFEPATH", None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(lifeline)
    own = os.getpid()
    bench = Bench(root, data_dirs)
    with threadpool_limits(threads):
        while True:
            try:
                cell = cells.recv()
            except EOFError:
                return
            _keep_output_apart(root / "worker.log")
            start = time.perf_counter()
            status, message = _work(bench, cell, own)
            with contextlib.suppress(BrokenPipeError):
                cells.send((cell.key, status, time.perf_counter() - start, message))


def _work(bench: Bench, cell: Cell, own: int) -> tuple[str, str]:
    try:
        row = bench.row_of(cell)
        if os.getpid() != own:  # a method forked and came back in the child
            os._exit(0)
        bench.keep(row)
    except OSError as error:
        return "unstored", str(error)
    return row.status, row.failure.message if row.failure else ""


def _keep_output_apart(path: Path) -> None:
    """Send what methods print, and the stack of a crash, to a file of its own."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, _TO_LOG, 0o644)
    except OSError:
        handle = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(Exception):  # a method may have closed or replaced them
        sys.stdout.flush()
        sys.stderr.flush()
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    if handle > 2:  # it is one of the two if a method had closed them
        os.close(handle)
    faulthandler.enable(file=2, all_threads=False)
