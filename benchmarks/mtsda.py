"""MtSDA on data with the size of the Yahoo sets: solver against scikit-learn, paths, and a search.

    python benchmarks mtsda               # the solver
    python benchmarks/mtsda.py            # four paths of fits
    python benchmarks/mtsda.py --search   # also 5 x 5 x 5 values in 5 folds

With `--full`, 1,000 rows of 24,000 words, 0.4 % of them nonzero, and 26 labels, as for paths. The
ratios solve the same elastic nets (Omega = I, given scores) for the same values of lam1 with
scikit-learn's ElasticNet, score by score with warm starts, and with the solver of MtSDA.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np
from ratios import Ratio, measure
from scipy import sparse
from sklearn.linear_model import ElasticNet
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from mlbench.methods.mtsda.mtsda import MtSDAEquicorrelation
from mlbench.methods.mtsda.optimal_scoring import ScoreSpace
from mlbench.solvers.elastic_net.centered_columns import centered_columns
from mlbench.solvers.elastic_net.equicorrelated import EquicorrelatedElasticNet

GRID = {
    "rho": (0.0, 0.1, 0.2, 0.33, 0.5),
    "lam2": (0.001, 0.01, 0.1, 1.0, 10.0),
    "lam1": (0.5, 0.35, 0.25, 0.18, 0.125),
}


def yahoo_shape(n=1000, n_words=24_000, n_labels=26, density=0.004, seed=0):
    """Draw tf-idf rows: words by a power law, and words of the row's labels."""
    random = np.random.default_rng(seed)
    common = 1 / (np.arange(n_words) + 20.0)
    common = np.cumsum(common / common.sum())
    topics = [random.permutation(n_words)[:300] for _ in range(n_labels)]
    frequent = [1 / (topic + 50.0) for topic in topics]
    share = np.minimum(0.4, 0.5 / np.arange(1, n_labels + 1) ** 0.9 + 0.01)
    Y = (random.random((n, n_labels)) < share).astype(np.int64)
    bare = np.flatnonzero(Y.sum(axis=1) == 0)
    Y[bare, random.integers(n_labels, size=len(bare))] = 1
    rows, words = [], []
    for i in range(n):
        length = int(random.lognormal(np.log(0.85 * density * n_words), 0.6)) + 20
        parts = [np.searchsorted(common, random.random(length * 3 // 4))]
        for label in np.flatnonzero(Y[i]):
            weights = frequent[label] / frequent[label].sum()
            size = length // 4 // Y[i].sum() + 1
            parts.append(random.choice(topics[label], size=size, p=weights))
        words.append(np.unique(np.minimum(np.concatenate(parts), n_words - 1)))
        rows.append(np.full(len(words[-1]), i))
    row, word = np.concatenate(rows), np.concatenate(words)
    counts = 1 + random.poisson(0.5, len(row))
    idf = 1 + np.log(n / np.maximum(1, np.bincount(word, minlength=n_words)))
    X = sparse.csr_matrix((counts * idf[word], (row, word)), shape=(n, n_words))
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / lengths) @ X), Y


def solver(X, Y, lam2: float, points: int) -> Ratio:
    """Compare on some values of lam1, from the largest to a tenth of it."""
    n = X.shape[0]
    Yc = Y - Y.mean(axis=0)
    T = Yc @ ScoreSpace(Yc).symmetric_start()
    columns = centered_columns(X)
    path = 2 * np.abs(columns.products(T)).max() * np.geomspace(1, 0.1, points)
    scaled = sparse.csc_matrix(X)[:, columns.kept] @ sparse.diags(1 / columns.scale)

    def ours() -> list[float]:
        net = EquicorrelatedElasticNet(columns, T.shape[1], lam2 * n, 0.0)
        zero = np.zeros(T.shape[1])
        return [net.solve(T, zero, lam1, 1e-5, 10_000).objective for lam1 in path]

    def theirs() -> np.ndarray:
        objectives = np.zeros(points)
        for t in T.T:
            model = ElasticNet(warm_start=True, tol=1e-5, max_iter=10_000)
            for place, lam1 in enumerate(path):
                alpha = lam1 / (2 * n) + lam2
                model.set_params(alpha=alpha, l1_ratio=lam1 / (2 * n) / alpha).fit(scaled, t)
                b = model.coef_
                loss = ((t - model.predict(scaled)) ** 2).sum() + lam2 * n * (b @ b)
                objectives[place] += loss + lam1 * np.abs(b).sum()
        return objectives

    return measure(
        f"elastic nets of MtSDA, {points} values of lam1, lam2 = {lam2:g} n, {n} rows",
        "scikit-learn, `ElasticNet` by score",
        ours,
        theirs,
        lambda mine, other: f"objective by theirs at most {(np.array(mine) / other).max():.6f}",
    )


def ratios(full: bool) -> Iterator[Ratio]:
    X, Y = yahoo_shape() if full else yahoo_shape(300, 6000, 8)
    for lam2 in (0.01, 1.0):
        yield solver(X, Y, lam2, 20 if full else 10)


def one_path(X, Y, rho, lam2):
    wall, start = time.perf_counter(), time.process_time()
    models = []
    grid = [{"lam1": lam1} for lam1 in GRID["lam1"]]
    prototype = MtSDAEquicorrelation(rho=rho, lam2=lam2)
    for _, model in prototype.fit_path(X, Y, grid):
        models.append((model.n_iter_, model.n_sweeps_, model.scalings_.nnz, model.converged_))
    spent = time.process_time() - start
    print(
        f"rho = {rho:g}, lam2 = {lam2:g}: {spent:.2f} s ({time.perf_counter() - wall:.1f} s wall)"
    )
    for lam1, found in zip(GRID["lam1"], models, strict=True):
        print(
            "    lam1 = {:g}: {} rounds, {} sweeps, {} nonzeros, converged {}".format(lam1, *found)
        )


def search(X, Y):
    names = list(GRID)
    grid = [dict(zip(names, point, strict=True)) for point in product(*GRID.values())]
    wall, start, total = time.perf_counter(), time.process_time(), np.zeros(len(grid))
    unfinished = 0
    for fold, (train, test) in enumerate(KFold(5).split(X), start=1):
        for index, model in MtSDAEquicorrelation().fit_path(X[train], Y[train], grid):
            total[index] += roc_auc_score(Y[test].ravel(), model.decision_function(X[test]).ravel())
            unfinished += not model.converged_
        print(
            f"{fold} of 5 folds: {time.process_time() - start:.0f} s "
            f"({time.perf_counter() - wall:.0f} s wall), at most "
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, "
            f"{unfinished} of {fold * len(grid)} fits ended on a limit",
            flush=True,
        )
    best = int(np.argmax(total))
    print(f"best micro-AUC {total[best] / 5:.4f} at {grid[best]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--search", action="store_true")
    chosen = parser.parse_args()
    X, Y = yahoo_shape()
    print(f"{X.shape[0]} x {X.shape[1]}, {X.nnz / np.prod(X.shape):.2%} not 0, {Y.shape[1]} labels")
    list(MtSDAEquicorrelation().fit_path(X[:50], Y[:50, :3], [{}]))  # compiles
    for rho, lam2 in ((0.0, 0.01), (0.0, 1.0), (0.2, 0.01), (0.2, 1.0)):
        one_path(X, Y, rho, lam2)
    if chosen.search:
        search(X, Y)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
