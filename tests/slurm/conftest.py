"""A real SLURM of one node, started for these tests and stopped after them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.processes import PATIENCE, wait_until

HERE = Path(__file__).parent


@dataclass
class Cluster:
    """The commands of the SLURM that runs."""

    environment: dict[str, str]

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            words,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
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

    def wait_for_end(self, job: str) -> None:
        wait_until(lambda: not self.states(job))
        wait_until(lambda: not self.scripts())


@pytest.fixture(scope="session")
def slurm() -> Iterator[Cluster]:
    for command in ("munged", "slurmctld", "slurmd", "sbatch"):
        if shutil.which(command) is None:
            pytest.skip(f"there is no {command} here: these tests need slurm-wlm and munge")
    folder = started() or started()  # a port that was free may be taken by then
    assert folder is not None, "SLURM did not start"
    yield Cluster({**os.environ, "SLURM_CONF": str(folder / "slurm.conf")})
    stop(folder)


def started() -> Path | None:
    """Start SLURM in a new folder, and return the folder if it runs."""
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # a socket's path must be short
    done = subprocess.run([HERE / "start.sh", folder], check=False, timeout=PATIENCE)
    if done.returncode == 0:
        return folder
    stop(folder)
    return None


def stop(folder: Path) -> None:
    subprocess.run([HERE / "stop.sh", folder], check=True, timeout=PATIENCE)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def slurm_lab(slurm, lab, monkeypatch):
    """A lab from which experiments can be submitted; fits wait until they are let through."""
    monkeypatch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])
    shutil.copy(HERE.with_name("executors") / "methods_that_fail.py", lab.folder / "bad.py")

    lab.write(
        "my.py",
        "import mlbench\n@mlbench.metric(greater_is_better=True)\n"
        "def share(Y, scores, labels):\n    return labels.mean(axis=0)\n",
    )

    def experiment(repeats: int) -> None:
        lab.write(
            "trial.yaml",
            "name: trial\n"
            "datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]\n"
            f"protocol: {{splits: {{train: 0.5, repeats: {repeats}, seed: 1}}}}\n"
            "methods: {Waits: {use: 'bad.py:Waits'}}\n"
            "metrics: [macro_f1, my.py:share]\n",
        )

    lab.experiment = experiment
    lab.let_through = lambda fits: lab.write("gate", str(fits))
    return lab
