"""How well workers are used: one and two measured, thousands simulated.

Measured: a method that sleeps, so that workers do not compete for cores. Simulated: the cells of
results folders with their recorded times, scheduled by the same code as in a run; a cell starts as
soon as a worker is free, and nothing else takes time.

    python benchmarks/scale_workers.py                           # measure one and two workers
    python benchmarks/scale_workers.py runs/table-2 runs/table-3 # simulate their cells together
    python benchmarks/scale_workers.py runs/table-2 --whole configs/ke/table-2.yaml

With ``--whole``, the cells are those of complete experiments, and the folders hold fewer splits or
searches with fewer folds: a cell costs what the same method took on the same data, and the time of
its search is multiplied by the ratio of the rows fitted.
"""

from __future__ import annotations

import argparse
import heapq
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from mlbench.cli.prepare import prepare
from mlbench.dataset_facts import DatasetFacts
from mlbench.plan import Cell
from mlbench.plan.cost import CostModel
from mlbench.plan.shards import shard_of_each
from mlbench.store import Row, Store, search_key

METHOD = """
import os, time
from sklearn.base import BaseEstimator, ClassifierMixin

class Sleeps(ClassifierMixin, BaseEstimator):
    def __init__(self, pause=0.0):
        self.pause = pause
    def fit(self, X, Y):
        start = time.monotonic()
        time.sleep(self.pause)
        with open(os.environ["FITS"], "a") as file:
            file.write(f"{start} {time.monotonic()}\\n")
        return self
    def decision_function(self, X):
        return X[:, :2]
    def predict(self, X):
        return (X[:, :2] > 0).astype(int)
"""
EXPERIMENT = """
name: sleeping
datasets: [{{use: nam-toy, tasks: 2, samples: 60, dimensions: 4}}]
protocol: {{splits: {{train: 0.5, repeats: {cells}}}}}
methods: {{S: {{use: 'sleeps.py:Sleeps', pause: {pause}}}}}
"""
WORKERS = (1, 2, 10, 100, 1000)


def measure() -> None:
    """Print the share of the workers' time spent in fits, from the first fit to the last."""
    print(f"{'per fit':>7} {'workers':>8} {'cells':>6} {'seconds':>8} {'in fits':>8}")
    for pause, cells in ((0.1, 60), (0.5, 20)):
        for workers in (1, 2):
            fits = fits_of(cells * workers, pause, workers)
            seconds = max(end for _, end in fits) - min(start for start, _ in fits)
            share = sum(end - start for start, end in fits) / (workers * seconds)
            print(f"{pause:5} s {workers:8} {len(fits):6} {seconds:8.2f} {share:8.1%}", flush=True)


def fits_of(cells: int, pause: float, workers: int) -> list[tuple[float, float]]:
    """Run some sleeping cells and return when each fit began and ended."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sleeps.py").write_text(METHOD)
        (folder / "sleeping.yaml").write_text(EXPERIMENT.format(cells=cells, pause=pause))
        command = [sys.executable, "-m", "mlbench", "run", "sleeping.yaml", "--quiet"]
        variables = {"MLBENCH_ALLOW_IMPORT": "1", "FITS": str(folder / "fits")}
        subprocess.run(
            [*command, "--jobs", str(workers)],
            cwd=folder,
            env={**os.environ, **variables},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        lines = (folder / "fits").read_text().splitlines()
    return [(float(start), float(end)) for start, end in map(str.split, lines)]


@dataclass
class Work:
    """Cells, their costs, and the facts about their data."""

    cells: list[Cell | SimpleNamespace]
    seconds: dict[str, float]
    facts: dict[str, DatasetFacts]


def measured(folders: Sequence[Path]) -> tuple[Work, dict[str, Row]]:
    """Return the cells of results folders with the seconds they took, and their rows."""
    rows: dict[str, Row] = {}
    facts: dict[str, DatasetFacts] = {}
    cells: dict[str, SimpleNamespace] = {}
    for folder in folders:
        store = Store(folder)
        plan = store.read_plan()
        facts |= {name: DatasetFacts(**known) for name, known in plan["datasets"].items()}
        there = store.scan().rows
        rows |= there
        for dataset, method, split, key in plan["cells"]:
            if key in there and "total" in there[key].seconds:
                cells[key] = as_cell(dataset, method, split, there[key])
    seconds = {key: rows[key].seconds["total"] for key in cells}
    return Work(list(cells.values()), seconds, facts), rows


def whole(configs: Sequence[Path], folders: Sequence[Path]) -> Work:
    """Return all cells of some experiments, priced by what ran of them."""
    ran, rows = measured(folders)
    alike: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for cell in ran.cells:
        alike[cell.dataset, cell.method].append(rows[cell.key])
    work = Work([], {}, {})
    for config in configs:
        plan = prepare(str(config), (), None).plan
        work.facts |= plan.facts
        for cell in plan.cells:
            if known := alike.get((cell.dataset, cell.method)):
                work.cells.append(cell)
                work.seconds[cell.key] = stretched(cell, known[cell.split % len(known)])
            else:
                print(f"never ran, left out: {cell.dataset}/{cell.method}/{cell.split}")
    return work


def stretched(cell: Cell | SimpleNamespace, row: Row) -> float:
    """Return the seconds of a row if its search had the folds of a cell."""
    seconds = row.seconds
    if row.tuning is None:
        return seconds["total"]
    there, here = row.identity["folds"] - 1, cell.folds - 1
    return seconds["total"] + seconds["tune"] * (here / there - 1)


def simulate(work: Work) -> None:
    """Print makespan and idle share for several numbers of workers and schedules."""
    listed, cost, facts = work.cells, work.seconds, work.facts
    ignorant, informed = CostModel(facts), CostModel(facts)
    for cell in listed:
        informed.observe(cell, cost[cell.key])
    orders = {
        "order of the plan": listed,
        "longest first, by size": ignorant.in_order(listed),
        "longest, by finished cells": informed.in_order(listed),
    }
    total, longest = sum(cost.values()), max(cost.values())
    print(f"{len(listed)} cells, {total / 3600:.1f} h of work, the longest {longest / 60:.1f} min")
    print(f"{'workers':>7}  {'order':28} {'makespan, min':>13} {'idle':>7} {'lower bound':>11}")
    for workers in WORKERS:
        least = max(total / workers, longest)
        for name, order in orders.items():
            line(workers, name, makespan((cost[cell.key] for cell in order), workers), total, least)
        loads = dict.fromkeys(range(1, workers + 1), 0.0)
        for key, number in shard_of_each(listed, workers, facts).items():
            loads[number] += cost[key]
        slowest = max(loads.values())
        line(workers, "shards of one worker each", slowest, total, least)


def as_cell(dataset: str, method: str, split: int, row: Row) -> SimpleNamespace:
    """Return the facts of a finished cell that costs and shards depend on."""
    return SimpleNamespace(
        dataset=dataset,
        method=method,
        split=split,
        key=row.key,
        identity=row.identity,
        tuning=row.tuning,
        folds=row.identity["folds"],
        search=None if row.tuning is None else search_key(row.identity),
        after=None,
    )


def makespan(costs: Iterable[float], workers: int) -> float:
    """Return when the last of some workers is done that share a queue."""
    free = [0.0] * workers
    for seconds in costs:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def line(workers: int, name: str, seconds: float, total: float, least: float) -> None:
    idle = 1 - total / (workers * seconds)
    print(f"{workers:7}  {name:28} {seconds / 60:13.1f} {idle:7.1%} {least / 60:11.1f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*", help="results folders to simulate")
    parser.add_argument("--whole", type=Path, nargs="+", help="experiments to simulate in full")
    given = parser.parse_args()
    if given.whole:
        simulate(whole(given.whole, given.folders))
    elif given.folders:
        simulate(measured(given.folders)[0])
    else:
        measure()
