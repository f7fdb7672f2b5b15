"""Compare ML-kNN with a plain NumPy version and scikit-multilearn's, on the same data in one run.

    python benchmarks/mlknn.py            (needs scikit-multilearn-ng for the third column)

scikit-multilearn counts a training row among its own neighbors, so its scores differ; the amount of
work is comparable. Seconds are the best of three runs of fit and predict, on one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from mlbench.methods.adaptation.mlknn import MLkNN

K, S = 10, 1.0
GRID = [{"k": k, "s": s} for k in range(2, 21, 2) for s in (0.1, 1.0)]


def dense(n, m, d, k, seed=0):
    random = np.random.RandomState(seed)
    X = random.randn(n + m, d)
    Y = (X @ random.randn(d, k) + np.sqrt(d) * random.randn(n + m, k) > 0).astype(np.int64)
    return X[:n], Y[:n], X[n:]


def words(n, m, d, k, density, seed=0):
    """Rows of 0 and 1, few of them 1, as texts are."""
    random = np.random.RandomState(seed)
    X = sparse.random(n + m, d, density=density, format="csr", random_state=random)
    X.data[:] = 1
    Y = (X @ random.randn(d, k) > 0.7 * np.sqrt(density * d)).astype(np.int64)
    return X[:n], Y[:n], X[n:]


def plain(X, Y, new):
    """ML-kNN in NumPy, a row at a time."""
    X, new = (M.toarray() if sparse.issparse(M) else M for M in (X, new))
    n, n_labels = Y.shape

    def votes(x, leave_out=None):
        squared = np.sum((X - x) ** 2, axis=1)
        if leave_out is not None:
            squared[leave_out] = np.inf
        return Y[np.argsort(squared, kind="stable")[:K]].sum(axis=0)

    counts = np.zeros((2, n_labels, K + 1))
    labels = np.arange(n_labels)
    for row in range(n):
        counts[Y[row], labels, votes(X[row], row)] += 1
    prior = (S + Y.sum(axis=0)) / (2 * S + n)
    chance = (S + counts) / (S * (K + 1) + counts.sum(axis=2, keepdims=True))
    scores = np.empty((len(new), n_labels))
    for row, x in enumerate(new):
        seen = votes(x)
        positive = prior * chance[1, labels, seen]
        scores[row] = positive / (positive + (1 - prior) * chance[0, labels, seen])
    return scores


def ours(X, Y, new):
    return MLkNN(k=K, s=S, normalize=None).fit(X, Y).decision_function(new)


def theirs(X, Y, new):
    from skmultilearn.adapt import MLkNN as Theirs

    X, new = (M.toarray() if sparse.issparse(M) else M for M in (X, new))
    return Theirs(k=K, s=S).fit(X, Y).predict_proba(new).toarray()


def one_by_one(X, Y, new):
    for point in GRID:
        MLkNN(**point).fit(X, Y).decision_function(new)


def as_a_path(X, Y, new):
    for _, model in MLkNN().fit_path(X, Y, GRID):
        model.decision_function(new)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    problems = {
        "dense 2000 x 300, 16 labels": dense(2000, 2000, 300, 16),
        "dense 500 x 72, 6 labels": dense(500, 200, 72, 6),
        "words 1000 x 1001, 53 labels": words(1000, 702, 1001, 53, 0.08),
        "words 3000 x 20000, 20 labels": words(3000, 1000, 20000, 20, 0.005),
    }
    print("seconds (ratio to mlbench)        mlbench     plain NumPy   scikit-multilearn   max gap")
    for name, data in problems.items():
        gap, texts = "", []
        base = seconds(lambda data=data: ours(*data), repeats)
        for other in (plain, theirs):
            if data[0].shape[1] > 10_000:
                texts.append("-")
                continue
            took = seconds(lambda data=data, other=other: other(*data), 1)
            texts.append(f"{took:.2f} ({took / base:.0f}x)")
            if other is plain:
                gap = f"{np.abs(ours(*data) - plain(*data)).max():.1e}"
        print(f"{name:<32}{base:9.3f}{texts[0]:>16}{texts[1]:>20}{gap:>10}")
    data = problems["dense 2000 x 300, 16 labels"]
    path, alone = (seconds(lambda f=f: f(*data), 1) for f in (as_a_path, one_by_one))
    print(f"{len(GRID)} points of a grid: path {path:.2f} s, one by one {alone:.2f} s ", end="")
    print(f"({alone / path:.1f}x)")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
