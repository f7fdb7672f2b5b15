"""Faults of job arrays on a one-node SLURM that is started here."""

from __future__ import annotations

import random
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from faults_lab import Fault, Lab, kill

SCRIPTS = Path(__file__).resolve().parent.parent / "tests" / "slurm"
PATIENCE = 300
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")


class SlurmLab(Lab):
    """A run is an array of two tasks; daemons that were killed are started again."""

    def __enter__(self) -> SlurmLab:
        self.home = Path(tempfile.mkdtemp(prefix="slurm-"))  # a socket's path must be short
        subprocess.run([SCRIPTS / "start.sh", self.home], check=True, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run([SCRIPTS / "stop.sh", self.home], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.home, ignore_errors=True)

    @classmethod
    def obstacle(cls) -> str:
        """Name what is missing of SLURM."""
        lacking = [program for program in PROGRAMS if shutil.which(program) is None]
        return f"there is no {lacking[0]}" if lacking else ""

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables of started processes, including those of SLURM."""
        return {**super().environment, "SLURM_CONF": str(self.home / "slurm.conf")}

    def ask(self, *words: str) -> str:
        """Call a program of SLURM; repeat it while a daemon is gone."""
        end = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run(
                words, env=self.environment, capture_output=True, text=True, check=False
            )
            if done.returncode == 0:
                return done.stdout.strip()
            if time.monotonic() > end:
                raise SystemExit(f"{self.home}: {' '.join(words)} failed: {done.stderr}")
            time.sleep(0.2)

    def submit(self) -> str:
        """Submit the missing cells; return the job's number, or an empty text if there are none."""
        limits = ("--time", "10 min", "--mem", "500 MB")
        output = self.mlbench(
            "submit", "faults.yaml", "--out", str(self.root), "--tasks", "2", *limits
        )
        job = re.search("as job ([0-9]+)", output.stderr)
        return job[1] if job else ""

    def tasks(self, job: str, *states: str) -> list[str]:
        """Return the tasks of a job that are in one of these states."""
        form = ("--me", "--array", "--noheader", "--format=%F|%K|%T")
        lines = [line.split("|") for line in self.ask("squeue", *form).splitlines()]
        return [f"{job}_{task}" for at, task, state in lines if at == job and state in states]

    def wait_until_over(self, job: str) -> None:
        """Wait until a job is in the queue no more, and no process of it runs."""
        end = time.monotonic() + PATIENCE
        while self.queued(job) or self._runs():
            if time.monotonic() > end:
                raise SystemExit(f"{self.home}: job {job} does not end")
            time.sleep(0.1)

    def queued(self, job: str) -> bool:
        """Return whether a job is in the queue."""
        return f"{job}|" in self.ask("squeue", "--me", "--noheader", "--format=%F|")

    def _runs(self) -> bool:
        words = ["pgrep", "--full", "--", f"--out {self.root} "]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    def cancel(self, job: str) -> None:
        """End a job, to save time."""
        time.sleep(0.5)
        self.ask("scancel", "--quiet", job)
        self.wait_until_over(job)

    def kill_daemon(self, name: str) -> bool:
        """Kill a daemon, and start it again a second later."""
        struck = kill(int((self.home / f"{name}.pid").read_text()))
        time.sleep(1)
        node = ("-N", socket.gethostname()) if name == "slurmd" else ()
        self.ask(name, "-f", str(self.home / "slurm.conf"), *node)
        return struck

    def finish(self) -> None:
        """Submit missing cells until there are none."""
        while job := self.submit():
            self.wait_until_over(job)
        super().finish()


def _at_work(lab: Lab, draw: random.Random) -> tuple[SlurmLab, str, bool]:
    """Submit an array, and return at a random moment after its first fit."""
    assert isinstance(lab, SlurmLab)
    job = lab.submit()
    struck = bool(job) and lab.wait_for_fit(lambda: lab.queued(job))
    time.sleep(draw.random() * 0.3)
    return lab, job, struck


def task_killed(lab: Lab, draw: random.Random) -> bool:
    """Kill all processes of a task; the other one goes on."""
    slurm, job, struck = _at_work(lab, draw)
    tasks = slurm.tasks(job, "RUNNING") if struck else []
    if tasks:
        slurm.ask("scancel", "--signal=KILL", "--full", draw.choice(tasks))
    if job:
        slurm.cancel(job)
    return bool(tasks)


def _daemon_killed(name: str) -> Callable[[Lab, random.Random], bool]:
    def strike(lab: Lab, draw: random.Random) -> bool:
        """Let the array end by itself, which takes less time than starting another one."""
        slurm, job, struck = _at_work(lab, draw)
        struck = slurm.kill_daemon(name) and struck
        slurm.wait_until_over(job)
        return struck

    return strike


FAULTS = [
    Fault("SLURM: task killed", 15, 5, SlurmLab, task_killed),
    Fault("SLURM: slurmctld killed", 8, 1, SlurmLab, _daemon_killed("slurmctld")),
    Fault("SLURM: slurmd killed", 8, 1, SlurmLab, _daemon_killed("slurmd")),
]
