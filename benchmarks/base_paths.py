"""Seven values along the path of a base learner against one fit, on the same data.

    python benchmarks/base_paths.py
    python benchmarks/base_paths.py --methods br --bases ridge knn --repeats 9

Time is that of fits and of the scores of held-out rows, a ninth of the training rows as in ten
folds, or half of them as in three; one fit has the largest value. The two alternate, on one thread;
the table shows the median of the ratios of processor times, and beside it how far the scores of
the path are from those of independent fits. ``counts`` has small whole numbers, so that many
distances are equal.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

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


def path(model, grid, X, Y, new):
    scores = {index: each.decision_function(new) for index, each in model.fit_path(X, Y, grid)}
    return [scores[index] for index in range(len(grid))]


def alone(model, grid, X, Y, new):
    return [clone(model).set_params(**grid[-1]).fit(X, Y).decision_function(new)]


def seconds(work, *given) -> float:
    start = time.process_time()
    work(*given)
    return time.process_time() - start


def compare(method: str, base: str, size: str, repeats: int) -> None:
    """Print one line of the table."""
    X, Y, new = data(*DATA[size])
    parameter, values = PATHS[base]
    model = make_method(method, base=base)
    seeds = {name: 0 for name in model.get_params() if name.endswith("random_state")}
    model.set_params(**seeds)
    grid = [{f"base__{parameter}": value} for value in values]
    ratios = []
    for held in (len(X) // 9, len(X) // 2):
        given = (model, grid, X, Y, new[:held])
        pairs = [(seconds(path, *given), seconds(alone, *given)) for _ in range(repeats)]
        ratios.append(np.median([along / one for along, one in pairs]))
    rows = new[: len(X) // 9]
    expected = [alone(model, [point], X, Y, rows)[0] for point in grid]
    gap = np.abs(np.array(path(model, grid, X, Y, rows)) - expected).max()
    print(
        f"{method:6} {base:15} {size:30} ten folds {ratios[0]:5.2f}, three {ratios[1]:5.2f}; "
        f"one {pairs[-1][1]:6.2f} s; gap {gap:.0e}",
        flush=True,
    )


def sizes(method: str, base: str) -> list[str]:
    """Return the data on which it takes minutes at most."""
    if base == "forest":
        return [] if method == "ecc" else list(DATA)[:1]
    return list(DATA)[: None if method == "br" else 2]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=["br", "lp", "rakel", "ecc"])
    parser.add_argument("--bases", nargs="+", default=list(PATHS))
    parser.add_argument("--data", nargs="+", default=None)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    for method in asked.methods:
        for base in asked.bases:
            for size in asked.data or sizes(method, base):
                compare(method, base, size, asked.repeats)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
