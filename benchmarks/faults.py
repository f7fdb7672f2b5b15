"""Inject kills, stops, and full disks at random times; count lost, duplicated, and wrong results.

Each trial has a number, which seeds the time of its fault. The trials of one kind share results
folders. After each trial, every earlier result must still be there, unchanged. At the end, the run
is completed and compared with an undisturbed one.

    python benchmarks/faults.py                                # one trial of each kind
    python benchmarks/faults.py --trials 171                   # three quarters of an hour
    python benchmarks/faults.py --trials 171 --only "^SLURM"   # only kinds with such names

Kinds that this machine does not support are skipped with the reason: SLURM needs slurm-wlm and
munge, Dask its package, and the small disk is a tmpfs, which only root can mount.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import faults_dask
import faults_local
import faults_slurm
from faults_lab import EXPERIMENT, METHOD, Fault, Lab

FAULTS = faults_local.FAULTS + faults_dask.FAULTS + faults_slurm.FAULTS
HEAD = "| fault | trials | seeds | hit a running job | lost | duplicated | wrong |"


@dataclass
class Tally:
    """The outcome of the trials of one kind."""

    seeds: range
    struck: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0

    def line(self, name: str) -> str:
        """Return a line of the table."""
        seeds = f"{self.seeds[0]}-{self.seeds[-1]}"
        numbers = (len(self.seeds), seeds, self.struck, self.lost, self.doubled, self.wrong)
        return f"| {name} | {' | '.join(map(str, numbers))} |"


def series(lab: Lab, fault: Fault, seeds: range, expected: str, tally: Tally) -> None:
    """Do some trials on one results folder, then complete it."""
    for seed in seeds:
        there = lab.results()
        struck = fault.strike(lab, random.Random(seed))
        now = lab.results()
        lost = sum(now.get(key) != row for key, row in there.items())
        tally.struck += struck
        tally.lost += lost
        print(
            f"seed {seed:3}  {fault.name}: {len(there)} -> {len(now)} results, {lost} lost"
            + ("" if struck else "; did not hit a running job"),
            flush=True,
        )
    lab.finish()
    tally.doubled += lab.doubled()
    found = lab.mlbench("export", lab.name).stdout
    tally.wrong += len(set(found.splitlines()) ^ set(expected.splitlines())) + (found != expected)


def study(folder: Path, wanted: list[tuple[Fault, range]]) -> None:
    """Do the trials of all faults and print their outcome."""
    (folder / "sleeps.py").write_text(METHOD)
    (folder / "faults.yaml").write_text(EXPERIMENT)
    whole = Lab(folder, "undisturbed")
    whole.finish()
    expected = whole.mlbench("export", whole.name).stdout
    lines = []
    for fault, seeds in wanted:
        if obstacle := fault.lab.obstacle():
            print(f"{fault.name}: left out: {obstacle}")
            continue
        tally = Tally(seeds)
        for start in range(0, len(seeds), fault.together):
            part = seeds[start : start + fault.together]
            name = "".join(each if each.isalnum() else "-" for each in fault.name)
            with fault.lab(folder, f"{name}-{part[0]}") as lab:
                series(lab, fault, part, expected, tally)
        lines.append(tally.line(fault.name))
    print("\n".join(["", HEAD, "| --- " * 7 + "|", *lines]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=0, help="of all kinds together")
    parser.add_argument("--only", default="", metavar="PATTERN", help="in their names")
    parser.add_argument("--folder", type=Path, help="leave the results here")
    arguments = parser.parse_args()
    total, first, wanted = sum(fault.trials for fault in FAULTS), 0, []
    for fault in FAULTS:
        number = max(1, fault.trials * arguments.trials // total)
        if re.search(arguments.only, fault.name):
            wanted.append((fault, range(first, first + number)))
        first += number
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        study(folder, wanted)


if __name__ == "__main__":
    main()
