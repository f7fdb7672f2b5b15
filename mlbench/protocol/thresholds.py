"""Cuts that turn scores into labels, chosen for the best F1 on given scores.

Source: Han et al. (2010), Algorithm 1, with its range of cuts mended: every number of entries
from none to all may be set to zero.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def best_f1_cut(y: Ints, scores: Floats) -> float:
    """Return the cut that gives the best F1: what lies above it is positive.

    Parameters
    ----------
    y : (n,) int array of 0/1
    scores : (n,) float array

    Returns
    -------
    float
        The midpoint between two neighbouring distinct scores, or infinity with either sign if
        nothing, or everything, is best called positive. Among equal F1 the lowest cut is taken;
        without positives every F1 is 0, and nothing is called positive.
    """
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    n, n_positive = len(scores), int(y.sum())
    n_zero = np.arange(n + 1)
    hits = n_positive - np.concatenate([[0], np.cumsum(y[order])])
    whole = n_positive + n - n_zero
    f1 = np.divide(2.0 * hits, whole, out=np.zeros(n + 1), where=whole > 0)
    allowed = np.ones(n + 1, dtype=bool)
    allowed[1:n] = ascending[1:] > ascending[:-1]
    best = int(np.argmax(np.where(allowed, f1, -1.0)))
    if best == 0 and f1[0] > 0:
        return -np.inf
    if best in (0, n):
        return np.inf
    low, high = ascending[best - 1], ascending[best]
    middle = low / 2 + high / 2
    return float(middle if low <= middle < high else low)


def choose_cuts(policy: str, Y: Ints, scores: Floats) -> Floats:
    """Return one cut per label.

    Parameters
    ----------
    policy : str
        One that ends in ``global`` (a single cut for all entries, as Han et al. have it) or
        in ``label`` (one cut for each label).
    Y : (n, k) int array of 0/1
    scores : (n, k) float array
    """
    k = Y.shape[1]
    if policy.endswith("global"):
        return np.full(k, best_f1_cut(Y.ravel(), scores.ravel()))
    return np.array([best_f1_cut(Y[:, j], scores[:, j]) for j in range(k)])


def cut(scores: Floats, cuts: Floats) -> Ints:
    """Return labels: 1 where a score lies above its label's cut."""
    return (scores > cuts).astype(np.int64)
