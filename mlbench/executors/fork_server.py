"""The server that workers are forked from: a process that has the heavy libraries loaded."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from types import ModuleType

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_lock = threading.RLock()
"""Held wherever this process changes for a moment: threads of a Dask worker start workers, too."""


def start_fork_server() -> None:
    """Start the fork server, unless it is running.

    The server imports the heavy libraries in the background with one thread for linear algebra;
    each process of a cell sets its own number.
    """
    variables = {**dict.fromkeys(_THREAD_VARIABLES, "1"), "PYTHONSAFEPATH": "1"}
    with _lock, _ignoring_interrupts(), _environment(variables), _main_module_hidden():
        multiprocessing.set_forkserver_preload(["mlbench.executors.preload"])
        forkserver.ensure_running()


def fork_worker(function: Callable[..., None], *args: object) -> BaseProcess:
    """Fork a process from the server, and have it call a function.

    Raises
    ------
    OSError, EOFError
        If there are too many processes or files, or the server has ended.
    """
    with _lock, _main_module_hidden(), _children_allowed():
        process = multiprocessing.get_context("forkserver").Process(target=function, args=args)
        process.start()
    return process


def join(process: BaseProcess, seconds: float | None = None) -> None:
    """Wait for a process to end.

    Its exit code can be read from the server once. Without the lock, a thread that starts another
    process could read it at the same moment.
    """
    with _lock:
        process.join(seconds)


@contextlib.contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Have what is started here ignore Ctrl-C, which only the main process handles."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables for processes started inside the block."""
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


@contextlib.contextmanager
def _main_module_hidden() -> Iterator[None]:
    """Keep multiprocessing from running the main module, which may be a user's script, again."""
    main, hidden = sys.modules["__main__"], ModuleType("__main__")
    sys.modules["__main__"] = hidden
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _children_allowed() -> Iterator[None]:
    """Allow child processes, which a Dask worker with a nanny may not start."""
    current = multiprocessing.current_process()
    banned = current.daemon
    current.daemon = False
    try:
        yield
    finally:
        current.daemon = banned
