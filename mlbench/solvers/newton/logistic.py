"""Logistic regressions, one for each of many labels, by Newton's method on all of them at once.

Each label minimizes, over w and b,

    1/2 ||w||^2 + C sum_i log(1 + exp(-y_i (w'x_i + b))),

as scikit-learn's ``LogisticRegression`` does. The labels share each product of X or of its
transpose, which is one with many right-hand sides. Newton's steps eliminate the intercept, which
follows w: what remains is strongly convex, so that an objective is at most half the squared length
of its gradient above the least one.
"""

import numpy as np
from scipy.special import expit

from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.linear_models import LinearModels

MAX_STEPS = 50
MAX_PRODUCTS = 200
"""The largest number of conjugate gradient iterations of a step."""

FORCING = 0.1
"""A step solves its linear system to this share of the gradient's length."""

HALVINGS = 40
DESCENT = 1e-4
"""Armijo's share of the descent that the gradient promises."""

INTERCEPT_STEPS = 3


def logistic_classifiers(
    X: Matrix, Y: Ints, C: float, fit_intercept: bool = True, tolerance: float = 1e-4
) -> LinearModels:
    """Fit every label until its objective is within ``tolerance`` of the least one, relative.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    Y : (n, k) array of 0 and 1
        Each label has both.
    C : float
    fit_intercept : bool, default=True
    tolerance : float, default=1e-4

    References
    ----------
    Lin, Weng & Keerthi (2008), Trust region Newton method for large-scale logistic regression.
    Journal of Machine Learning Research 9, 627-650.
    """
    k = Y.shape[1]
    found = LinearModels(np.zeros((k, X.shape[1])), np.zeros(k), np.full(k, np.inf))
    y = Y.astype(np.float64)
    w, b = np.zeros((X.shape[1], k)), np.zeros(k)
    if fit_intercept:
        share = y.mean(axis=0)
        b = np.log(share / (1 - share))
    scores = np.tile(b, (len(y), 1))
    pending = np.arange(k)
    for _ in range(MAX_STEPS):
        chances = expit(scores)
        gradient = w + C * np.asarray(X.T @ (chances - y))
        curvature = C * chances * (1 - chances)
        objective = _objective(w, scores, y, C)
        above = (gradient**2).sum(axis=0) / 2
        if fit_intercept:
            slope = C * (chances - y).sum(axis=0)
            above += slope**2 / (2 * curvature.sum(axis=0))
        found.coef[pending], found.intercept[pending] = w.T, b
        found.gap[pending] = above / objective
        kept = above > tolerance * objective
        if not kept.any():
            break
        pending, b, objective = pending[kept], b[kept], objective[kept]
        w, scores, y, gradient, curvature = (
            np.ascontiguousarray(each[:, kept]) for each in (w, scores, y, gradient, curvature)
        )
        step = _newton_step(X, gradient, curvature, fit_intercept)
        move = np.asarray(X @ step)
        shift = -_weighted_mean(move, curvature) if fit_intercept else np.zeros(len(b))
        length = _step_length(w, step, scores, move + shift, y, C, objective, gradient)
        w += length * step
        b += length * shift
        scores += length * (move + shift)
        if fit_intercept:
            extra = _better_intercept(scores, y)
            b += extra
            scores += extra
    return found


def _objective(w: Floats, scores: Floats, y: Floats, C: float) -> Floats:
    losses = np.maximum(scores, 0) - y * scores + np.log1p(np.exp(-np.abs(scores)))
    return np.asarray((w**2).sum(axis=0) / 2 + C * losses.sum(axis=0))


def _weighted_mean(columns: Floats, weights: Floats) -> Floats:
    total = np.maximum(weights.sum(axis=0), np.finfo(np.float64).tiny)
    return np.asarray((weights * columns).sum(axis=0) / total)


def _newton_step(X: Matrix, gradient: Floats, curvature: Floats, fit_intercept: bool) -> Floats:
    """Solve ``(I + X' D X) s = -g`` for every label by conjugate gradients.

    With an intercept, the columns of X are centered by their means of weights D: this is the
    Schur complement.
    """
    step = np.zeros_like(gradient)
    at = np.arange(gradient.shape[1])
    rest, direction = -gradient, -gradient
    square = (rest**2).sum(axis=0)
    enough = FORCING**2 * square
    for _ in range(MAX_PRODUCTS):
        move = np.asarray(X @ direction)
        if fit_intercept:
            move -= _weighted_mean(move, curvature)
        image = direction + np.asarray(X.T @ (curvature * move))
        length = square / (direction * image).sum(axis=0)
        step[:, at] += length * direction
        rest = rest - length * image
        before, square = square, (rest**2).sum(axis=0)
        kept = square > enough
        if not kept.any():
            break
        direction = rest + square / before * direction
        if not kept.all():
            at, square, enough = at[kept], square[kept], enough[kept]
            rest, direction, curvature = (
                np.ascontiguousarray(each[:, kept]) for each in (rest, direction, curvature)
            )
    return step


def _step_length(
    w: Floats,
    step: Floats,
    scores: Floats,
    move: Floats,
    y: Floats,
    C: float,
    objective: Floats,
    gradient: Floats,
) -> Floats:
    """Halve the step of each label until its objective falls enough; 0 if it never does."""
    length = np.ones(w.shape[1])
    promised = (gradient * step).sum(axis=0)
    open_ = np.arange(w.shape[1])
    for _ in range(HALVINGS):
        part = length[open_]
        reached = _objective(
            w[:, open_] + part * step[:, open_],
            scores[:, open_] + part * move[:, open_],
            y[:, open_],
            C,
        )
        open_ = open_[~(reached <= objective[open_] + DESCENT * part * promised[open_])]
        if not len(open_):
            return length
        length[open_] /= 2
    length[open_] = 0
    return length


def _better_intercept(scores: Floats, y: Floats) -> Floats:
    """Return how much to add to each intercept, by Newton's steps of at most 1."""
    extra = np.zeros(scores.shape[1])
    for _ in range(INTERCEPT_STEPS):
        chances = expit(scores + extra)
        weights = np.maximum((chances * (1 - chances)).sum(axis=0), np.finfo(np.float64).tiny)
        extra -= np.clip((chances - y).sum(axis=0) / weights, -1, 1)
    return extra
