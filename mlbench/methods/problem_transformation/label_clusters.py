"""Clusters of labels: of equal size by the rows that have them, or by the features of the rows."""

from __future__ import annotations

import warnings
from bisect import insort
from hashlib import blake2b

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from mlbench.solvers.arrays import Floats, Ints, Matrix

BLOCK = 1024
"""Labels whose distances are computed together."""

ITERATIONS = 20
"""The largest number of rounds of the clustering, as in MULAN."""


def label_centroids(X: Matrix, Y: Ints) -> Matrix:
    """Return the mean features of the rows of every label, of unit length, (k, d).

    They are dense where that takes no more memory, as k-means is then several times faster.
    """
    members = sparse.csr_array(Y.T).astype(np.float64)
    sums = members @ X
    if sparse.issparse(sums) and 8 * sums.nnz > np.prod(sums.shape):
        sums = sums.toarray()
    return normalize(sums, copy=False)


def nearest_clusters(points: Matrix, n_clusters: int, random: np.random.RandomState) -> list[Ints]:
    """Cluster points by k-means; the clusters may have any size.

    Parameters
    ----------
    points : (L, d) array or CSR matrix
    n_clusters
        At most L.
    random

    Returns
    -------
    list of ascending int arrays
        The points of every nonempty cluster. Points that are all equal are one cluster each.
    """
    kmeans = KMeans(n_clusters, n_init=1, max_iter=ITERATIONS, random_state=random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than clusters
        cluster = kmeans.fit_predict(points)
    used = np.unique(cluster)
    if len(used) == 1:
        return list(np.arange(len(cluster))[:, None])
    return [np.flatnonzero(cluster == each) for each in used]


def balanced_clusters(points: Matrix, n_clusters: int, random: np.random.RandomState) -> list[Ints]:
    """Cluster points by k-means, no cluster larger than its even share rounded up.

    Points are assigned one after the other to the nearest center. If a cluster becomes too large,
    its farthest point (the last one of several) moves to its nearest center among those that it
    has not been assigned to. The initial centers are distinct points if there are enough. The
    clustering ends when no assignment changes, or after `ITERATIONS` rounds.

    Parameters
    ----------
    points : (L, n) array
        Of any numbers; those of 0 and 1 may be bytes.
    n_clusters
        At least 2 and less than L.
    random

    Returns
    -------
    list of ascending int arrays
        The points of every nonempty cluster.
    """
    capacity = -(-len(points) // n_clusters)
    draw = random.permutation(len(points))
    first: dict[bytes, int] = {}
    for place, point in enumerate(draw):
        first.setdefault(blake2b(points[point].tobytes()).digest(), place)
    distinct = np.array([*first.values()])
    chosen = np.concatenate([distinct, np.setdiff1d(np.arange(len(draw)), distinct)])
    centers = points[draw[chosen[:n_clusters]]].astype(np.float64)
    clusters: list[list[int]] = []
    for _ in range(ITERATIONS):
        distances = np.concatenate(
            [
                _squared_distances(points[start : start + BLOCK].astype(np.float64), centers)
                for start in range(0, len(points), BLOCK)
            ]
        )
        before, clusters = clusters, _assign(distances, capacity)
        if clusters == before:
            break
        for center, members in zip(centers, clusters, strict=True):
            if members:
                center[:] = points[members].mean(axis=0, dtype=np.float64)
    return [np.array(members) for members in clusters if members]


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    lengths = (points**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1)
    return np.asarray(lengths - 2 * points @ centers.T)


def _assign(distances: Floats, capacity: int) -> list[list[int]]:
    """Return the points of every cluster, ascending; ``distances`` (L, c) is overwritten."""
    clusters: list[list[tuple[float, int]]] = [[] for _ in range(distances.shape[1])]
    for start in range(len(distances)):
        point = start
        while True:
            nearest = int(np.argmin(distances[point]))
            insort(clusters[nearest], (float(distances[point, nearest]), point))
            if len(clusters[nearest]) <= capacity:
                break
            _, point = clusters[nearest].pop()
            distances[point, nearest] = np.inf
    return [sorted(point for _, point in cluster) for cluster in clusters]
