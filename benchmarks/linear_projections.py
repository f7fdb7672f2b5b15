"""CCA and OPLS compared with scikit-learn's CCA and PLS: time, and how well they predict labels.

    python benchmarks/linear_projections.py

Generated data: labels are thresholded linear functions of a few hidden variables behind the
features. All methods use as many directions as there are labels of full rank. scikit-learn's are
iterative (NIPALS), one direction after the other; ours come from one decomposition. "caught" is the
mean R2 of a least-squares fit of the centered labels of other rows on their projections, fitted on
the training rows. Seconds are the best of three, on one thread.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.cross_decomposition import CCA, PLSRegression
from sklearn.linear_model import LinearRegression
from threadpoolctl import threadpool_limits

from mlbench.methods.projection.cca import CCALS
from mlbench.methods.projection.opls_ls import OPLSLS

SHAPES = [(1500, 100, 14), (1500, 300, 6), (1500, 500, 26), (500, 2000, 20)]


def generated(n, d, k, seed=0):
    random = np.random.RandomState(seed)
    hidden = random.randn(2 * n, 10)
    X = hidden @ random.randn(10, d) + 2 * random.randn(2 * n, d)
    Y = (hidden @ random.randn(10, k) + random.randn(2 * n, k) > 1).astype(float)
    return X[:n], Y[:n], X[n:], Y[n:]


def best_of_three(make, X, Y):
    found = []
    for _ in range(3):
        start = time.perf_counter()
        model = make().fit(X, Y)
        found.append(time.perf_counter() - start)
    return min(found), model


def caught(model, X, Y, X_new, Y_new):
    Z, Z_new = np.asarray(model.transform(X)), np.asarray(model.transform(X_new))
    return LinearRegression().fit(Z, Y).score(Z_new, Y_new)


def main() -> None:
    print(
        f"{'rows x features, labels':>24} {'method':>20} {'seconds':>9} {'ratio':>7} {'caught':>7}"
    )
    for n, d, k in SHAPES:
        X, Y, X_new, Y_new = generated(n, d, k)
        pairs = [
            ("CCA, ridge 1", lambda: CCALS(ridge=1.0), lambda k=k: CCA(k, max_iter=2000)),
            ("OPLS, ridge 1", lambda: OPLSLS(ridge=1.0), lambda k=k: PLSRegression(k)),
        ]
        for name, ours, theirs in pairs:
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mine, model = best_of_three(ours, X, Y)
                other, sklearn_model = best_of_three(theirs, X, Y)
                share = caught(model, X, Y, X_new, Y_new)
                their_share = caught(sklearn_model, X, Y, X_new, Y_new)
            shape = f"{n} x {d}, {k}"
            print(f"{shape:>24} {name:>20} {mine:9.4f} {'':7} {share:7.3f}")
            rival = type(sklearn_model).__name__
            print(f"{shape:>24} {rival:>20} {other:9.4f} {other / mine:7.1f} {their_share:7.3f}")


if __name__ == "__main__":
    main()
