"""Limit and measure the memory of processes, and end them with everything that they started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, where it can (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose parent ends, where possible (Linux).

    Then every descendant can be found, even one that has started a new session.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def descendants(pid: int) -> Iterator[int]:
    """Yield the living descendants of a process; none where there is no /proc."""
    waiting = [pid]
    while waiting:
        found = _children(waiting.pop())
        waiting += found
        yield from (child for child in found if _is_running(child))


def _children(pid: int) -> list[int]:
    """Return the children of a process; none if it ends meanwhile."""
    found: list[int] = []
    threads: list[Path] = []
    with contextlib.suppress(OSError):
        threads = [*Path(f"/proc/{pid}/task").iterdir()]
    for thread in threads:
        with contextlib.suppress(OSError):  # the thread has ended
            found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def kill_descendants(pid: int, patience: float = 0.0) -> None:
    """Kill all descendants of a process that adopts orphans.

    Resource trackers of multiprocessing and joblib get ``patience`` seconds to remove what the
    others have left in shared memory.
    """
    killed: set[int] = set()
    end = time.monotonic() + patience
    looks = 2  # a child may be missed once, while its parent ends
    while looks:
        new = set(descendants(pid)) - killed
        late = time.monotonic() >= end
        doomed = {each for each in new if late or not _is_resource_tracker(each)}
        for each in doomed:
            _signal(each, signal.SIGKILL)
        killed |= doomed
        looks = looks - 1 if not new else 2
        if new and not doomed:
            time.sleep(0.005)


def kill_worker(pid: int) -> None:
    """Kill a worker, its process group, and everything that its cells have started."""
    _signal(pid, signal.SIGSTOP)  # it stays, to adopt the orphans, and does not react
    kill_descendants(pid)
    kill_group(pid)
    _signal(pid, signal.SIGKILL)  # in case it does not lead a group yet


def kill_group(pid: int) -> None:
    """Kill the process group that a process leads or, if it has ended, has led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def reap(pid: int) -> int | None:
    """Collect the children that have ended; return the exit code of one of them if it has ended.

    The code of a process that was killed is the negative number of the signal.
    """
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == pid:
                return os.waitstatus_to_exitcode(ended[1])
    return None


def limit_own_memory(megabytes: float | None) -> None:
    """Make allocations beyond a limit raise MemoryError; None removes the limit.

    The limit applies to private data (RLIMIT_DATA), so shared libraries do not count.
    """
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = hard if megabytes is None else int(megabytes * 10**6) + _status_bytes("status", "VmData")
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def exceeds_memory(pid: int, megabytes: float) -> bool:
    """Return whether a process and its descendants take more memory; False where it is unknown.

    Memory that processes share is divided among them (proportional set size). That is slow to
    read, and is read only where memory that counts what is shared for each is above the limit.
    """
    most, family = megabytes * 1e6, [pid, *descendants(pid)]
    if sum(_status_bytes("status", "VmRSS", each) for each in family) <= most:
        return False
    return sum(_status_bytes("smaps_rollup", "Pss", each) for each in family) > most


def reset_peak_memory() -> None:
    """Make :func:`peak_memory_mb` count from now on, where the system allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def cpu_seconds() -> float:
    """Return the CPU time of this process and of the children that it has waited for."""
    import resource

    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def peak_memory_mb() -> float | None:
    """Return this process's largest resident memory in MB, or None if unknown."""
    peak = _status_bytes("status", "VmHWM") / 10**6
    return round(peak, 1) if peak else None


def _status_bytes(file: str, field: str, pid: int | str = "self") -> int:
    try:
        for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _is_resource_tracker(pid: int) -> bool:
    try:
        return b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
