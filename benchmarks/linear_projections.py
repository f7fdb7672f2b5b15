"""CCA and OPLS against scikit-learn's CCA and PLS: time, and how well they predict labels.

Generated data: labels are thresholded linear functions of a few hidden variables behind the
features. All methods use as many directions as there are labels of full rank. scikit-learn's are
iterative (NIPALS), one direction after the other; ours come from one decomposition. The note is
the mean R2 of a least-squares fit of the centered labels of other rows on their projections.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from ratios import Ratio, measure
from sklearn.cross_decomposition import CCA, PLSRegression
from sklearn.linear_model import LinearRegression

from mlbench.methods.projection.least_squares import CCALS, OPLSLS

SHAPES = [(1500, 100, 14), (1500, 300, 6), (1500, 500, 26), (500, 2000, 20)]


def generated(n, d, k, seed=0):
    random = np.random.RandomState(seed)
    hidden = random.randn(2 * n, 10)
    X = hidden @ random.randn(10, d) + 2 * random.randn(2 * n, d)
    Y = (hidden @ random.randn(10, k) + random.randn(2 * n, k) > 1).astype(float)
    return X[:n], Y[:n], X[n:], Y[n:]


def ratios(full: bool) -> Iterator[Ratio]:
    for n, d, k in SHAPES if full else SHAPES[:2]:
        yield from of_shape(n, d, k)


def of_shape(n, d, k):
    X, Y, X_new, Y_new = generated(n, d, k)

    def caught(model):
        Z, Z_new = np.asarray(model.transform(X)), np.asarray(model.transform(X_new))
        return LinearRegression().fit(Z, Y).score(Z_new, Y_new)

    for name, ours, theirs in (
        ("cca_ls", CCALS(ridge=1.0), CCA(k, max_iter=2000)),
        ("opls_ls", OPLSLS(ridge=1.0), PLSRegression(k)),
    ):
        yield measure(
            f"`{name}`, {n} x {d}, {k} labels",
            f"scikit-learn, `{type(theirs).__name__}`",
            lambda ours=ours: ours.fit(X, Y),
            lambda theirs=theirs: theirs.fit(X, Y),
            lambda mine, other: f"R2 of new rows: {caught(mine):.3f}, {caught(other):.3f}",
        )
