"""Overhead of mlbench: compared with a loop of plain fits, per empty cell, and at startup.

Run it on an otherwise idle machine. Targets: under 2 % if a fit takes half a second; under 10 ms
per cell for 1,000 empty cells on two warm workers, and under 15 ms if each has a process of its
own, with each row flushed to disk; ``mlbench --help`` under 0.15 s more than ``python -c pass``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from mlbench import load_dataset
from mlbench.metrics import evaluate
from mlbench.protocol.splitters import RandomSplits

TOY = {"use": "nam-toy", "tasks": 16, "samples": 4000, "dimensions": 300}
SPLITS = 20

NOTHING = """
from sklearn.dummy import DummyClassifier

class Nothing(DummyClassifier):
    pass
"""


def run(folder: Path, text: str) -> float:
    """Run an experiment in a new results folder and return its seconds."""
    (folder / "experiment.yaml").write_text(text)
    command = [sys.executable, "-m", "mlbench", "run", "experiment.yaml", "--quiet"]
    command.append("--allow-import")
    start = time.perf_counter()
    subprocess.run([*command, "--jobs", str(jobs_of(text))], cwd=folder, check=True, stdout=-3)
    return time.perf_counter() - start


def jobs_of(text: str) -> int:
    return 2 if "two workers" in text else 1


def bare_loop() -> float:
    """Do what the first experiment does with scikit-learn alone, in this process."""
    data = load_dataset(TOY)
    start = time.perf_counter()
    with threadpool_limits(1):
        for index in range(SPLITS):
            split = RandomSplits(train=0.5).divide(data, index)
            scaler = StandardScaler().fit(data.X[split.train])
            model = OneVsRestClassifier(LogisticRegression(C=1.0, max_iter=1000))
            model.fit(scaler.transform(data.X[split.train]), data.Y[split.train])
            X_test = scaler.transform(data.X[split.test])
            scores, labels = model.predict_proba(X_test), model.predict(X_test)
            evaluate(data.Y[split.test], scores, labels)
    return time.perf_counter() - start


def experiment(repeats: int, method: str, data: str, comment: str) -> str:
    return (
        f"# {comment}\nname: overhead\ndatasets: [{data}]\n"
        f"protocol: {{splits: {{train: 0.5, repeats: {repeats}}}, preprocess: standardize}}\n"
        f"methods: {{M: {method}}}\n"
    )


def beside_bare_fits() -> None:
    toy = "{use: nam-toy, tasks: 16, samples: 4000, dimensions: 300}"
    method = "{use: 'sklearn.multiclass.OneVsRestClassifier', estimator: {use: logistic, C: 1.0}}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few = run(folder, experiment(1, method, toy, "one worker"))
        many = run(folder, experiment(1 + SPLITS, method, toy, "one worker"))
    bare = bare_loop()
    start = few - bare / SPLITS
    print(f"{SPLITS} fits of {bare / SPLITS:.2f} s each:")
    print(f"  plain scikit-learn {bare:.2f} s; with mlbench {many - start:.2f} s and {start:.2f} s")
    print(f"  once for startup and tables; ratio {(many - start) / bare:.3f}")


def cells_that_do_nothing() -> None:
    """Measure the same estimator in a warm worker and, from a file, in a new process per cell."""
    data = "{use: nam-toy, tasks: 2, samples: 200, dimensions: 10}"
    kinds = {"warm worker": "sklearn.dummy.DummyClassifier", "forked process": "nothing.py:Nothing"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "nothing.py").write_text(NOTHING)
        for kind, target in kinds.items():
            method = f"{{use: '{target}'}}"
            start = run(folder, experiment(2, method, data, "two workers"))
            rest = run(folder, experiment(1002, method, data, "two workers"))
            print(f"1,000 empty cells, two workers, {kind}: {rest:.2f} s; startup {start:.2f} s")
            print(
                f"  {rest - start:.2f} ms per cell; {2 * (rest - start):.2f} ms of a worker's time"
            )


def start_up() -> None:
    def best(*command: str) -> float:
        times = []
        for _ in range(15):
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times.append(time.perf_counter() - start)
        return median(times)

    bare = best(sys.executable, "-c", "pass")
    helped = best(sys.executable, "-m", "mlbench", "--help")
    print(f"mlbench --help {helped:.3f} s, python -c pass {bare:.3f} s: {helped - bare:.3f} s more")


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    beside_bare_fits()
    cells_that_do_nothing()
    start_up()
