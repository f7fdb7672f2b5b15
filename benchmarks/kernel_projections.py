"""MORP's projection against naive code, and a path of projections with SVMs against single fits.

The data have the size of those of Yu, Yu & Tresp (section 4.2): 500 training rows, 491 features, 25
labels. "naive" forms K (gamma K + K_x)^(-1) K_x of their equation (14) and decomposes it. The note
is the largest angle between the features of the naive code and ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from ratios import Ratio, measure
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel

from mlbench.methods.kernel_projection.gaussian import MORPSVM
from mlbench.methods.kernels import median_distance


def correlated(n, d=491, k=25, seed=0):
    random = np.random.RandomState(seed)
    hidden = random.randn(n, 30)
    X = hidden @ random.randn(30, d) + random.randn(n, d)
    Y = (np.sin(hidden) @ random.randn(30, k) + random.randn(n, k) > 3).astype(np.int64)
    return X, Y


def naive_morp(X, Y, beta, gamma, r):
    """Return the training features of r directions, as equations (14) to (16) say."""
    K_x = rbf_kernel(X, gamma=0.5 / median_distance(X) ** 2)
    center = np.eye(len(X)) - 1 / len(X)
    K_x, T = center @ K_x @ center, center @ Y
    K_y = T @ T.T
    K = (1 - beta) * K_x + beta * K_y * (np.trace(K_x) / np.trace(K_y))
    ridge = 1e-12 * np.trace(K_x) / len(X) * np.eye(len(X))
    whole = K @ linalg.solve(gamma * K + K_x + ridge, K_x)
    values, vectors = linalg.eigh((whole + whole.T) / 2)
    return vectors[:, ::-1][:, :r] * np.sqrt(values[::-1][:r])


def ratios(full: bool) -> Iterator[Ratio]:
    X, Y = correlated(500)
    for r in (1, 5, 50, 200) if full else (10,):
        yield of_projection(X, Y, r)
    if full:
        yield of_projection(*correlated(2000), 50)
    yield of_path(X, Y, full)


def of_projection(X, Y, r):
    def angle(model, theirs):
        return f"angle {linalg.subspace_angles(model.transform(X), theirs).max():.0e}"

    return measure(
        f"`morp_svm`, projection to {r} dimensions, {len(X)} rows",
        "naive",
        lambda: MORPSVM(r).fit_projection(X, Y),
        lambda: naive_morp(X, Y, 0.5, 1e-3, r),
        angle,
    )


def of_path(X, Y, full):
    betas, gammas, sizes = (0.1, 0.5, 0.9), (1e-3, 1e-2, 1e-1), (5, 10, 20, 50)
    if not full:
        betas, gammas, sizes = betas[:2], gammas[:2], sizes[:2]
    grid = [
        {"beta": beta, "gamma": gamma, "n_components": r}
        for beta, gamma, r in product(betas, gammas, sizes)
    ]
    return measure(
        f"`morp_svm`, {len(grid)} values of beta, gamma, and dimensions as a path",
        "one by one",
        lambda: list(MORPSVM().fit_path(X, Y, grid)),
        lambda: [MORPSVM(**point).fit(X, Y) for point in grid],
    )
