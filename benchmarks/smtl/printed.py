"""The algorithm of Ke et al. for structured multi-task learning, as printed in the paper.

The baseline of the scripts in this folder, in NumPy: ADMM on (12), where the step in W is one
coordinate ascent per task (Algorithms 1 and 2), with the search for the worst labeling (Algorithms
3 and 4) as printed in the paper, or any other that is passed. Weights are (d, m) as in the paper,
one column per task. The problem is

    minimize  Omega(W) + lam * sum_i max_j [Delta_j - w_i . X_i' (y_i - y_j)].

What does not work as printed is corrected here; nothing else is improved:

- Algorithm 2, line 1, starts at w = 0, v = 0. There alpha = 0, which violates sum(alpha) =
  lam / mu. It starts at w = b, v = 0: all weight on the true labeling, whose Delta and slope
  are 0.
- (30) omits (mu / lam) w . b. This does not change the labeling found, only its value.
- (39) omits the factor lam / mu before the maximum, and line 9 of Algorithm 2 also omits "- v".
- Line 9 compares a w from after the step with a maximum from before it. Here, the gap uses a single
  w and is tested before the step.
- Algorithm 3, line 8, refers to (11) for Delta; it is that of (9).
- Algorithm 4 prints q_n for q_Neg, and gives no direction for the sort; it is descending. Line 13,
  a labeling by "some threshold value", is not a maximizer. Instead, the swapped pairs are kept, for
  which the maximum is exact and the loss is the mean of max(0, 1 - 2 (s_k - s_l)).
- (7) writes U Sigma V for U Sigma V'.

The paper calls mu adaptive but gives neither a rule nor a value, so mu is a constant parameter. The
paper gives no outer tolerance either. The inner one (1e-5) and the inner limit (5000) are the
paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from time import perf_counter

import numpy as np

Task = tuple[np.ndarray, np.ndarray]
"""X (n, d) and y (n,) of -1 and +1."""

Oracle = Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray]]
"""From y (n,) and scores s (n,) to Delta and c (n,) that maximize Delta - s . c."""

INNER_TOLERANCE = 1e-5
INNER_LIMIT = 5000


@dataclass(frozen=True)
class Iterate:
    """Where the algorithm is after an outer iteration.

    Attributes
    ----------
    seconds : float
        Spent by the algorithm so far.
    S, W : (d, m) arrays
        The two copies of the weights; they agree in the limit.
    iterations, oracle_calls : int
        So far.
    """

    seconds: float
    S: np.ndarray
    W: np.ndarray
    iterations: int
    oracle_calls: int


def admm(
    tasks: Sequence[Task],
    lam: float,
    mu: float,
    penalty: str,
    oracle: Oracle,
    eps: float = 1e-5,
    seconds: float = np.inf,
) -> Iterator[Iterate]:
    """Algorithm 1: yield an iterate after every outer iteration.

    Parameters
    ----------
    tasks : list of (X, y)
    lam, mu : float
        The weight of the loss and of the augmented term.
    penalty : {"l11", "l21", "trace"}
    oracle : callable
        From (y, s) to (Delta, c): `f1_by_table`, `auc_by_pairs` or another.
    eps : float
        Ends when no entry of S - W is larger.
    seconds : float
        Ends after this time of its own, in the middle of a sub-problem if need be. What the
        caller does between two iterates is not counted.
    """
    shrink = PROXES[penalty]
    W = np.zeros((tasks[0][0].shape[1], len(tasks)))
    Z = np.zeros_like(W)
    spent, calls = 0.0, 0
    for iteration in count(1):
        start = perf_counter()
        S = shrink(W + Z / mu, 1.0 / mu)
        W = W.copy()
        for i, (X, y) in enumerate(tasks):
            b = S[:, i] - Z[:, i] / mu
            W[:, i], used = coordinate_ascent(
                X, y, b, lam, mu, oracle, deadline=start + seconds - spent
            )
            calls += used
        Z = Z + mu * (W - S)
        spent += perf_counter() - start
        yield Iterate(spent, S, W, iteration, calls)
        if np.abs(S - W).max() <= eps or spent >= seconds:
            return


def coordinate_ascent(
    X: np.ndarray,
    y: np.ndarray,
    b: np.ndarray,
    lam: float,
    mu: float,
    oracle: Oracle,
    deadline: float = np.inf,
) -> tuple[np.ndarray, int]:
    """Algorithm 2: minimize lam * G(w) + mu / 2 ||w - b||^2 through its dual.

    Returns
    -------
    w : (d,) array
    calls : int
        Of the oracle.
    """
    rho = lam / mu
    w, v, calls = b.copy(), 0.0, 0
    while calls < INNER_LIMIT:
        delta, c = oracle(y, X @ w)
        calls += 1
        K = X.T @ c + b / rho
        gap = w @ w + rho * (delta - w @ K) - v  # (39)
        if gap <= INNER_TOLERANCE or perf_counter() >= deadline:
            break
        step = rho * K - w
        gamma = min(gap / (step @ step), 1.0)  # (37): its numerator is the gap
        w = w + gamma * step  # (35)
        v = (1.0 - gamma) * v + gamma * rho * delta  # (36)
    return w, calls


def objective(
    W: np.ndarray, tasks: Sequence[Task], lam: float, penalty: str, oracle: Oracle
) -> float:
    """Return Omega(W) + lam * sum_i G_i(w_i), the G_i by the oracle."""
    total = 0.0
    for w, (X, y) in zip(W.T, tasks, strict=True):
        s = X @ w
        delta, c = oracle(y, s)
        total += delta - s @ c
    return float(NORMS[penalty](W) + lam * total)


def f1_by_table(y: np.ndarray, s: np.ndarray) -> tuple[float, np.ndarray]:
    """Algorithm 3: try every number of positives kept and of negatives flipped.

    All counts are compared at once, in a table that is made anew for every call; what depends
    on the counts alone is remembered.
    """
    order = np.argsort(-s, kind="stable")
    positive, negative = order[y[order] > 0], order[y[order] < 0]
    losses = _losses_by_counts(len(positive), len(negative))
    lost = np.concatenate([np.cumsum(s[positive][::-1])[::-1], [0.0]])
    gained = np.concatenate([[0.0], np.cumsum(s[negative])])
    best = np.argmax(losses - 2.0 * lost[:, None] + 2.0 * gained)
    kept, flipped = divmod(int(best), len(gained))
    c = np.zeros(len(y))
    c[positive[kept:]] = 2.0
    c[negative[:flipped]] = -2.0
    return float(losses[kept, flipped]), c


@lru_cache(maxsize=64)
def _losses_by_counts(positives: int, negatives: int) -> np.ndarray:
    """Return 1 - F1 by positives kept (rows) and negatives flipped (columns)."""
    kept = np.arange(positives + 1.0)[:, None]
    flipped = np.arange(negatives + 1.0)
    counted = positives + kept + flipped
    f1 = np.divide(2.0 * kept, counted, out=np.ones_like(counted), where=counted > 0)
    return 1.0 - f1


def auc_by_pairs(y: np.ndarray, s: np.ndarray) -> tuple[float, np.ndarray]:
    """Algorithm 4 without its last line: a pair is swapped where s_k - 1/4 < s_l + 1/4."""
    order = np.argsort(np.where(y > 0, 0.25, -0.25) - s, kind="stable")
    is_positive = y[order] > 0
    negatives_above = np.cumsum(~is_positive)
    positives_below = is_positive.sum() - np.cumsum(is_positive)
    swapped = np.where(is_positive, negatives_above, positives_below)
    pairs = max(1, int(is_positive.sum()) * int((~is_positive).sum()))
    c = np.empty(len(y))
    c[order] = np.where(is_positive, 2.0, -2.0) * swapped / pairs
    return float(swapped[is_positive].sum() / pairs), c


def _shrink_entries(M: np.ndarray, step: float) -> np.ndarray:
    return np.maximum(M - step, 0.0) + np.minimum(M + step, 0.0)


def _shrink_rows(M: np.ndarray, step: float) -> np.ndarray:
    lengths = np.linalg.norm(M, axis=1, keepdims=True)
    return M * np.maximum(lengths - step, 0.0) / np.maximum(lengths, 1e-300)


def _shrink_singular_values(M: np.ndarray, step: float) -> np.ndarray:
    U, values, Vt = np.linalg.svd(M, full_matrices=False)
    return (U * np.maximum(values - step, 0.0)) @ Vt


# (15), (17) and (18)
PROXES = {"l11": _shrink_entries, "l21": _shrink_rows, "trace": _shrink_singular_values}

NORMS = {
    "l11": lambda W: np.abs(W).sum(),
    "l21": lambda W: np.linalg.norm(W, axis=1).sum(),
    "trace": lambda W: np.linalg.svd(W, compute_uv=False).sum(),
}
