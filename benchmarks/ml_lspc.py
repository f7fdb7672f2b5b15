"""The three solvers of ML-LSPC by number of labels: seconds, ratios to naive, slopes.

    python benchmarks/ml_lspc.py

The data are the rotated half-planes of Nam, Hachiya & Sugiyama (section 6.1). The naive solver
needs a (n T)^2 matrix, so all solvers are compared at a small n, and the other two are also timed
at a large n. A slope is that of log seconds over log T between the two largest T; in theory it is 3
for naive. One thread; naive runs once, the others are the best of three.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from mlbench.methods.lspc.ml_lspc import MultiLabelLSPC

PENALTIES = {"lam": 1.0, "gamma": 1.0}


def half_planes(n, n_labels, d=300, seed=0):
    X = np.random.RandomState(seed).randn(n, d)
    angles = 2 * np.pi * np.arange(1, n_labels + 1) / n_labels
    Y = (X[:, :2] @ np.array([np.cos(angles), np.sin(angles)]) > 0).astype(np.int64)
    return X, Y


def timed(solver, X, Y, repeats):
    found = []
    for _ in range(repeats):
        model = MultiLabelLSPC(solver=solver, force=True, **PENALTIES)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, Y)
        found.append(time.perf_counter() - start)
    return min(found), model


def slope(times, labels):
    return np.log(times[-1] / times[-2]) / np.log(labels[-1] / labels[-2])


def table(n, labels, solvers):
    print(f"n = {n}")
    print(f"{'labels':>8}" + "".join(f"{solver:>22}" for solver in solvers) + "   cg steps   gap")
    times = {solver: [] for solver in solvers}
    for n_labels in labels:
        X, Y = half_planes(n, n_labels)
        fits, steps = {}, 0
        for solver in solvers:
            took, model = timed(solver, X, Y, 1 if solver == "naive" or n > 1000 else 3)
            times[solver].append(took)
            fits[solver] = model._class_fits(X[:50], None)[0]
            steps = model.n_iter_ if solver == "cg" else steps
        base = times[solvers[0]][-1]
        texts = [f"{times[s][-1]:.4f} ({base / times[s][-1]:.1f}x)" for s in solvers]
        gap = max(np.abs(fits[s] - fits["eig"]).max() for s in solvers)
        print(f"{n_labels:>8}" + "".join(f"{t:>22}" for t in texts) + f"{steps:>11}  {gap:.1e}")
    print("slopes  " + "".join(f"{slope(times[s], labels):>22.2f}" for s in solvers) + "\n")


def path(n, n_labels):
    X, Y = half_planes(n, n_labels)
    new, _ = half_planes(n // 4, n_labels, seed=1)
    powers = 10.0 ** np.arange(-3, 3)
    grid = [{"lam": lam, "gamma": gamma} for lam in powers for gamma in powers]
    start = time.perf_counter()
    for _, model in MultiLabelLSPC().fit_path(X, Y, grid):
        model.decision_function(new)
    shared = time.perf_counter() - start
    start = time.perf_counter()
    MultiLabelLSPC().fit(X, Y).decision_function(new)
    alone = (time.perf_counter() - start) * len(grid)
    print(
        f"{len(grid)} points of a grid, n = {n}, {n_labels} labels: path {shared:.2f} s, ", end=""
    )
    print(f"one by one {alone:.1f} s ({alone / shared:.1f}x; one fit timed, times {len(grid)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", type=int, default=150, help="n where naive takes part")
    parser.add_argument("--large", type=int, default=2000, help="n of the paper")
    sizes = parser.parse_args()
    table(sizes.small, [2, 4, 8, 16, 32], ["naive", "eig", "cg"])
    table(sizes.large, [2, 4, 8, 16, 32], ["eig", "cg"])
    path(1000, 16)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
