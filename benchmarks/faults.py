"""Kills, stops and full disks at random moments; what is lost, doubled or wrong afterwards.

Each trial has a number, which is the seed of its moment. The trials of one kind share results
folders; after each, every result that was there before must still be there, the
same. At the end of a folder the run is brought to its end and compared with an undisturbed one.

    python benchmarks/faults.py                 # one trial of each kind
    python benchmarks/faults.py --trials 100    # a quarter of an hour

The small disk is a tmpfs, which only root may mount; others do without this fault.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mlbench.store import Row, Store
from mlbench.store.compact import pack_files
from mlbench.store.inbox import row_files
from mlbench.store.pack import Pack

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
SHARES = {
    "worker killed": (30, 10),
    "run killed": (30, 10),
    "compaction killed during a run": (15, 5),
    "one of two runs killed": (10, 5),
    "disk full": (10, 10),
    "worker stopped": (5, 2),
}
"""Of 100 trials, how many are of each kind, and how many of them share a folder."""


@dataclass
class Tally:
    """What was found after the trials of one kind."""

    trials: int = 0
    struck: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0


@dataclass
class Lab:
    """A folder with the experiment, and the results of one series of trials."""

    folder: Path
    name: str
    disk: int = 0

    @property
    def root(self) -> Path:
        """Where its results are."""
        return self.folder / self.name

    @property
    def fits(self) -> Path:
        """Where each fit leaves the number of its process."""
        return self.folder / f"{self.name}.fits"

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "mlbench", *words],
            cwd=self.folder,
            env={**os.environ, "FITS": str(self.fits), "MLBENCH_ALLOW_IMPORT": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def run(self, *more: str) -> subprocess.Popen[bytes]:
        """Start a run of the experiment with two workers."""
        words = ("run", "faults.yaml", "--out", self.name, "--jobs", "2", "--quiet")
        return self.start(*words, *more)

    def resize(self, kilobytes: int) -> None:
        """Give the results a disk of their own, or more room on it."""
        mounted = self.root.is_mount()
        self.root.mkdir(exist_ok=True)
        options = f"{'remount,' if mounted else ''}size={kilobytes}k"
        kind = [] if mounted else ["-t", "tmpfs", "tmpfs"]
        subprocess.run(["mount", *kind, "-o", options, str(self.root)], check=True)

    def export(self) -> bytes:
        """Return all numbers."""
        command = [sys.executable, "-m", "mlbench", "export", self.name]
        return subprocess.run(command, cwd=self.folder, capture_output=True, check=True).stdout

    def results(self) -> dict[str, Row]:
        """Return the rows that are no failures."""
        rows = Store(self.root).scan().rows
        return {key: row for key, row in rows.items() if row["status"] == "ok"}

    def wait_for_fit(self, run: subprocess.Popen[bytes]) -> bool:
        """Wait until the run has begun a fit of its own."""
        before = self.fits.stat().st_size if self.fits.exists() else 0
        while run.poll() is None:
            if self.fits.exists() and self.fits.stat().st_size > before:
                return True
            time.sleep(0.005)
        return False

    def last_worker(self) -> int:
        """Return the process that began the latest fit."""
        return int(self.fits.read_text().rsplit("\n", 2)[-2])


def worker_killed(lab: Lab, draw: random.Random) -> bool:
    return _signal_to_worker(lab, draw, signal.SIGKILL)


def worker_stopped(lab: Lab, draw: random.Random) -> bool:
    return _signal_to_worker(lab, draw, signal.SIGSTOP)


def _signal_to_worker(lab: Lab, draw: random.Random, sign: signal.Signals) -> bool:
    """Let the run go on for a few cells after it; then interrupt it, to save time."""
    run = lab.run()
    struck = lab.wait_for_fit(run)
    if struck:
        time.sleep(draw.random() * 0.3)
        try:
            os.kill(lab.last_worker(), sign)
        except ProcessLookupError:
            struck = False
        time.sleep(4.0 if sign == signal.SIGSTOP else 0.3)
        run.send_signal(signal.SIGTERM)
    run.wait()
    return struck


def run_killed(lab: Lab, draw: random.Random) -> bool:
    run = lab.run()
    struck = lab.wait_for_fit(run)
    time.sleep(draw.random() * 0.3)
    run.kill()
    run.wait()
    return struck


def one_of_two_runs_killed(lab: Lab, draw: random.Random) -> bool:
    first, second = lab.run(), lab.run()
    struck = lab.wait_for_fit(first)
    time.sleep(draw.random() * 0.3)
    first.kill()
    time.sleep(0.3)
    second.send_signal(signal.SIGTERM)
    first.wait()
    second.wait()
    return struck


def compaction_killed(lab: Lab, draw: random.Random) -> bool:
    """Watch the compaction for its first step, and kill it within the time that it takes."""
    run = lab.run()
    lab.wait_for_fit(run)
    time.sleep(0.2)
    compaction = lab.start("compact", lab.name)
    packs = lab.root / "packs"
    before = set(packs.glob("*"))
    while compaction.poll() is None:
        if set(packs.glob("*")) != before:
            break
        time.sleep(0.0005)
    time.sleep(draw.random() * 0.03)
    struck = compaction.poll() is None
    compaction.kill()
    compaction.wait()
    run.send_signal(signal.SIGTERM)
    run.wait()
    return struck


def disk_full(lab: Lab, draw: random.Random) -> bool:
    """Run on a disk that has room for a few rows more than the last time."""
    lab.disk += draw.randrange(30, 90)
    lab.resize(lab.disk)
    return lab.run().wait() == 1


FAULTS: dict[str, Callable[[Lab, random.Random], bool]] = {
    "worker killed": worker_killed,
    "run killed": run_killed,
    "compaction killed during a run": compaction_killed,
    "one of two runs killed": one_of_two_runs_killed,
    "disk full": disk_full,
    "worker stopped": worker_stopped,
}


def doubled(root: Path) -> int:
    """Return how many cells have several files or entries that do not say the same."""
    store, texts = Store(root), Counter[tuple[str, str]]()
    arrived = row_files(root)
    for key, path in arrived.files.items():
        texts[key, repr(store.read_row(path)["metrics"])] = 1
    for path in pack_files(root):
        with Pack(path) as pack:
            for _, row in pack.rows(None):
                if row["status"] == "ok":
                    texts[row["key"], repr(row["metrics"])] = 1
    return len(texts) - len({key for key, _ in texts})


def series(folder: Path, kind: str, seeds: list[int], expected: bytes, tally: Tally) -> None:
    """Do some trials on one results folder, and bring it to its end."""
    lab = Lab(folder, f"{kind.replace(' ', '-')}-{seeds[0]}")
    for seed in seeds:
        there = lab.results() if lab.root.exists() else {}
        struck = FAULTS[kind](lab, random.Random(seed))
        now = lab.results() if lab.root.exists() else {}
        lost = sum(now.get(key) != row for key, row in there.items())
        tally.trials += 1
        tally.struck += struck
        tally.lost += lost
        print(f"seed {seed:3}  {kind}: {len(there)} -> {len(now)} results, {lost} lost", flush=True)
    if lab.disk:
        lab.resize(lab.disk + 20_000)
    last = lab.run("--retry-failed")
    if last.wait() != 0:
        raise SystemExit(f"{lab.root}: the last run ended with {last.returncode}")
    tally.doubled += doubled(lab.root)
    found = lab.export()
    if lab.disk:
        subprocess.run(["umount", str(lab.root)], check=True)
    tally.wrong += len(set(found.splitlines()) ^ set(expected.splitlines())) + (found != expected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=6)
    parser.add_argument("--folder", type=Path, help="leave the results here")
    arguments = parser.parse_args()
    may_mount = os.geteuid() == 0
    kinds = [kind for kind in SHARES if kind != "disk full" or may_mount]
    shares = {kind: max(1, SHARES[kind][0] * arguments.trials // 100) for kind in kinds}
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "sleeps.py").write_text(METHOD)
        (folder / "faults.yaml").write_text(EXPERIMENT)
        whole = Lab(folder, "undisturbed")
        if whole.run().wait() != 0:
            raise SystemExit("the undisturbed run failed")
        expected, first = whole.export(), 0
        for kind, number in shares.items():
            tallies[kind] = Tally()
            seeds = list(range(first, first + number))
            together = SHARES[kind][1]
            for start in range(0, number, together):
                part = seeds[start : start + together]
                series(folder, kind, part, expected, tallies[kind])
            first += number
    print(
        f"\n| fault | trials | seeds | struck at work | lost | doubled | wrong |\n{'| --- ' * 7}|"
    )
    first = 0
    for kind, tally in tallies.items():
        seeds = f"{first}-{first + tally.trials - 1}"
        numbers = (tally.trials, seeds, tally.struck, tally.lost, tally.doubled, tally.wrong)
        print(f"| {kind} | {' | '.join(map(str, numbers))} |")
        first += tally.trials


if __name__ == "__main__":
    main()
