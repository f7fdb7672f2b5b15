"""A real SLURM of one node, started for these tests and stopped after them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@dataclass
class Cluster:
    """The commands of the SLURM that runs."""

    environment: dict[str, str]

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            words, env=self.environment, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    def states(self, job: str) -> list[str]:
        """Return the state of each task that the queue still knows as unfinished."""
        form = ("--array", "--noheader", "--format=%F|%T")
        lines = [line.split("|") for line in self("squeue", "--me", *form).splitlines()]
        return [state for number, state in lines if number == job]

    def scripts(self) -> str:
        """Return the processes of batch scripts; one may outlive its task for a moment."""
        spool = Path(self.environment["SLURM_CONF"]).with_name("spool")
        words = ["pgrep", "-f", str(spool)]
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout

    def wait(self, condition: Callable[[], bool], seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, self("squeue", "--me", "--array")
            time.sleep(0.2)


@pytest.fixture(scope="session")
def slurm() -> Iterator[Cluster]:
    for command in ("munged", "slurmctld", "slurmd", "sbatch"):
        if shutil.which(command) is None:
            pytest.skip(f"there is no {command} here: these tests need slurm-wlm and munge")
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # a socket's path must be short
    subprocess.run([HERE / "start.sh", folder], check=True, timeout=120)
    yield Cluster({**os.environ, "SLURM_CONF": str(folder / "slurm.conf")})
    subprocess.run([HERE / "stop.sh", folder], check=True, timeout=60)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def slurm_lab(slurm, lab, monkeypatch):
    """A lab from which experiments can be submitted; ``prior.py:Prior`` takes as long as told."""
    monkeypatch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])
    shutil.copy(HERE.with_name("executors") / "methods_that_fail.py", lab.folder / "prior.py")

    def experiment(pause: float, repeats: int) -> None:
        lab.write(
            "trial.yaml",
            "name: trial\n"
            "datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]\n"
            f"protocol: {{splits: {{train: 0.5, repeats: {repeats}, seed: 1}}}}\n"
            f"methods: {{Prior: {{use: 'prior.py:Prior', pause: {pause}}}}}\n",
        )

    lab.experiment = experiment
    return lab
