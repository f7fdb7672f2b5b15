"""Time of kernel projections: by number of dimensions, on a grid, and compared with naive code.

    python benchmarks/kernel_projections.py

The data have the size of those of Yu, Yu & Tresp (section 4.2): 500 training rows, 491 features, 25
labels. "naive" forms K (gamma K + K_x)^(-1) K_x of their equation (14) and decomposes it for every
point. Seconds are the best of three, on one thread. The angle is the largest angle between
the features of the naive code and ours.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import product

import numpy as np
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from mlbench.methods.kernel_projection.kcca_svm import KCCASVM
from mlbench.methods.kernel_projection.kpca_svm import KPCASVM
from mlbench.methods.kernel_projection.morp_svm import MORPSVM
from mlbench.methods.kernels import median_distance

DIMENSIONS = (1, 2, 5, 10, 20, 50, 100, 200)


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


def seconds(function, repeats=3):
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        found.append(time.perf_counter() - start)
    return min(found), result


def over_dimensions(n):
    X, Y = correlated(n)
    print(f"\nfit_projection, n = {n}: seconds over the number of dimensions")
    makers = {
        "morp exact": lambda r: MORPSVM(r),
        "morp approx": lambda r: MORPSVM(r, solver="approx"),
        "kcca": lambda r: KCCASVM(min(r, Y.shape[1])),
        "kpca": lambda r: KPCASVM(r),
    }
    names = [*makers, "naive morp"]
    print(f"{'r':>5}" + "".join(f"{name:>13}" for name in names) + "    angle")
    for r in DIMENSIONS:
        cells = []
        for name, make in makers.items():
            took, model = seconds(lambda make=make, r=r: make(r).fit_projection(X, Y))
            cells.append(took)
            if name == "morp exact":
                mine = model.transform(X)
        took, theirs = seconds(lambda r=r: naive_morp(X, Y, 0.5, 1e-3, r))
        angle = linalg.subspace_angles(mine, theirs).max()
        print(f"{r:>5}" + "".join(f"{cell:>13.3f}" for cell in [*cells, took]) + f"  {angle:.0e}")


def one_grid(n):
    X, Y = correlated(n)
    grid = [
        {"beta": beta, "gamma": gamma, "n_components": r}
        for beta, gamma, r in product((0.1, 0.5, 0.9), (1e-3, 1e-2, 1e-1), DIMENSIONS[2:6])
    ]
    whole, models = seconds(lambda: dict(MORPSVM().fit_path(X, Y, grid)), 1)
    svms, _ = seconds(lambda: [model.fit_classifiers(X, Y) for model in models.values()], 1)
    alone, _ = seconds(lambda: [MORPSVM(**point).fit_projection(X, Y) for point in grid], 1)
    naive, _ = seconds(
        lambda: [naive_morp(X, Y, at["beta"], at["gamma"], at["n_components"]) for at in grid], 1
    )
    print(
        f"\n{len(grid)} points (beta, gamma, r), n = {n}: fit_path {whole:.1f} s, of which SVMs",
        end="",
    )
    print(f" about {svms:.1f} s; projections one by one {alone:.1f} s, naive {naive:.1f} s")


def shares(n):
    """Print where the time of a projection goes, and what one more beta or gamma costs."""
    X, Y = correlated(n)
    model = MORPSVM(50)
    measured = model._measure(X)
    to_space, space = seconds(lambda: model._space(measured), 1)
    more, _ = seconds(lambda: model._directions(space, Y.astype(float), 50))
    print(f"\nn = {n}: eigenbasis {to_space:.2f} s; each further beta or gamma {more:.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--more-rows", type=int, default=2000)
    sizes = parser.parse_args()
    warnings.simplefilter("ignore")
    over_dimensions(sizes.rows)
    shares(sizes.rows)
    shares(sizes.more_rows)
    one_grid(sizes.rows)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
