"""Memory limits, memory use, process groups, and workers that die with their parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def die_with_parent(lifeline: Connection) -> None:
    """End this process and its children as soon as the other end of the pipe is closed.

    A thread waits on the pipe, which closes when the main process ends for any reason. On Linux
    the kernel also kills this process then, in case the interpreter is stuck in C code.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def wait() -> None:
        with contextlib.suppress(EOFError, OSError):
            lifeline.recv_bytes()
        kill_group(os.getpid())
        os._exit(1)  # on platforms without process groups

    threading.Thread(target=wait, daemon=True, name="lifeline").start()


def kill_group(pid: int) -> None:
    """Kill the process group that a worker leads: the worker and all its children.

    The worker itself may already be gone while its children are still in the group.
    """
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def limit_own_memory(megabytes: float | None) -> None:
    """Make allocations beyond a limit raise MemoryError; None removes the limit.

    The limit applies to private data (RLIMIT_DATA), so shared libraries do not count.
    """
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = hard if megabytes is None else int(megabytes * 10**6) + _status_bytes("VmData")
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def group_memory_mb(pid: int) -> float:
    """Return the resident memory of a process and its descendants in MB, or 0 if unknown."""
    total = 0.0
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        try:
            pages = int(Path(f"/proc/{current}/statm").read_text().split()[1])
            total += pages * os.sysconf("SC_PAGE_SIZE") / 10**6
            for children in Path(f"/proc/{current}/task").glob("*/children"):
                waiting += map(int, children.read_text().split())
        except (OSError, ValueError, IndexError):
            continue
    return total


def reset_peak_memory() -> None:
    """Make :func:`peak_memory_mb` count from now on, where the system allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_mb() -> float | None:
    """Return this process's largest resident memory in MB, or None if unknown."""
    peak = _status_bytes("VmHWM") / 10**6
    return round(peak, 1) if peak else None


def _status_bytes(field: str) -> int:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
