"""Start the program.

Most of what a command takes is the import of its libraries. So commands are forked from a process
that has imported them, where nothing tells the difference: the new process is a child of this one,
with its own environment, working folder and streams. Tests of the start itself start Python.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.processes import PATIENCE

MAY_DIFFER = {
    "LAB",
    "MLBENCH_ALLOW_IMPORT",
    "MLBENCH_CACHE",
    "MLBENCH_DATA",
    "PYTHONPATH",
    "SLURM_CONF",
}
"""Environment variables that are read when a command runs, or that have a template of their own."""

_FORKED_WITH = {"stdout", "stderr", "start_new_session"}
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_PR_SET_CHILD_SUBREAPER = 36
_one_at_a_time = threading.Lock()


def run(
    *words: str, cwd: Path, env: Mapping[str, str] | None = None, **options: object
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    with start(*words, cwd=cwd, env=env, **options) as process:
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def start(
    *words: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    module: str = "mlbench",
    **options: object,
) -> subprocess.Popen[str]:
    """Start a command, which hears SIGINT even if we are to ignore it, and return at once."""
    env = template_environment() if env is None else env
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    alike = sys.platform == "linux" and options.keys() <= _FORKED_WITH
    forked = alike and _what_counts(env) == _what_counts(template_environment())
    if not forked:
        options.setdefault("preexec_fn", lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    return (_Forked if forked else subprocess.Popen)(  # type: ignore[call-overload]
        [sys.executable, "-m", module, *words],
        cwd=cwd,
        env=dict(env),
        text=True,
        **options,
    )


class _Forked(subprocess.Popen):
    """A process like any other, but forked from the template."""

    def _execute_child(self, args, *more):
        _, _, _, _, folder, environment, _, _, _, read, _, _, out, _, error, *_, session, _ = more
        _, _, module, *words = args
        words = {"words": words, "folder": str(folder), "environment": environment}
        request = json.dumps({"module": module, **words, "new_session": session}).encode()
        template = _template(environment.get("PYTHONPATH", ""))
        with _one_at_a_time:
            _become_subreaper(True)
            try:
                socket.send_fds(template, [request], [max(read, 0), out, error])
                answer = template.recv(20)
            finally:
                _become_subreaper(False)
        assert answer, "the template process has ended"
        self.pid = int(answer)
        self._child_created = True
        self._close_pipe_fds(*more[9:15])


@cache
def _template(search_path: str) -> socket.socket:
    """Start the template process of mlbench as it is on a search path; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, Path(__file__).with_name("template_process.py"), str(theirs.fileno())],
            env={**template_environment(), "PYTHONPATH": search_path, **_ONE_THREAD},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
        )
    return ours


@cache
def template_environment() -> dict[str, str]:
    """Return the environment of commands: that of the first call, before tests change it."""
    return {**os.environ, "PYTHONWARNINGS": "ignore"}


def _what_counts(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name not in MAY_DIFFER
        and not name.startswith(("PYTEST", "KMP_"))  # scikit-learn sets KMP_ on import
    }


def _become_subreaper(yes: bool) -> None:
    """Become the parent of descendants that lose theirs, or no more."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)
