"""Linear support vector machines of the squared hinge, one for each of many labels.

Each label minimizes, over w and b,

    1/2 (||w||^2 + (b / s)^2) + C sum_i max(0, 1 - y_i (w'x_i + b))^2,

as scikit-learn's ``LinearSVC`` does with ``intercept_scaling`` s. The dual has a multiplier
a_i >= 0 for each row; w is the sum of ``a_i y_i x_i``. Few rows of a rare label have one above 0,
so each label descends on a small working set. Labels share the margins of all rows, one product of
X with many right-hand sides, which tells the duality gap and the rows that are missing.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.jit import compiled_sums
from mlbench.solvers.linear_models import LinearModels

MAX_ROUNDS = 60
MAX_PASSES = 2000
"""The largest number of passes over working sets, for a label."""

PASSES = 200
"""The largest number of passes in a round."""

FIRST = 200
"""The least number of negative rows in the first working set, and of rows added in a round."""


class Rows(NamedTuple):
    """The rows of a CSR matrix with a constant feature, and their squared lengths."""

    starts: Ints
    features: Ints
    values: Floats
    squares: Floats
    constant: float


@dataclass
class _Label:
    """The state of a label: its working set, their multipliers, and w with b / s as last entry."""

    positive: Ints
    rows: Ints
    alpha: Floats
    w: Floats
    passes: int = 0
    gap: float = np.inf


def squared_hinge_classifiers(
    X: Matrix, Y: Ints, C: float, constant: float = 1.0, tolerance: float = 1e-4
) -> LinearModels:
    """Fit every label until its duality gap is at most ``tolerance`` times its objective.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    Y : (n, k) array of 0 and 1
    C : float
    constant : float, default=1.0
        The value of the constant feature that stands for the intercept; 0: no intercept.
    tolerance : float, default=1e-4

    References
    ----------
    Hsieh, Chang, Lin, Keerthi & Sundararajan (2008), A dual coordinate descent method for
    large-scale linear SVM. ICML, 408-415.
    """
    X = sparse.csr_matrix(X)
    row = np.repeat(np.arange(len(Y)), np.diff(X.indptr))
    squares = np.asarray(np.bincount(row, X.data**2, len(Y)) + constant**2, dtype=np.float64)
    rows = Rows(X.indptr, X.indices, X.data, squares, constant)
    labels = _first_sets(X, Y)
    pending = labels
    for _ in range(MAX_ROUNDS):
        for label in pending:
            _descend_on(label, rows, C, tolerance)
        W = np.column_stack([label.w for label in pending])
        scores = np.asarray(X @ W[:-1]) + constant * W[-1]
        for label, column in zip(pending, scores.T, strict=True):
            _check(label, column, C, tolerance)
        pending = [each for each in pending if each.gap > tolerance and each.passes < MAX_PASSES]
        if not pending:
            break
    W = np.array([label.w for label in labels])
    return LinearModels(W[:, :-1], W[:, -1] * constant, np.array([each.gap for each in labels]))


def _first_sets(X: Matrix, Y: Ints) -> list[_Label]:
    """Start from the positive rows, and the negative ones that are most like their sum."""
    n, d = X.shape
    likeness = np.asarray(X @ (sparse.csr_matrix(Y.T) @ X).T.toarray())
    labels = []
    for y, like in zip(Y.T, likeness.T, strict=True):
        positive = np.flatnonzero(y)
        like = like.copy()
        like[positive] = -np.inf
        size = min(n - len(positive), max(FIRST, 2 * len(positive)))
        near = np.argpartition(-like, size - 1)[:size] if size else positive[:0]
        chosen = np.concatenate([positive, near])
        labels.append(_Label(positive, chosen, np.zeros(len(chosen)), np.zeros(d + 1)))
    return labels


def _descend_on(label: _Label, rows: Rows, C: float, tolerance: float) -> None:
    signs = np.where(np.isin(label.rows, label.positive), 1.0, -1.0)
    passes = min(PASSES, MAX_PASSES - label.passes)
    label.passes += _descend(
        rows, label.rows, signs, label.alpha, label.w, C, tolerance / 4, passes
    )


def _check(label: _Label, scores: Floats, C: float, tolerance: float) -> None:
    """Compute the gap from the scores of all rows, and choose the next working set.

    With ``s_i = 1 - y_i f(x_i)``, a row adds ``C max(0, s_i)^2 + a_i^2 / 4C - a_i s_i`` to the
    gap, which is never negative.
    """
    short = 1 + scores
    short[label.positive] = 1 - scores[label.positive]
    alpha = np.zeros(len(scores))
    alpha[label.rows] = label.alpha
    loss = C * (np.maximum(0, short) ** 2).sum()
    primal = label.w @ label.w / 2 + loss
    own = short[label.rows]
    gap = loss + (label.alpha**2 / (4 * C) - label.alpha * own).sum()
    label.gap = max(0.0, gap) / primal
    if label.gap <= tolerance:
        return
    kept = label.rows[(label.alpha > 0) | (own > 0)]
    outside = short.copy()
    outside[label.rows] = 0
    missing = np.flatnonzero(outside > 0)
    most = max(FIRST, len(kept))
    if len(missing) > most:
        missing = missing[np.argpartition(-outside[missing], most)[:most]]
    label.rows = np.concatenate([kept, missing])
    label.alpha = alpha[label.rows]


@compiled_sums
def _descend(
    rows: Rows,
    chosen: Ints,
    signs: Floats,
    alpha: Floats,
    w: Floats,
    C: float,
    tolerance: float,
    passes: int,
) -> int:
    """Minimize the dual over the multipliers of the chosen rows; return the number of passes.

    Passes end once the gap of these rows, from their margins before each step, is small enough.
    """
    starts, features, values, squares, constant = rows
    d = len(w) - 1
    order = np.arange(len(chosen))
    state = np.uint64(88172645463325252)
    done = 0
    while done < passes:
        done += 1
        gap, primal = 0.0, 0.0
        for at in range(len(order)):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = at + np.int64(state % np.uint64(len(order) - at))
            place = order[other]
            order[other], order[at] = order[at], place
            i = chosen[place]
            first, last = np.uint64(starts[i]), np.uint64(starts[i + 1])
            score = constant * w[d]
            for e in range(first, last):
                score += values[e] * w[np.uint64(features[e])]
            before = alpha[place]
            short = 1.0 - signs[place] * score
            loss = C * max(0.0, short) ** 2
            gap += loss + before * before / (4 * C) - before * short
            primal += loss + before * (1.0 - short) / 2
            after = max(0.0, before + (short - before / (2 * C)) / (squares[i] + 1 / (2 * C)))
            if after != before:
                alpha[place] = after
                step = (after - before) * signs[place]
                for e in range(first, last):
                    w[np.uint64(features[e])] += step * values[e]
                w[d] += step * constant
        if gap <= tolerance * primal:
            break
    return done
