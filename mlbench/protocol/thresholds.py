"""Thresholds that turn scores into labels, chosen for the best F1 on given scores.

Source: Han et al. (2010), Algorithm 1, with its range of thresholds corrected: any number of
entries, from none to all, may be set to zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlbench.solvers.arrays import Floats, Ints


@dataclass(frozen=True)
class Policy:
    """How thresholds are chosen."""

    per_label: bool
    """One threshold for each label, or a single one for all."""
    held_out: bool
    """On scores of models that did not see the row, or of the final model on its own rows."""


POLICIES = {
    "train_f1_global": Policy(per_label=False, held_out=False),
    "train_f1_label": Policy(per_label=True, held_out=False),
    "cv_f1_label": Policy(per_label=True, held_out=True),
}
"""The policies besides ``default``, which keeps a method's own labels."""


def best_f1_threshold(y: Ints, scores: Floats) -> float:
    """Return the threshold that gives the best F1: what lies above it is positive.

    Parameters
    ----------
    y : (n,) int array of 0/1
    scores : (n,) float array

    Returns
    -------
    float
        The midpoint between two neighbouring distinct scores, or infinity with either sign if
        nothing, or everything, is best called positive. Among equal F1 the lowest threshold is
        taken; without positives every F1 is 0, and nothing is called positive.
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


def choose_thresholds(policy: str, Y: Ints, scores: Floats, tasks: Ints | None = None) -> Floats:
    """Return one threshold per label.

    Parameters
    ----------
    policy : str
        One of :data:`POLICIES`.
    Y : (n, k) int array of 0/1
    scores : (n, k) float array
    tasks : (n,) int array, optional
        Where there are tasks, each plays the part of a label.

    Returns
    -------
    (k,) array, or (number of tasks,) array
        A task without samples gets the one that is best for all together.
    """
    everywhere = best_f1_threshold(Y.ravel(), scores.ravel())
    if tasks is not None:
        thresholds = np.full(tasks.max() + 1, everywhere)
        for task in np.unique(tasks) if POLICIES[policy].per_label else ():
            here = tasks == task
            thresholds[task] = best_f1_threshold(Y[here, 0], scores[here, 0])
        return thresholds
    if not POLICIES[policy].per_label:
        return np.full(Y.shape[1], everywhere)
    return np.array([best_f1_threshold(Y[:, j], scores[:, j]) for j in range(Y.shape[1])])


def apply_thresholds(scores: Floats, thresholds: Floats, tasks: Ints | None = None) -> Ints:
    """Return labels: 1 where a score lies above the threshold of its label, or of its task."""
    return (scores > (thresholds if tasks is None else thresholds[tasks][:, None])).astype(np.int64)
