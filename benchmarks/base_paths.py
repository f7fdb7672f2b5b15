"""Seven values along the path of a base learner against one fit, on the same data.

The time includes fits and the scores of held-out rows: a ninth of the training rows, as in ten
folds, or half of them, as in three. The single fit has the largest value. ``counts`` has small
whole numbers, so that many distances are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from ratios import Ratio, measure
from sklearn.base import clone

from mlbench.registry import make_method

PATHS = {
    "ridge": ("alpha", [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]),
    "knn": ("n_neighbors", [1, 3, 5, 9, 15, 25, 41]),
    "naive_bayes": ("var_smoothing", [1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1, 1.0]),
    "multinomial_nb": ("alpha", [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]),
    "forest": ("n_estimators", [10, 20, 30, 50, 70, 85, 100]),
}
DATA = {
    "600 x 72, 6 labels": (600, 72, 6, False),
    "2400 x 100, 14 labels": (2400, 100, 14, False),
    "1000 x 1000, 10 labels": (1000, 1000, 10, False),
    "counts, 2000 x 300, 10 labels": (2000, 300, 10, True),
}


def data(n: int, d: int, k: int, counts: bool, seed: int = 0):
    """Draw n training rows with their labels, and n / 2 new rows."""
    random = np.random.default_rng(seed)
    X = (
        random.poisson(0.1, (n + n // 2, d)).astype(float)
        if counts
        else random.random((n * 3 // 2, d))
    )
    evidence = (X - X.mean(axis=0)) @ random.standard_normal((d, k))
    evidence += evidence.std(axis=0) * random.standard_normal(evidence.shape)
    Y = evidence > np.quantile(evidence, random.uniform(0.6, 0.9, k), axis=0).diagonal()
    return X[:n], Y[:n].astype(np.int64), X[n:]


def ratios(full: bool) -> Iterator[Ratio]:
    if not full:
        yield from (against_one_fit("br", base, next(iter(DATA)), 9) for base in PATHS)
        return
    for method, base in product(("br", "lp", "rakel", "ecc"), PATHS):
        for size, held in product(sizes(method, base), (9, 2)):
            yield against_one_fit(method, base, size, held)


def sizes(method: str, base: str) -> list[str]:
    """Return the data on which it takes minutes at most."""
    if base == "forest":
        return [] if method == "ecc" else list(DATA)[:1]
    return list(DATA)[: None if method == "br" else 2]


def against_one_fit(method: str, base: str, size: str, held: int) -> Ratio:
    X, Y, new = data(*DATA[size])
    rows = new[: len(X) // held]
    parameter, values = PATHS[base]
    model = make_method(method, base=base)
    seeds = {name: 0 for name in model.get_params() if name.endswith("random_state")}
    model.set_params(**seeds)
    grid = [{f"base__{parameter}": value} for value in values]

    def path():
        return {i: each.decision_function(rows) for i, each in model.fit_path(X, Y, grid)}

    def alone(point):
        return clone(model).set_params(**point).fit(X, Y).decision_function(rows)

    def check(scores, last) -> str:
        gap = max(np.abs(scores[i] - alone(point)).max() for i, point in enumerate(grid))
        return f"scores differ by {gap:.0e} from independent fits"

    return measure(
        f"`{method}`, {base}, {len(grid)} values of {parameter}, {size}, 1/{held} scored",
        "one fit",
        path,
        lambda: alone(grid[-1]),
        check,
    )
