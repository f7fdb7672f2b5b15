"""How tasks of SLURM job arrays ended, as their logs say it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from mlbench.executors.slurm import QueuedArray
from mlbench.number_text import counted

NOT_BEGUN = "before the start, as when canceled while waiting"
_NOT_QUEUED_AGAIN = "when stopped on request, and not queued again, as when canceled while waiting"
_NOTHING_FINISHED = "stopped on request: 0 of "
_ENDS = {
    "oom_kill": "for want of memory: ask for more, see --mem",
    "oom-kill": "for want of memory: ask for more, see --mem",
    " Killed ": "by a kill; the usual reason is want of memory",
    "\nstopped: ": "when a signal told it to stop",
}
"""How a task ended, by what SLURM or the shell writes last into its log."""
_CANCELED = re.compile(r"CANCELLED AT \S+(?: DUE TO (.+?))? \*\*\*")
_REQUEUED = "DUE TO JOB REQUEUE"
"""What SLURM writes, now and then, when a task has queued itself again."""
_ERROR = re.compile(
    r"(Error: .*|\w+(?:Error|Exception): .*)|.*?: line \d+: (.*)|.*: (No module named .*)"
)
"""Last lines that are the reason: of Python, of the shell, and of Python's start."""
_PLACE = re.compile(r"\S.*?:\d+:\d+: ")
"""What a message begins with of an error at a line and column of an experiment file."""
_LAST_LINES = 5
_UNEXPLAINED = (
    "early: where the end of the log does not say why, the processes were killed, or a node "
    "failed; see sacct"
)


def _end_of_task(lines: Sequence[str], has_ended: bool, is_queue_known: bool) -> str:
    """Return how a task ended, as its log says it; an empty text if its run came to its end.

    Of one that is in the queue again, only that it makes no progress.
    """
    lines = [line for line in lines if line and _REQUEUED not in line]
    stops = [line for line in lines if line.startswith("stopped on request: ")]
    if len(stops) > 1 and all(line.startswith(_NOTHING_FINISHED) for line in stops[-2:]):
        return "twice or more before a cell had finished: ask for more time, see --time"
    if not has_ended or (lines and lines[-1].startswith("shard ")):
        return ""
    if words := _error_at_the_end(lines):
        return f"with {words}"
    last = "\n".join(["", *lines[-_LAST_LINES:]])
    if canceled := _CANCELED.search(last):
        cause = canceled[1]
        return "by scancel" if cause is None else f"by SLURM, due to {cause.lower()}"
    if known := next((words for sign, words in _ENDS.items() if sign in last), ""):
        return known
    was_stopped = bool(stops) and lines[-1] == stops[-1]
    if was_stopped:
        return _NOT_QUEUED_AGAIN if is_queue_known else ""
    if lines and (error := _ERROR.fullmatch(lines[-1])):
        return f"with {next(filter(None, error.groups()))}"
    return _UNEXPLAINED if is_queue_known else ""


def _error_at_the_end(lines: Sequence[str]) -> str:
    """Return the error that ends a log; of several in an experiment file, the first."""
    for more, line in enumerate(reversed(lines)):
        if line.startswith("error: "):
            return line + (f" and {counted(more, 'error')} more" if more else "")
        if not _PLACE.match(line):
            break
    return ""


def ended_tasks(out: Path, queued: Iterable[QueuedArray] | None) -> dict[str, list[Path]]:
    """Return the logs of tasks that ended before their work was done, by how they ended.

    Those that never began have no file. Those of the last submission count, since it is of all
    that was left, and those of the last array since then that somebody gave to sbatch.

    Parameters
    ----------
    out : Path
    queued : iterable of QueuedArray
        Arrays with tasks that have not ended, or were queued again; None if that is not known.
    """
    waiting = {f"{array.job}_{task}" for array in queued or () for task in array.tasks}
    records = {path: json.loads(path.read_text()) for path in out.glob("slurm/[0-9]*.json")}
    first = {path: int(record.get("submission", path.stem)) for path, record in records.items()}
    last = sorted(
        (path for path in records if first[path] == max(first.values())),
        key=_job,
    )
    found: dict[str, list[Path]] = {}
    for path in last:
        record = records[path]
        for shard in record.get("tasks", ()):
            log = path.with_name(f"{path.stem}_{shard - record.get('offset', 0)}.log")
            has_ended = log.stem not in waiting
            if not log.exists():
                if has_ended and queued is not None:
                    found.setdefault(NOT_BEGUN, []).append(log)
                continue
            if end := _end_of_task(_lines_of(log), has_ended, queued is not None):
                found.setdefault(end, []).append(log)
    for log in _logs_since(out, max(map(_job, last), default=0)):
        if end := _end_of_task(_lines_of(log), log.stem not in waiting, queued is not None):
            found.setdefault(end, []).append(log)
    return found


def _lines_of(log: Path) -> list[str]:
    return log.read_text(errors="replace").splitlines()


def _job(file: Path) -> int:
    return int(file.stem.partition("_")[0])


def _logs_since(out: Path, submitted: int) -> list[Path]:
    """Return the logs of the last array after a job, whose script somebody gave to sbatch."""
    logs = [log for log in out.glob("slurm/[0-9]*_*.log") if _job(log) > submitted]
    last = max(map(_job, logs), default=0)
    return sorted((log for log in logs if _job(log) == last), key=lambda log: log.stem)
