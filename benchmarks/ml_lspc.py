"""The solvers of ML-LSPC against each other, and a path against independent fits.

The data are the rotated half-planes of Nam, Hachiya & Sugiyama (section 6.1). The naive solver
needs a (n T)^2 matrix, so it takes part at a small n only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from ratios import Ratio, equal_within, measure

from mlbench.methods.lspc.ml_lspc import MultiLabelLSPC


def half_planes(n, n_labels, d=300, seed=0):
    X = np.random.RandomState(seed).randn(n, d)
    angles = 2 * np.pi * np.arange(1, n_labels + 1) / n_labels
    Y = (X[:, :2] @ np.array([np.cos(angles), np.sin(angles)]) > 0).astype(np.int64)
    return X, Y


def solvers(n, n_labels, ours, theirs):
    X, Y = half_planes(n, n_labels)

    def fits(solver):
        model = MultiLabelLSPC(lam=1.0, gamma=1.0, solver=solver, force=True).fit(X, Y)
        return model._class_fits(X[:50], None)[0]

    return measure(
        f"ML-LSPC, `solver: {ours}`, {n} samples, {n_labels} labels",
        f"`solver: {theirs}`",
        lambda: fits(ours),
        lambda: fits(theirs),
        equal_within(1e-3),
    )


def path(n, n_labels):
    X, Y = half_planes(n, n_labels)
    new, _ = half_planes(n // 4, n_labels, seed=1)
    powers = 10.0 ** np.arange(-3, 3)
    grid = [{"lam": lam, "gamma": gamma} for lam, gamma in product(powers, powers)]
    lspc = MultiLabelLSPC()
    return measure(
        f"ML-LSPC, {len(grid)} values of lam and gamma as a path, {n} samples",
        "one by one",
        lambda: [model.decision_function(new) for _, model in lspc.fit_path(X, Y, grid)],
        lambda: [MultiLabelLSPC(**point).fit(X, Y).decision_function(new) for point in grid],
        equal_within(1e-6),
    )


def ratios(full: bool) -> Iterator[Ratio]:
    for n_labels in (8, 32) if full else (16,):
        for solver in ("eig", "cg"):
            yield solvers(150, n_labels, solver, "naive")
        yield solvers(2000 if full else 1000, n_labels, "cg", "eig")
    yield path(1000 if full else 500, 16)
