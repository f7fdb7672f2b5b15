"""SLURM job arrays: their batch scripts, submission, and the state of the queue.

Nothing here runs cells. Each task of an array calls ``mlbench run --shard``.
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
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Timer

from mlbench.errors import MlbenchError
from mlbench.executors.slurm_limits import memory_option, time_option
from mlbench.hashing import digest
from mlbench.store.atomic import write_text
from mlbench.store.paths import inside

SETUP_FAILED = "the setup line failed"
"""What a task says last whose environment is not set up."""

_PATIENCE, _TIMEOUT = 4.0, 60
"""Seconds after which a wait for SLURM is told, and after which it ends."""
_MAX_REQUEUES = 20
_USUAL_ARRAY_SIZE = 1001
"""SLURM's own MaxArraySize."""

_SCRIPT = """\
#!/bin/bash
{directives}
{setup}
set +eu  # what setup lines set is not for what follows
# Each task of the array runs the missing cells of one shard. A task that is warned of its time
# limit, or told to stop, finishes what it can and is queued again; interrupted cells resume from
# the finished folds of their search.
cd {folder} || exit 1
{command} --grace-period {grace_period} --shard "{shard}/{parts}" &
trap "kill -USR1 $! 2> /dev/null" USR1
trap "kill -TERM $! 2> /dev/null" TERM
while kill -0 $! 2> /dev/null; do  # bash can lose the status when a trap interrupts wait
    sleep 1
done
wait $!; status=$?
[ "$status" -ne 138 ] || status=75  # warned before it could listen
if [ "$status" -eq 75 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {requeues} ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
"""


@dataclass(frozen=True)
class JobArray:
    """A SLURM job array that runs the missing cells of an experiment."""

    name: str
    """The experiment's name."""
    command: Sequence[str]
    """The run command without its shard."""
    folder: Path
    """The working directory of the command."""
    out: Path
    """The results folder; scripts and logs are in its folder ``slurm``."""
    parts: int
    """Number of shards."""
    tasks: Sequence[int]
    """Numbers of the shards with missing cells."""
    offset: int = 0
    """What the number of a shard exceeds that of its task by."""
    at_once: int | None = None
    """The most tasks that run at a time."""
    setup: Sequence[str] = ()
    """Lines of shell that each task runs first."""
    cpus: int = 1
    """CPUs per task."""
    seconds: float | None = None
    megabytes: float | None = None
    """Time and memory limits per task; see :mod:`mlbench.executors.slurm_limits`."""
    partition: str | None = None
    """The SLURM partition."""
    extra: Sequence[str] = ()
    """Other sbatch options, such as ``--account=lab``."""

    @property
    def warning(self) -> int:
        """How many seconds before its time limit a task is signaled to finish."""
        return 120 if self.seconds is None else int(min(120, max(12, self.seconds / 4)))

    def in_parts(self, max_array_size: int) -> list[JobArray]:
        """Return arrays for the same shards whose task numbers are below SLURM's limit."""
        length = max_array_size - 1
        parts: dict[int, list[int]] = {}
        for shard in self.tasks:
            parts.setdefault((shard - 1) // length * length, []).append(shard)
        return [replace(self, tasks=tasks, offset=offset) for offset, tasks in parts.items()]

    def script(self) -> str:
        """Return the batch script.

        Raises
        ------
        MlbenchError
            If an option has more than one line, an extra one does not start with a hyphen, a
            setup line is no shell, or SLURM cannot write logs to the results folder.
        """
        if "\\" in str(self.out):
            raise MlbenchError(
                f"{self.out}: SLURM writes no log into a folder with a backslash in its path; "
                "choose another folder with --out"
            )
        logs = str(self.out).replace("%", "%%")  # "%" starts SLURM's placeholders
        numbers = format_ranges([shard - self.offset for shard in self.tasks])
        options = [
            f"--job-name=mlbench-{self.name}-{_mark(self.out)}",
            f"--array={numbers}{f'%{self.at_once}' if self.at_once else ''}",
            f"--output={logs}/slurm/%A_%a.log",
            "--open-mode=append",
            "--requeue",
            f"--cpus-per-task={self.cpus}",
            f"--signal=B:USR1@{self.warning}",
        ]
        if self.seconds is not None:
            options.append(time_option(self.seconds))
        if self.megabytes is not None:
            options.append(memory_option(self.megabytes))
        if self.partition is not None:
            options.append(f"--partition={self.partition}")
        options += [re.sub(r"^(-[A-Za-z]) +", r"\1", option) for option in self.extra]
        for option in self.extra:
            if found := _SET_HERE.match(option):
                name = _LONG.get(found[0], found[0])
                raise MlbenchError(f"{option!r}: {_INSTEAD.get(name, 'mlbench submit sets it')}")
            if not re.match("--?[A-Za-z]", option) or re.match("--[A-Za-z-]+ ", option):
                raise MlbenchError(f"{option!r}: not an sbatch option; write --extra=--account=lab")
        for option in options:
            if re.search(r"[\n\r]", option):
                raise MlbenchError(f"{option!r}: an sbatch option must be on one line")
        task = "$SLURM_ARRAY_TASK_ID"
        return _SCRIPT.format(
            directives="\n".join(f"#SBATCH {_quoted(option)}" for option in options),
            setup="".join(map(_checked, self.setup)),
            shard=f"$(({task} + {self.offset}))" if self.offset else task,
            folder=shlex.quote(str(self.folder)),
            command=shlex.join(self.command),
            parts=self.parts,
            grace_period=self.warning * 3 // 4,
            requeues=_MAX_REQUEUES,
        )


_LONG = {
    "-a": "--array",
    "-c": "--cpus-per-task",
    "-J": "--job-name",
    "-o": "--output",
    "-p": "--partition",
    "-t": "--time",
}
_INSTEAD = {
    "--array": "mlbench submit numbers the tasks: see --tasks and --at-once",
    "--cpus-per-task": "write --cpus N",
    "--mem": "write --mem",
    "--partition": "write --partition",
    "--time": 'write --time "4 h"',
}
_SET_HERE = re.compile(
    r"--(array|output|open-mode|signal|job-name|cpus-per-task|mem|partition|time)(?![\w-])"
    r"|-[acJopt](?![a-zA-Z-])"
)
"""Options of sbatch that the script has already, which another one would contradict."""


def max_array_size() -> int:
    """Return the number that those of tasks must be below: SLURM's, or the usual one without SLURM.

    Raises
    ------
    MlbenchError
        If this SLURM allows no arrays.
    """
    try:
        output = _run(["scontrol", "show", "config"])
    except MlbenchError:
        return _USUAL_ARRAY_SIZE
    found = re.search(r"^MaxArraySize\s*=\s*([0-9]+)", output, re.MULTILINE)
    size = int(found[1]) if found else _USUAL_ARRAY_SIZE
    if size < 2:
        raise MlbenchError(f"this SLURM runs no job arrays: its MaxArraySize is {size}")
    return size


class NotAllSubmittedError(MlbenchError):
    """SLURM took some of several arrays."""


def submit(arrays: Sequence[JobArray]) -> list[str]:
    """Write scripts to the results folder, submit them with sbatch, and return the job IDs.

    Of arrays with a limit of tasks at a time, each waits for the one before.

    Raises
    ------
    MlbenchError
        If sbatch is not installed or fails.
    NotAllSubmittedError
        If it fails after some of the arrays.
    """
    texts = [array.script() for array in arrays]
    require_sbatch()
    jobs: list[str] = []
    for number, (array, text) in enumerate(zip(arrays, texts, strict=True), start=1):
        script = inside(array.out, "slurm") / f"array{f'-{number}' if number > 1 else ''}.sh"
        write_text(script, text)
        waits = [f"--dependency=afterany:{jobs[-1]}"] if jobs and array.at_once else []
        try:
            output = _run(["sbatch", "--parsable", *waits, str(script)])
            jobs.append(_job_id(output))
        except MlbenchError as error:
            if not jobs:
                raise
            raise NotAllSubmittedError(
                f"{error}; part {number} of {len(arrays)} is not submitted, and job "
                f"{', '.join(jobs)} is: when it has ended, the same command submits the rest"
            ) from None
        record = {
            "job": jobs[-1],
            "tasks": list(array.tasks),
            "offset": array.offset,
            "parts": array.parts,
            "submission": jobs[0],
            "script": text,
        }
        write_text(script.with_name(f"{jobs[-1]}.json"), json.dumps(record, indent=1))
    return jobs


def _job_id(output: str) -> str:
    job = output.split(";")[0].strip()
    if not job.isdigit():
        raise MlbenchError(f"sbatch printed {output!r}, which is not a job ID")
    return job


@dataclass(frozen=True)
class QueuedArray:
    """A job array in the queue."""

    job: str
    """The job ID."""
    states: dict[str, int]
    """The number of tasks in each state, such as ``pending``."""
    reasons: list[str]
    """SLURM's reasons for tasks that wait."""
    tasks: list[int] = field(default_factory=list)
    """The numbers of its tasks that have not ended."""


def _mark(out: Path) -> str:
    """Return what the names of jobs on a results folder end with."""
    return digest(str(out.resolve()))[:8]


def queued_arrays(out: Path) -> list[QueuedArray] | None:
    """Return the queued arrays of a results folder; None if that is not known.

    They are those that anybody submitted here, and those whose script one gave to sbatch oneself.
    """
    submitted = {path.stem for path in out.glob("slurm/[0-9]*.json")}
    if not (out / "slurm").is_dir():
        return []
    if shutil.which("squeue") is None:
        return None
    form = ["squeue", "--array", "--noheader", "--format=%F|%K|%T|%r|%j"]
    try:
        output = _run([*form, "--me"])
        if others := submitted - {line.partition("|")[0] for line in output.splitlines()}:
            output += "\n" + _run_on_jobs([*form, f"--jobs={','.join(sorted(others))}"])
    except MlbenchError:
        return None
    lines = [line.split("|", 4) for line in output.splitlines() if line.count("|") >= 4]
    tasks: dict[str, list[tuple[str, str, str]]] = {}
    for job, task, state, reason, name in lines:
        if job in submitted or re.fullmatch(f"mlbench-.*-{_mark(out)}", name):
            tasks.setdefault(job, []).append((task, state.lower(), reason))
    return [
        QueuedArray(
            job,
            dict(Counter(state for _, state, _ in found)),
            sorted({reason for _, _, reason in found} - {"None", ""}),
            sorted(int(task) for task, _, _ in found if task.isdigit()),
        )
        for job, found in sorted(tasks.items(), key=lambda item: int(item[0]))
    ]


def require_sbatch() -> None:
    """Refuse to submit where there is no SLURM.

    Raises
    ------
    MlbenchError
    """
    if shutil.which("sbatch") is None:
        raise MlbenchError(
            "sbatch is not installed on this machine; submit from one that has SLURM, or print "
            "the script with --dry-run and run its command"
        )


def why_unknown() -> str:
    """Say why it is not known what is queued."""
    if shutil.which("squeue") is None:
        return "there is no squeue here, so what is queued is not known"
    return "SLURM does not answer, so what is queued is not known"


def _run_on_jobs(command: Sequence[str]) -> str:
    """Run a command on jobs, which SLURM forgets some time after their end."""
    try:
        return _run(command)
    except MlbenchError as error:
        if "Invalid job id" in str(error):
            return ""
        raise


def format_ranges(numbers: Sequence[int]) -> str:
    """Return numbers in SLURM's notation: ``1-3,7``."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def run_command(config: Path, out: Path, cpus: int, options: Sequence[str]) -> list[str]:
    """Return the run command of a task without its shard, with this Python interpreter.

    With ``-P``, modules in the working directory do not shadow installed ones.
    """
    head = [sys.executable, "-P", "-m", "mlbench", "run", str(config), "--out", str(out)]
    return [*head, "--jobs", str(cpus), "--quiet", *options]


def _checked(line: str) -> str:
    """Return a setup line for the script, followed by one that ends the task if it fails."""
    if line.lstrip().startswith("#SBATCH"):
        raise MlbenchError(f"{line!r}: not a setup line but an option of sbatch: use --extra")
    try:
        _run(["bash", "-n", "-c", line])
    except MlbenchError as error:
        raise MlbenchError(f"{line!r}: not a setup line: {error}") from None
    message = shlex.quote(f"error: {SETUP_FAILED}: {line}")
    return f"\n{line}\n[ $? -eq 0 ] || {{ echo {message} >&2; exit 1; }}\n"


def _quoted(option: str) -> str:
    """Quote an option for a directive; sbatch expands no variables there, so a dollar is safe."""
    if re.fullmatch(r"[\w%+,.:/@=-]+", option):
        return option
    return '"' + re.sub(r'(["\\])', r"\\\1", option) + '"'


def _run(command: Sequence[str]) -> str:
    waiting = f"waiting for {command[0]}, up to {_TIMEOUT} s"
    told = Timer(_PATIENCE, lambda: print(waiting, file=sys.stderr, flush=True))
    told.daemon = True
    told.start()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MlbenchError(f"{command[0]} could not be run: {error}") from None
    finally:
        told.cancel()
    if done.returncode:
        lines = [line.removeprefix(f"{command[0]}: error: ") for line in done.stderr.splitlines()]
        reason = "; ".join(filter(None, map(str.strip, lines))) or "no reason given"
        raise MlbenchError(f"{command[0]} failed: {reason}")
    return done.stdout.strip()
