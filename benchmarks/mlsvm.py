"""MLSVM to a relative gap of 1e-3 against the printed alternation and against plain SVMs.

400 rows and the 20 most frequent labels of the reduced Yahoo Arts data (462 features). The printed
alternation runs its 20 iterations, or fewer if they reach the gap. The plain SVMs are fitted to the
k labels without a projection.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from ratios import Ratio, measure

from mlbench.data import load_dataset
from mlbench.methods.mlsvm.mlsvm import MLSVMTL1, MLSVMTL2
from mlbench.methods.svm.one_vs_rest import LabelSVMs


def arts(n=400, k=20, seed=0):
    data = load_dataset("yahoo-reduced-arts")
    rows = np.random.RandomState(seed).permutation(data.X.shape[0])[:n]
    X, Y = data.X[rows].toarray(), np.asarray(data.Y)[rows]
    return X, Y[:, np.argsort(-Y.sum(axis=0), kind="stable")[:k]]


def ratios(full: bool) -> Iterator[Ratio]:
    X, Y = arts()
    losses = ("hinge", "squared_hinge") if full else ("hinge",)
    grid = product(losses, (0.1, 1.0, 5.0, 50.0), (5, 12)) if full else [("hinge", 1.0, 5)]
    for loss, C, r in grid:
        yield from of_point(X, Y, loss, C, r)
    for loss in losses:
        yield of_path(X, Y, loss)


def method(loss):
    return MLSVMTL1 if loss == "hinge" else MLSVMTL2


def of_point(X, Y, loss, C, r):
    what = f"MLSVM, {loss}, C = {C:g}, r = {r}"

    def fit(solver):
        return method(loss)(C=C, r=r, solver=solver, random_state=0).fit(X, Y)

    yield measure(
        what,
        "the alternation as printed",
        lambda: fit("primal_dual"),
        lambda: fit("paper"),
        lambda mine, other: (
            f"{mine.n_iter_}, {other.n_iter_} steps, gaps {mine.gap_:.0e}, {other.gap_:.0e}"
        ),
    )
    yield measure(
        what,
        "k plain SVMs",
        lambda: fit("primal_dual"),
        lambda: LabelSVMs(C, loss).fit(X, Y),
    )


def of_path(X, Y, loss):
    grid = [{"C": C, "r": r} for r in (5, 12) for C in (0.1, 1.0, 5.0, 50.0)]
    return measure(
        f"MLSVM, {loss}, {len(grid)} values of C and r as a path",
        "one by one",
        lambda: list(method(loss)().fit_path(X, Y, grid)),
        lambda: [method(loss)(**point).fit(X, Y) for point in grid],
    )
