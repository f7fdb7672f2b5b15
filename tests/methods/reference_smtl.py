"""A slow and certain solver of the problems of structured multi-task learning, for tests only.

It minimizes Omega(W) + lam * sum_i G_i(X_i w_i) over W (k, d), one row per task. Everything is
written from the definitions and handed to a conic solver; nothing is shared with the package. It
is meant for problems with a few hundred numbers in all.

Every solution comes with a lower bound on the optimum. The bound is computed here from the
multipliers of the conic solver and holds whatever the quality of these: for q_i in lam times the
convex hull of the slopes of G_i, with v the matching constant terms, and t <= 1 such that the dual
norm of t * [X_i' q_i] is at most 1, no W does better than t * v.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

cp = pytest.importorskip("cvxpy")

MAX_ENUMERATED = 10
ACCURACY = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}


@dataclass(frozen=True)
class Solution:
    """A minimizer ``W`` (k, d), its objective, and a lower bound on the optimum."""

    W: np.ndarray
    value: float
    bound: float


def solve(Xs, ys, penalty, loss, lam, tol=1e-6):
    """Minimize the objective.

    Parameters
    ----------
    Xs : list of (n_i, d) arrays
        One for each task; for shared rows the same array k times.
    ys : list of (n_i,) arrays of -1 and +1
    penalty : {"l11", "l21", "trace"}
    loss : {"f1", "auc", "hinge", "squared"}
    lam : float
        The weight of the loss.
    tol : float
        What the value may be above the bound, in units of max(1, value).

    Raises
    ------
    AssertionError
        The conic solver did not reach the tolerance.
    """
    find = {"f1": _by_cuts, "squared": _squared}.get(loss, _by_margins)
    W, bound = find(Xs, ys, penalty, loss, lam, tol)
    value = objective(W, Xs, ys, penalty, loss, lam)
    assert value - bound <= tol * max(1.0, value), (value, bound)
    return Solution(W, value, bound)


def objective(W, Xs, ys, penalty, loss, lam):
    """Return Omega(W) + lam * sum_i G_i(X_i w_i)."""
    total = sum(task_loss(loss, X @ w, y) for X, w, y in zip(Xs, W, ys, strict=True))
    return norm(penalty, W) + lam * total


def norm(penalty, W):
    """Return the sum of entries, of norms over tasks, or of singular values."""
    if penalty == "l11":
        return np.abs(W).sum()
    if penalty == "l21":
        return sum(np.sqrt(np.sum(column**2)) for column in W.T)
    return np.linalg.svd(W, compute_uv=False).sum()


def dual_norm(penalty, V):
    """Return the largest <V, W> over W with ``norm(penalty, W) <= 1``."""
    if penalty == "l11":
        return np.abs(V).max()
    if penalty == "l21":
        return max(np.sqrt(np.sum(column**2)) for column in V.T)
    return np.linalg.svd(V, compute_uv=False).max()


def task_loss(loss, s, y):
    """Return G(s) of one task with scores ``s`` (n,) and labels ``y`` (n,) of -1 and +1."""
    if loss == "f1":
        return worst_labeling(s, y)[0]
    if loss == "squared":
        return 0.5 * np.sum((y - s) ** 2)
    weight, B = _margins(loss, y)
    return weight * sum(max(0.0, 1.0 - row @ s) for row in B)


def f1_loss(y, labels):
    """Return 1 - F1; no positives and none predicted count as F1 = 1."""
    true, predicted = np.sum(y > 0), np.sum(labels > 0)
    if true + predicted == 0:
        return 0.0
    return 1.0 - 2.0 * np.sum((y > 0) & (labels > 0)) / (true + predicted)


def worst_labeling(s, y):
    """Return the largest f1_loss(y, labels) - s . (y - labels), and the labels that have it."""
    if len(y) <= MAX_ENUMERATED:
        candidates = (np.array(signs) for signs in product((-1.0, 1.0), repeat=len(y)))
    else:
        candidates = _labelings_by_counts(s, y)
    best, found = -np.inf, None
    for labels in candidates:
        value = f1_loss(y, labels) - s @ (y - labels)
        if value > best:
            best, found = value, labels
    return best, found


def _labelings_by_counts(s, y):
    """For each number of positives kept and of negatives flipped, those of highest score."""
    order = np.argsort(-s, kind="stable")
    positives, negatives = order[y[order] > 0], order[y[order] < 0]
    for kept in range(len(positives) + 1):
        for flipped in range(len(negatives) + 1):
            labels = np.full(len(y), -1.0)
            labels[positives[:kept]] = 1.0
            labels[negatives[:flipped]] = 1.0
            yield labels


def _margins(loss, y):
    """Return a weight and B with G(s) = weight * sum of the positive parts of 1 - B s."""
    if loss == "hinge":
        return 2.0, np.diag(y)
    pairs = list(product(np.flatnonzero(y > 0), np.flatnonzero(y < 0)))
    B = np.zeros((len(pairs), len(y)))
    for row, (positive, negative) in zip(B, pairs, strict=True):
        row[positive], row[negative] = 2.0, -2.0
    return 1.0 / max(1, len(pairs)), B


def _by_margins(Xs, ys, penalty, loss, lam, tol):
    W = cp.Variable((len(Xs), Xs[0].shape[1]))
    parts = [_margins(loss, y) for y in ys]
    slacks = [cp.Variable(len(B), nonneg=True) if len(B) else None for _, B in parts]
    limits = {
        i: slacks[i] >= 1.0 - (B @ X) @ W[i]
        for i, (X, (_, B)) in enumerate(zip(Xs, parts, strict=True))
        if len(B)
    }
    total = sum(parts[i][0] * cp.sum(slacks[i]) for i in limits)
    _minimize(_conic_norm(penalty, W) + lam * total, list(limits.values()))
    V, constant = np.zeros(W.shape), 0.0
    for i, limit in limits.items():
        weight, B = parts[i]
        a = np.clip(limit.dual_value, 0.0, lam * weight)
        V[i], constant = a @ B @ Xs[i], constant + a.sum()
    return W.value, constant / max(1.0, dual_norm(penalty, V))


def _squared(Xs, ys, penalty, loss, lam, tol):
    W = cp.Variable((len(Xs), Xs[0].shape[1]))
    total = sum(cp.sum_squares(y - X @ W[i]) for i, (X, y) in enumerate(zip(Xs, ys, strict=True)))
    _minimize(_conic_norm(penalty, W) + 0.5 * lam * total, [])
    q = [lam * (y - X @ w) for X, y, w in zip(Xs, ys, W.value, strict=True)]
    V = np.array([part @ X for part, X in zip(q, Xs, strict=True)])
    t = 1.0 / max(1.0, dual_norm(penalty, V))
    bound = sum(
        t * part @ y - t**2 * part @ part / (2.0 * lam) for part, y in zip(q, ys, strict=True)
    )
    return W.value, bound


def _by_cuts(Xs, ys, penalty, loss, lam, tol):
    """Add the worst labeling of every task until all are known."""
    k, d = len(Xs), Xs[0].shape[1]
    slopes, constants = [[] for _ in Xs], [[] for _ in Xs]
    W, best, lowest, bound = np.zeros((k, d)), np.zeros((k, d)), np.inf, 0.0
    while True:
        value = norm(penalty, W)
        for i, (X, y) in enumerate(zip(Xs, ys, strict=True)):
            worst, labels = worst_labeling(X @ W[i], y)
            value += lam * worst
            slopes[i].append((y - labels) @ X)
            constants[i].append(f1_loss(y, labels))
        if value < lowest:
            best, lowest = W, value
        if lowest - bound <= 0.5 * tol * max(1.0, lowest):
            return best, bound
        assert len(slopes[0]) < 1000, "the cuts do not close the gap"
        W, new_bound = _over_cuts(slopes, constants, penalty, lam)
        bound = max(bound, new_bound)


def _over_cuts(slopes, constants, penalty, lam):
    """Minimize with every loss replaced by the largest of 0 and its known pieces."""
    W = cp.Variable((len(slopes), len(slopes[0][0])))
    slacks = cp.Variable(len(slopes), nonneg=True)
    limits = [
        slacks[i] >= np.array(constants[i]) - np.array(slopes[i]) @ W[i] for i in range(len(slopes))
    ]
    _minimize(_conic_norm(penalty, W) + lam * cp.sum(slacks), limits)
    V, constant = np.zeros(W.shape), 0.0
    for i, limit in enumerate(limits):
        a = np.maximum(limit.dual_value, 0.0)
        a *= min(1.0, lam / max(a.sum(), 1e-300))
        V[i], constant = a @ np.array(slopes[i]), constant + a @ np.array(constants[i])
    return W.value, constant / max(1.0, dual_norm(penalty, V))


def _conic_norm(penalty, W):
    if penalty == "l11":
        return cp.sum(cp.abs(W))
    if penalty == "l21":
        return cp.sum(cp.norm(W, 2, axis=0))
    return cp.normNuc(W)


def _minimize(total, limits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of low accuracy: the bound tells what was reached
        cp.Problem(cp.Minimize(total), limits).solve(solver=cp.CLARABEL, **ACCURACY)
