"""MLSVM: seconds to a relative gap of 1e-3, compared with the printed alternation and plain SVMs.

    python benchmarks/mlsvm.py [--loss hinge]

400 rows and the 20 most frequent labels of the reduced Yahoo Arts data (462 features). The printed
alternation runs its 20 iterations, or fewer if they reach the gap. The plain SVMs are fitted to the
k labels without a projection. One thread, every fit once.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from mlbench.data import load_dataset
from mlbench.methods.mlsvm.mlsvm import MLSVMTL1, MLSVMTL2
from mlbench.methods.svm.one_vs_rest import LabelSVMs


def arts(n=400, k=20, seed=0):
    data = load_dataset("yahoo-reduced-arts")
    rows = np.random.RandomState(seed).permutation(data.X.shape[0])[:n]
    X, Y = data.X[rows].toarray(), np.asarray(data.Y)[rows]
    return X, Y[:, np.argsort(-Y.sum(axis=0), kind="stable")[:k]]


def timed(fit):
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit()
    return time.perf_counter() - start, model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loss", choices=("hinge", "squared_hinge"), default="hinge")
    loss = parser.parse_args().loss
    method = MLSVMTL1 if loss == "hinge" else MLSVMTL2
    X, Y = arts()
    method(r=5).fit(X[:50], Y[:50])  # compiles
    print(f"{loss}; seconds, iterations, gap")
    print(f"{'C':>5} {'r':>3}{'primal-dual':>26}{'as printed':>26}{'k plain SVMs':>14}")
    for C in (0.1, 1.0, 5.0, 50.0):
        plain, _ = timed(lambda C=C: LabelSVMs(C, loss).fit(X, Y))
        for r in (5, 12):
            texts = []
            for solver in ("primal_dual", "paper"):
                model = method(C=C, r=r, solver=solver, random_state=0)
                seconds, model = timed(lambda model=model: model.fit(X, Y))
                texts.append(f"{seconds:.2f}, {model.n_iter_:4d}, {model.gap_:.1e}")
            print(f"{C:>5g} {r:>3}{texts[0]:>26}{texts[1]:>26}{plain:>14.2f}", flush=True)
    grid = [{"C": C, "r": r} for r in (5, 12) for C in (0.1, 1.0, 5.0, 50.0)]
    seconds, _ = timed(lambda: list(method().fit_path(X, Y, grid)))
    print(f"the {len(grid)} points as one path: {seconds:.2f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
