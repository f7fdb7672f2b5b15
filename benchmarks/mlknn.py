"""ML-kNN against a plain NumPy version, scikit-multilearn's, and a path against independent fits.

scikit-multilearn counts a training row among its neighbors, so its scores differ; the amount of
work is comparable.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from ratios import Ratio, equal_within, measure
from scipy import sparse

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
    return [MLkNN(**point).fit(X, Y).decision_function(new) for point in GRID]


def as_a_path(X, Y, new):
    return [model.decision_function(new) for _, model in MLkNN().fit_path(X, Y, GRID)]


def ratios(full: bool) -> Iterator[Ratio]:
    problems = {
        "500 x 72, 6 labels": dense(500, 200, 72, 6),
        "words 1000 x 1001, 53 labels": words(1000, 702, 1001, 53, 0.08),
    }
    if full:
        problems["2000 x 300, 16 labels"] = dense(2000, 2000, 300, 16)
    path = f"{len(GRID)} values of k and s as a path"
    for what, against, mine, other in (
        ("fit and predict", "plain NumPy", ours, plain),
        (path, "one by one", as_a_path, one_by_one),
        ("fit and predict", "scikit-multilearn-ng", ours, theirs),
    ):
        for name, data in problems.items():
            yield pair(f"ML-kNN, {what}, {name}", against, mine, other, data)


def pair(what, against, mine, other, data) -> Ratio:
    checks = [] if other is theirs else [equal_within(1e-9)]
    return measure(what, against, lambda: mine(*data), lambda: other(*data), *checks)
