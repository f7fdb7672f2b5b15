"""Linear models of several labels or tasks: targets of -1 and 1, and scores."""

from dataclasses import dataclass

import numpy as np

from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(frozen=True)
class TwoClassTargets:
    """The labels (with tasks: the tasks) that have two classes in training.

    Attributes
    ----------
    constants : (k,) array
        The score, -1 or 1, of every label or task if it has a single class.
    fitted : (k',) int array
        The labels or tasks that have two classes.
    y : (N,) array of -1 and 1
        Their targets, label by label or task by task.
    parts : list of k' int arrays, or None
        With tasks: the rows of each.
    """

    constants: Floats
    fitted: Ints
    y: Floats
    parts: list[Ints] | None


def two_class_targets(Y: Ints, tasks: Ints | None, n_tasks: int) -> TwoClassTargets:
    """Separate the labels (with tasks: the tasks) of two classes from the constant ones.

    A task without rows counts as a task without positives.
    """
    if tasks is None:
        rows, positives = np.full(Y.shape[1], len(Y)), Y.sum(axis=0)
    else:
        rows = np.bincount(tasks, minlength=n_tasks)
        positives = np.bincount(tasks, weights=Y[:, 0], minlength=n_tasks)
    constants = np.where((positives == rows) & (rows > 0), 1.0, -1.0)
    fitted = np.flatnonzero((positives > 0) & (positives < rows))
    parts = None
    if tasks is None:
        labels = Y[:, fitted].T.ravel()
    else:
        parts = [np.flatnonzero(tasks == task) for task in fitted]
        labels = Y[np.concatenate([*parts, np.empty(0, np.int64)]), 0]
    return TwoClassTargets(constants, fitted, 2 * labels.astype(np.float64) - 1, parts)


def linear_scores(X: Matrix, coef: Floats, intercept: Floats, tasks: Ints | None) -> Floats:
    """Return ``X @ coef.T + intercept``; with tasks, every row's score (m, 1) for its own task."""
    if tasks is None:
        return np.asarray(X @ coef.T + intercept)
    scores = np.empty((X.shape[0], 1))
    for task in np.unique(tasks):
        rows = tasks == task
        scores[rows, 0] = X[rows] @ coef[task] + intercept[task]
    return scores
