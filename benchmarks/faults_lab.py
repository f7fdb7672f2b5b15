"""The experiment into which faults are injected, and checks for lost or duplicated results."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mlbench.store import Row, Store
from mlbench.store.pack_file import Pack
from mlbench.store.packing import pack_files
from mlbench.store.row_files import row_files

METHOD = """
import os, time
from sklearn.base import BaseEstimator, ClassifierMixin

class Sleeps(ClassifierMixin, BaseEstimator):
    def __init__(self, pause=0.02):
        self.pause = pause
    def fit(self, X, Y):
        with open(os.environ["FITS"], "a") as file:
            file.write(f"{os.getpid()}\\n")
        time.sleep(self.pause)
        return self
    def decision_function(self, X):
        return X[:, :3]
    def predict(self, X):
        return (X[:, :3] > 0).astype(int)
"""
EXPERIMENT = """
name: faults
datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 100}}
limits: {time: 3 s}
methods:
  A: {use: 'sleeps.py:Sleeps'}
  B: {use: 'sleeps.py:Sleeps', pause: 0.03}
"""


class Lab:
    """A folder with the experiment, and the results of one series of trials.

    A context manager: it provides what the runs need until its end.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.root = folder / name
        self.fits = folder / f"{name}.fits"  # each fit leaves the number of its process there

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    @classmethod
    def obstacle(cls) -> str:
        """Return why these trials cannot be done here, or an empty text."""
        return ""

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables of started processes."""
        return {**os.environ, "FITS": str(self.fits), "MLBENCH_ALLOW_IMPORT": "1"}

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a program of Python."""
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def mlbench(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command, which must succeed."""
        done = subprocess.run(
            [sys.executable, "-m", "mlbench", *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{self.root}: {' '.join(words)} failed: {done.stderr}")
        return done

    def run(self, *more: str) -> subprocess.Popen[bytes]:
        """Start a run of the experiment with two workers."""
        words = ("run", "faults.yaml", "--out", self.name, "--jobs", "2", "--quiet")
        return self.start("-m", "mlbench", *words, *more)

    def finish(self) -> None:
        """Complete the run, undisturbed; cells that reached their limit run again."""
        last = self.run("--retry-failed").wait()
        if last != 0:
            raise SystemExit(f"{self.root}: the last run ended with {last}")

    def results(self) -> dict[str, Row]:
        """Return the rows of successful cells."""
        rows = Store(self.root).scan().rows if self.root.exists() else {}
        return {key: row for key, row in rows.items() if row.is_ok}

    def wait_for_fit(self, goes_on: Callable[[], bool]) -> bool:
        """Wait until a fit begins; return whether one did before the run ended."""
        before = self._size()
        while goes_on():
            if self._size() > before:
                return True
            time.sleep(0.005)
        return self._size() > before

    def _size(self) -> int:
        return self.fits.stat().st_size if self.fits.exists() else 0

    def last_worker(self) -> int:
        """Return the process that began the latest fit."""
        return int(self.fits.read_text().rsplit("\n", 2)[-2])

    def doubled(self) -> int:
        """Return the number of cells with several files or entries that differ."""
        store, texts = Store(self.root), Counter[tuple[str, str]]()
        arrived = row_files(self.root)
        for key, path in arrived.files.items():
            texts[key, repr(store.read_row(path).metrics)] = 1
        for path in pack_files(self.root):
            with Pack(path) as pack:
                for _, row in pack.rows(None):
                    if row.is_ok:
                        texts[row.key, repr(row.metrics)] = 1
        return len(texts) - len({key for key, _ in texts})


@dataclass(frozen=True)
class Fault:
    """One kind of trial.

    Attributes
    ----------
    name : str
    trials : int
        How many of all.
    together : int
        How many of them share a results folder.
    lab : type of Lab
    strike : callable
        Starts a run in the lab, injects the fault, and leaves nothing running. Returns whether
        there was work at that moment.
    """

    name: str
    trials: int
    together: int
    lab: type[Lab]
    strike: Callable[[Lab, random.Random], bool]


def running(process: subprocess.Popen[bytes]) -> Callable[[], bool]:
    return lambda: process.poll() is None


def kill(pid: int) -> bool:
    """Kill a process at once; return whether it existed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def end(run: subprocess.Popen[bytes]) -> None:
    """Interrupt a run, to save time."""
    run.send_signal(signal.SIGTERM)
    run.wait()


def run_killed(lab: Lab, draw: random.Random) -> bool:
    """Kill the process that leads the run; a cluster stays, and serves the next one."""
    run = lab.run()
    lab.wait_for_fit(running(run))
    time.sleep(draw.random() * 0.3)
    struck = run.poll() is None
    run.kill()
    run.wait()
    return struck
