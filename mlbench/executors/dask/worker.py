"""What a run asks of a Dask worker: which code it has, to run a cell, to end what it runs."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from functools import cache
from hashlib import sha256
from pathlib import Path

import mlbench
from mlbench.executors.dask.child_process import IDLE_SECONDS, Order, Outcome
from mlbench.executors.process import kill_group
from mlbench.registry.import_policy import VARIABLE

_PROGRAM = "from mlbench.executors.dask.child_process import main; main()"
_lock = threading.Lock()
_idle: dict[str, list[_Child]] = defaultdict(list)
_led: dict[str, set[_Child]] = defaultdict(set)


@cache
def code_of_mlbench() -> str:
    """Return the version of mlbench and a hash of all its code, as they are here."""
    home = Path(mlbench.__file__).parent
    content = sha256()
    for path in sorted(home.rglob("*.py")):
        content.update(path.relative_to(home).as_posix().encode() + b"\0")
        content.update(sha256(path.read_bytes()).digest())
    return f"{mlbench.__version__}, code {content.hexdigest()[:12]}"


def run_cell(order: Order) -> Outcome:
    """Run a cell in a process that this thread leads; the process stays for the next one.

    Raises
    ------
    RuntimeError
        If the process ended, or could not do its work: for its own reasons, not the cell's.
    """
    child = _take(order)
    try:
        outcome = child.ask(order)
    except BaseException:
        with _lock:
            _led[order.run].discard(child)
        child.end()
        raise
    with _lock:
        _idle[order.run].append(child)
    return outcome


def end_run(run: str) -> None:
    """End all processes that work, or have worked, for a run."""
    with _lock:
        _idle.pop(run, None)
        children = _led.pop(run, set())
    for child in children:
        child.end()


def _take(order: Order) -> _Child:
    with _lock:
        idle = _idle[order.run]
        while idle:
            child = idle.pop()
            if child.is_fresh:
                return child
            _led[order.run].discard(child)
            child.end()
        child = _Child(order)
        _led[order.run].add(child)
        return child


class _Child:
    """A process that runs cells, seen from outside."""

    def __init__(self, order: Order) -> None:
        self._folder = tempfile.mkdtemp(prefix="mlbench-")
        self._asked = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                VARIABLE: "1" if order.allow_imports else "0",
            },
        )

    @property
    def is_fresh(self) -> bool:
        """Whether the process surely waits for another order."""
        waits = time.monotonic() - self._asked
        return self._process.poll() is None and waits < IDLE_SECONDS / 2

    def ask(self, order: Order) -> Outcome:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(order, self._process.stdin)
            self._process.stdin.flush()
            answer = pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise RuntimeError("the process that ran the cell has ended") from None
        self._asked = time.monotonic()
        if isinstance(answer, str):
            raise RuntimeError(answer)
        assert isinstance(answer, Outcome)
        return answer

    def end(self) -> None:
        kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        shutil.rmtree(self._folder, ignore_errors=True)
