"""SLURM job arrays: the script, its submission, and what the queue says of it.

Nothing here runs cells. Each task of an array is a ``mlbench run --shard`` of its own.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlbench.errors import MlbenchError
from mlbench.store.atomic import write_text

_MOST_REQUEUES = 20

_SCRIPT = """\
#!/bin/bash
{directives}

# One task of the array runs one shard: its cells, and of those what is missing. A task that is
# warned of its time limit, or told to stop, finishes what it can and is queued again; cells that
# were cut off go on from the finished folds of their search.
cd {folder}
{command} --grace-period {last_call} --shard "$SLURM_ARRAY_TASK_ID/{parts}" &
trap "kill -USR1 $!" USR1
trap "kill -TERM $!" TERM
while kill -0 $! 2> /dev/null; do  # a trap cuts a wait short
    wait $!
done
wait $!; status=$?
if [ "$status" -eq 75 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {requeues} ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
"""


@dataclass(frozen=True)
class Array:
    """A job array that fills a results folder.

    Parameters
    ----------
    name : str
        The experiment's name.
    command : sequence of str
        The run without its shard.
    folder : Path
        Where the command is run.
    out : Path
        The results folder; scripts and logs stand in its folder ``slurm``.
    parts : int
        Into how many shards the cells are divided.
    tasks : sequence of int
        The shards that have something to do.
    cpus : int
        Processors of each task.
    seconds, megabytes : float, optional
        Limits of each task.
    partition : str, optional
    extra : sequence of str
        Other options of sbatch, such as ``--account=lab``.
    """

    name: str
    command: Sequence[str]
    folder: Path
    out: Path
    parts: int
    tasks: Sequence[int]
    cpus: int = 1
    seconds: float | None = None
    megabytes: float | None = None
    partition: str | None = None
    extra: Sequence[str] = ()

    @property
    def warning(self) -> int:
        """How many seconds before its limit a task is told to finish."""
        return 120 if self.seconds is None else int(min(120, max(12, self.seconds / 4)))

    def script(self) -> str:
        """Return the text for sbatch.

        Raises
        ------
        MlbenchError
            If an extra option is not one, or is more than a line.
        """
        options = [
            f"--job-name=mlbench-{self.name}",
            f"--array={ranges(self.tasks)}",
            f"--output={self.out}/slurm/%A_%a.log",
            "--open-mode=append",
            "--requeue",
            f"--cpus-per-task={self.cpus}",
            f"--signal=B:USR1@{self.warning}",
        ]
        if self.seconds is not None:
            options.append(f"--time={_clock(self.seconds)}")
        if self.megabytes is not None:
            options.append(f"--mem={max(1, round(self.megabytes * 1e6 / 2**20))}M")
        if self.partition is not None:
            options.append(f"--partition={self.partition}")
        options.extend(self.extra)
        for option in options:
            if not re.fullmatch(r"--?[A-Za-z][^\n\r]*", option):
                raise MlbenchError(
                    f"{option!r}: not an option of sbatch on one line; write --extra=--account=lab"
                )
        return _SCRIPT.format(
            directives="\n".join(f"#SBATCH {_quoted(option)}" for option in options),
            folder=shlex.quote(str(self.folder)),
            command=shlex.join(self.command),
            parts=self.parts,
            last_call=self.warning * 3 // 4,
            requeues=_MOST_REQUEUES,
        )


def submit(array: Array) -> str:
    """Write the script into the results folder, hand it to sbatch, and return the job's number.

    Raises
    ------
    MlbenchError
        If there is no sbatch, or it refuses.
    """
    text = array.script()
    if shutil.which("sbatch") is None:
        raise MlbenchError(
            "there is no sbatch on this machine; submit from one that has SLURM, or look at the "
            "script with --dry-run and take its command"
        )
    folder = array.out / "slurm"
    script = folder / "array.sh"
    write_text(script, text)
    told = _run(["sbatch", "--parsable", str(script)])
    job = told.split(";")[0].strip()
    if not job.isdigit():
        raise MlbenchError(f"sbatch answered {told!r}, which is no job number")
    note = {"job": job, "tasks": list(array.tasks), "parts": array.parts, "script": text}
    write_text(folder / f"{job}.json", json.dumps(note, indent=1))
    return job


def queued_tasks(out: Path) -> list[dict[str, Any]]:
    """Return what the queue holds of the arrays that were submitted for a results folder.

    Each entry has the job's number, the states of its tasks with their numbers, and the reasons
    that SLURM gives for tasks that wait. Where SLURM cannot be asked, the list is empty.
    """
    jobs = {path.stem for path in out.glob("slurm/[0-9]*.json")}
    if not jobs or shutil.which("squeue") is None:
        return []
    try:
        told = _run(["squeue", "--me", "--array", "--noheader", "--format=%F|%T|%r"])
    except MlbenchError:
        return []
    lines = [line.split("|") for line in told.splitlines() if line.count("|") == 2]
    found = []
    for job in sorted(jobs & {line[0] for line in lines}, key=int):
        states = Counter(state.lower() for number, state, _ in lines if number == job)
        reasons = {
            reason for number, _, reason in lines if number == job and reason not in ("None", "")
        }
        found.append({"job": job, "states": dict(states), "reasons": sorted(reasons)})
    return found


def ranges(numbers: Sequence[int]) -> str:
    """Return numbers as SLURM lists them: ``1-3,7``."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def run_command(config: Path, out: Path, cpus: int, words: Sequence[str]) -> list[str]:
    """Return the command of a task, without its shard; it uses this very Python.

    With ``-P``, modules in the folder where the command runs are not taken for others.
    """
    head = [sys.executable, "-P", "-m", "mlbench", "run", str(config), "--out", str(out)]
    return [*head, "--jobs", str(cpus), "--quiet", *words]


def _clock(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    days, minutes = divmod(minutes, 1440)
    return f"{days}-{minutes // 60:02d}:{minutes % 60:02d}:00"


def _quoted(option: str) -> str:
    return option if re.fullmatch(r"[\w%+,.:/@=-]+", option) else f'"{option}"'


def _run(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MlbenchError(f"{words[0]} could not be run: {error}") from None
    if done.returncode:
        raise MlbenchError(f"{words[0]} refused: {' '.join(done.stderr.split()) or 'no reason'}")
    return done.stdout.strip()
