"""Overhead of mlbench: against a loop of plain fits, at startup, and per empty cell.

    python benchmarks overhead           # the ratios
    python benchmarks/overhead.py        # milliseconds of an empty cell, on an idle machine

Targets: under 2 % if a fit takes half a second; under 10 ms per cell for 1,000 empty cells on two
warm workers, and under 15 ms if each cell has a new process, with each row flushed to disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from ratios import MIN_RUNS, Ratio, cpu_seconds, measure
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from mlbench import load_dataset
from mlbench.executors.process import adopt_orphans
from mlbench.metrics import evaluate
from mlbench.protocol.splitters import RandomSplits

TOY = {"use": "nam-toy", "tasks": 16, "samples": 4000, "dimensions": 300}
TOY_METHOD = "{use: 'sklearn.multiclass.OneVsRestClassifier', estimator: {use: logistic, C: 1.0}}"
FITS = 20

EMPTY = "{use: nam-toy, tasks: 2, samples: 200, dimensions: 10}"
NOTHING = """
from sklearn.dummy import DummyClassifier

class Nothing(DummyClassifier):
    pass
"""


def run(splits: int, method: str, data: str, jobs: int = 1) -> None:
    """Run an experiment in a new results folder."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "nothing.py").write_text(NOTHING)
        Path(folder, "experiment.yaml").write_text(
            f"name: overhead\ndatasets: [{data}]\n"
            f"protocol: {{splits: {{train: 0.5, repeats: {splits}}}, preprocess: standardize}}\n"
            f"methods: {{M: {method}}}\n"
        )
        command = [sys.executable, "-m", "mlbench", "run", "experiment.yaml", "--quiet"]
        command += ["--allow-import", "--jobs", str(jobs)]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with suppress(ChildProcessError):
        while True:
            os.wait()  # for workers: then their CPU time counts


def bare_loop() -> None:
    """Do what the cells do with scikit-learn alone, in this process."""
    data = load_dataset(TOY)
    for index in range(FITS):
        split = RandomSplits(train=0.5).divide(data, index)
        scaler = StandardScaler().fit(data.X[split.train])
        model = OneVsRestClassifier(LogisticRegression(C=1.0, max_iter=1000))
        model.fit(scaler.transform(data.X[split.train]), data.Y[split.train])
        X_test = scaler.transform(data.X[split.test])
        evaluate(data.Y[split.test], model.predict_proba(X_test), model.predict(X_test))


def against_bare_fits() -> Ratio:
    """Compare cells with a loop, without the part of a run that does not depend on their number."""
    adopt_orphans()
    toy = str(TOY).replace("'", "")
    ours, theirs = [], []
    for _ in range(MIN_RUNS):
        times = [cpu_seconds()]
        for work in (
            lambda: run(1, TOY_METHOD, toy),
            lambda: run(1 + FITS, TOY_METHOD, toy),
            bare_loop,
        ):
            work()
            times.append(cpu_seconds())
        one, more, bare = (end - start for start, end in pairwise(times))
        ours.append(more - one)
        theirs.append(bare)
    return Ratio(f"{FITS} cells of a run", "a loop of scikit-learn's fits", ours, theirs)


def start_up() -> Ratio:
    """Compare the command's help with Python's start."""

    def python(*words: str) -> None:
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)

    return measure(
        "`mlbench --help`",
        "`python -c pass`",
        lambda: python("-m", "mlbench", "--help"),
        lambda: python("-c", "pass"),
    )


def ratios(full: bool) -> Iterator[Ratio]:
    if sys.platform == "linux":  # elsewhere the CPU time of workers is not known
        yield against_bare_fits()
    yield start_up()


def main() -> None:
    """Measure the same estimator in a warm worker and, from a file, in a new process per cell."""
    kinds = {"warm worker": "sklearn.dummy.DummyClassifier", "forked process": "nothing.py:Nothing"}
    for kind, target in kinds.items():
        times = [time.perf_counter()]
        for splits in (2, 1002):
            run(splits, f"{{use: '{target}'}}", EMPTY, jobs=2)
            times.append(time.perf_counter())
        start, rest = times[1] - times[0], times[2] - times[1]
        print(f"1,000 empty cells, two workers, {kind}: {rest:.2f} s; startup {start:.2f} s")
        print(f"  {rest - start:.2f} ms per cell; {2 * (rest - start):.2f} ms of a worker's time")


if __name__ == "__main__":
    main()
