"""AdaBoost.MH and InsDif as described in their papers, in NumPy; `label_space.py` times them.

Their scores are those of mlbench. InsDif starts from the same medoids.
"""

from __future__ import annotations

import numpy as np


def adaboost_mh(X, Y, new, rounds, smoothing=1.0):
    """Score new rows: Schapire & Singer (2000), sections 3 and 4, for real-valued features.

    Each round looks at all thresholds of one feature after the other.
    """
    n, k = Y.shape
    signs = 2 * Y - 1
    D = np.full((n, k), 1 / (n * k))
    order = np.argsort(X, axis=0, kind="stable")
    scores = np.zeros((len(new), k))
    for _ in range(rounds):
        best = np.inf
        total_for, total_against = (D * Y).sum(axis=0), (D * (1 - Y)).sum(axis=0)
        for feature in range(X.shape[1]):
            rows = order[:, feature]
            values = X[rows, feature]
            split = np.flatnonzero(values[:-1] < values[1:])
            if not len(split):
                continue
            for_ = np.cumsum((D * Y)[rows], axis=0)[split]
            against = np.cumsum((D * (1 - Y))[rows], axis=0)[split]
            below = np.sqrt(for_ * against)
            above = np.sqrt(np.maximum((total_for - for_) * (total_against - against), 0))
            Z = 2 * (below + above).sum(axis=1)
            place = int(np.argmin(Z))
            if Z[place] < best - 1e-12:
                best = Z[place]
                at = split[place]
                chosen, threshold = feature, (values[at] + values[at + 1]) / 2
        side = X[:, chosen] > threshold
        votes = np.empty((2, k))
        for block, part in enumerate((~side, side)):
            for_, against = (D * Y)[part].sum(axis=0), (D * (1 - Y))[part].sum(axis=0)
            added = smoothing / (n * k)
            votes[block] = 0.5 * np.log((for_ + added) / (against + added))
        D = D * np.exp(-signs * votes[side.astype(int)])
        D /= D.sum()
        scores += votes[(new[:, chosen] > threshold).astype(int)]
    return scores


def hausdorff(A, B):
    """Return the Hausdorff distance of two bags, (u, d) and (v, d)."""
    distances = np.sqrt(((A[:, None] - B) ** 2).sum(axis=2))
    return max(distances.min(axis=1).max(), distances.min(axis=0).max())


def insdif(X, Y, new, ratio=0.2, seed=0):
    """Score new rows: Zhang & Zhou (2007), with bags and their distances, a pair at a time."""
    n = len(X)
    prototypes = np.array([X[y == 1].mean(axis=0) for y in Y.T])
    bags = X[:, None] - prototypes
    distances = np.zeros((n, n))
    for one in range(n):
        for other in range(one):
            distances[one, other] = distances[other, one] = hausdorff(bags[one], bags[other])
    medoids = np.random.RandomState(seed).permutation(n)[: max(1, round(ratio * n))]
    while True:
        nearest = distances[:, medoids].argmin(axis=1)
        nearest[medoids] = np.arange(len(medoids))
        moved = medoids.copy()
        for cluster in range(len(medoids)):
            members = np.flatnonzero(nearest == cluster)
            sums = distances[np.ix_(members, members)].sum(axis=1)
            if sums.min() < sums[members == medoids[cluster]][0] * (1 - 1e-12):
                moved[cluster] = members[np.argmin(sums)]
        if (moved == medoids).all():
            break
        medoids = moved
    weights = np.linalg.lstsq(distances[:, medoids], 2.0 * Y - 1, rcond=None)[0]
    to_medoids = np.empty((len(new), len(medoids)))
    for row, x in enumerate(new):
        bag = x - prototypes
        for column, medoid in enumerate(medoids):
            to_medoids[row, column] = hausdorff(bag, bags[medoid])
    return to_medoids @ weights
