"""Functions that a run calls on a Dask worker: code version, run a cell, kill a run's processes."""

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
from mlbench.executors.dask.child_process import IDLE_SECONDS, CellOutput, CellRequest
from mlbench.executors.process import kill_group
from mlbench.registry.import_policy import VARIABLE

_PROGRAM = "from mlbench.executors.dask.child_process import main; main()"
_lock = threading.Lock()
_idle: dict[str, list[_ChildProcess]] = defaultdict(list)
_children: dict[str, set[_ChildProcess]] = defaultdict(set)


@cache
def code_version() -> str:
    """Return the version of mlbench and a hash of its code, as installed here."""
    home = Path(mlbench.__file__).parent
    content = sha256()
    for path in sorted(home.rglob("*.py")):
        content.update(path.relative_to(home).as_posix().encode() + b"\0")
        content.update(sha256(path.read_bytes()).digest())
    return f"{mlbench.__version__}, code {content.hexdigest()[:12]}"


def run_cell(request: CellRequest) -> CellOutput:
    """Run a cell in a child process, which stays for the next cell.

    Raises
    ------
    RuntimeError
        If the child process exited or failed for a reason other than the cell.
    """
    child = _take_child(request)
    try:
        output = child.run(request)
    except BaseException:
        with _lock:
            _children[request.run].discard(child)
        child.kill()
        raise
    with _lock:
        _idle[request.run].append(child)
    return output


def end_run(run: str) -> None:
    """Kill all child processes of a run."""
    with _lock:
        _idle.pop(run, None)
        children = _children.pop(run, set())
    for child in children:
        child.kill()


def _take_child(request: CellRequest) -> _ChildProcess:
    with _lock:
        idle = _idle[request.run]
        while idle:
            child = idle.pop()
            if child.is_available:
                return child
            _children[request.run].discard(child)
            child.kill()
        child = _ChildProcess(request)
        _children[request.run].add(child)
        return child


class _ChildProcess:
    """The parent's handle on a child process that runs cells."""

    def __init__(self, request: CellRequest) -> None:
        self._folder = tempfile.mkdtemp(prefix="mlbench-")
        self._last_used = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                VARIABLE: "1" if request.allow_imports else "0",
            },
        )

    @property
    def is_available(self) -> bool:
        """Whether the process is certain to be waiting for another request."""
        idle = time.monotonic() - self._last_used
        return self._process.poll() is None and idle < IDLE_SECONDS / 2

    def run(self, request: CellRequest) -> CellOutput:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(request, self._process.stdin)
            self._process.stdin.flush()
            answer = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            # ValueError: `kill` has closed the streams.
            raise RuntimeError("the process that ran the cell has exited") from None
        self._last_used = time.monotonic()
        if isinstance(answer, str):
            raise RuntimeError(answer)
        assert isinstance(answer, CellOutput)
        return answer

    def kill(self) -> None:
        kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        shutil.rmtree(self._folder, ignore_errors=True)
