"""Work per second against limits of the machine: sorting, multiplying, copying, and reading.

    python benchmarks/machine_limits.py

Each line is a ratio of CPU times, as in the other benchmarks: a limit of the machine, measured in
turn with our code in the same run, on one thread. Limits are NumPy's sort of the same scores, as
many operations of its matrix product of 1,000 x 1,000, a copy of the same bytes, and reading and
decoding the same file. Eigenvectors of an n x n matrix count as 14/3 n^3 operations (reduction to a
tridiagonal matrix, divide and conquer without deflation, and transforming back), a Cholesky
factorization as n^3 / 3, squared distances of n rows of d features as n^2 d.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
from metrics import split
from ratios import Ratio, measure
from reading_arff import generated_files
from threadpoolctl import threadpool_limits

from mlbench.data.arff import read_arff
from mlbench.methods.kernels import gaussian, squared_distances
from mlbench.methods.lspc.lspc import LSPC
from mlbench.methods.svm.gram import GramProducts
from mlbench.metrics import TrainingLabels, evaluate, score
from mlbench.solvers.losses.auc import auc_cuts
from mlbench.solvers.losses.f1 import f1_cuts

FILES = ("yeast/yeast.arff.gz", "tmc2007-500/tmc2007-500.arff.gz")


@dataclass(frozen=True)
class Share:
    """The share of a limit that some code reaches."""

    ratio: Ratio
    """The times of our code, and those of the limit for the same work."""
    work: float
    unit: str

    def __str__(self) -> str:
        ours, limit = (
            f"{float(f'{self.work / median(times):.3g}'):,g} {self.unit}/s"
            for times in (self.ratio.ours, self.ratio.theirs)
        )
        values = self.ratio.values
        shares = f"{self.ratio.median:.1%}", f"{values[0]:.1%} to {values[-1]:.1%}"
        return "| " + " | ".join([self.ratio.what, ours, self.ratio.against, limit, *shares]) + " |"


def oracles() -> Iterator[Share]:
    for n in (1_000, 100_000):
        yield of_oracle("F1", f1_cuts, n)
        yield of_oracle("AUC", auc_cuts, n)


def of_oracle(metric: str, cuts: Callable[..., object], n: int) -> Share:
    random = np.random.default_rng(0)
    y = np.where(random.random(n) < 0.2, 1.0, -1.0)
    scores, offsets = random.normal(size=n) + y, np.array([0, n])
    ratio = measure(
        f"oracle of {metric}, {n:,} scores",
        "`np.sort`",
        lambda: cuts(scores, y, offsets),
        lambda: np.sort(scores),
    )
    return Share(ratio, n / 1e6, "M scores")


def kernels(n: int = 1000, d: int = 300) -> Iterator[Share]:
    random = np.random.default_rng(0)
    X, A, B = random.normal(size=(n, d)), *random.normal(size=(2, 1000, 1000))
    Y = (X[:, :10] > 0).astype(np.int64)
    gram = GramProducts(gaussian(squared_distances(X, X), 10.0))
    rows, y = np.arange(n), 2.0 * Y[:, 0] - 1
    work: dict[str, tuple[float, Callable[[], object]]] = {
        "Gaussian kernel matrix": (n**2 * d, lambda: gaussian(squared_distances(X, X), 10.0)),
        "`lspc`, fit": (n**2 * d + 14 / 3 * n**3, lambda: LSPC().fit(X, Y)),
        "`rbf_svm`, one least-squares step": (n**3 / 3, lambda: gram.ridge(rows, y, 1.0)),
    }
    for name, (operations, ours) in work.items():
        ratio = measure(f"{name}, {n:,} x {d}", "matrix product", ours, lambda: A @ B)
        as_many = [seconds * operations / 2e9 for seconds in ratio.theirs]
        yield Share(replace(ratio, theirs=as_many), operations / 1e9, "Gflop")


def metrics() -> Iterator[Share]:
    for shape in ((5000, 374), (16_105, 983)):
        yield of_all_metrics(shape)
    Y, _, L = split((5000, 374))
    ratio = measure(
        "`macro_f1`, 5,000 x 374",
        "copying the labels",
        lambda: score("macro_f1", Y, None, L),
        lambda: (Y.copy(), L.copy()),
    )
    yield Share(ratio, (Y.nbytes + L.nbytes) / 1e6, "MB")


def of_all_metrics(shape: tuple[int, int]) -> Share:
    Y, S, L = split(shape)
    P, training = 1 / (1 + np.exp(-S)), TrainingLabels.of(Y)
    by_label = np.ascontiguousarray(P.T)
    ratio = measure(
        f"all metrics, {shape[0]:,} x {shape[1]}",
        "`np.sort` by label, by sample, and of all",
        lambda: evaluate(Y, P, L, training=training),
        lambda: (np.sort(by_label), np.sort(P), np.sort(P, axis=None)),
    )
    return Share(ratio, Y.size / 1e6, "M entries")


def files() -> Iterator[Share]:
    with tempfile.TemporaryDirectory() as folder:
        paths = generated_files(Path(folder))
        for name in FILES:
            packed = Path(os.environ.get("MLBENCH_DATA", ""), name)
            if packed.is_file():
                paths.append(Path(folder, packed.stem))
                paths[-1].write_bytes(gzip.decompress(packed.read_bytes()))
        for path in paths:
            ratio = measure(
                f"ARFF, {path.name}",
                "reading and decoding",
                lambda path=path: read_arff(path),
                lambda path=path: path.read_bytes().decode(),
            )
            yield Share(ratio, path.stat().st_size / 1e6, "MB")


def main() -> None:
    print("| what | done | limit | possible | share | runs between |")
    print("| --- | ---: | --- | ---: | ---: | ---: |")
    for each in (oracles, kernels, metrics, files):
        for share in each():
            print(share, flush=True)


if __name__ == "__main__":
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
