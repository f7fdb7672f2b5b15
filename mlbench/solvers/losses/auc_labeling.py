"""The structured hinge loss of AUC over labelings, as it is printed in the paper of SMTL.

Equation (2) with (10) and (11) maximizes over labelings of the examples, not over rankings:

    G(s) = max over y_hat in {-1, 1}^n of  FN FP / (P N) - s . (y - y_hat),

P and N being the numbers of positives and negatives, FN and FP those of the wrong ones among
them. It is another loss than the mean hinge over pairs (`mlbench.solvers.losses.auc`), which is
what a structured support vector machine for AUC minimizes.

With the m lowest positives missed and the f highest negatives flipped the objective is

    m f / (P N) - 2 sum_{lowest m positives} s + 2 sum_{highest f negatives} s,

concave in f given m, and the best f never falls as m grows: one pointer raises f while
s_(f + 1) + m / (2 P N) > 0. Positives below 0 are always missed and those at 1 / (2 P) or above
never are; negatives above 0 are always flipped and those at -1 / (2 N) or below never. Only
what lies between is sorted: O(n log n) at most.

References
----------
Ke, Pan, Yin & Huang, Optimizing evaluation metrics for multi-task learning via the alternating
direction method of multipliers, equations (2), (10) and (11).
"""

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled
from mlbench.solvers.losses import plane_values
from mlbench.solvers.losses.sorting import sort_with_order


@compiled
def auc_labeling_cuts(scores: Floats, y: Floats, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the loss of every task and the labeling that attains it, see `Oracle`.

    ``c`` is y - y_hat. Of equal scores the first in order is flipped, of equal labelings the one
    with fewest mistakes is taken. A task of one class has no pairs and the loss 0.
    """
    delta = np.zeros(len(offsets) - 1)
    c = np.zeros(len(scores))
    for i in range(len(delta)):
        task = slice(offsets[i], offsets[i + 1])
        delta[i] = _cut(scores[task], y[task], c[task])
    return plane_values(scores, offsets, c, delta), c, delta


@compiled
def _cut(s: Floats, y: Floats, c: Floats) -> float:
    """Write the direction of one task into c, which is 0, and return delta."""
    positives = int((y > 0).sum())
    negatives = len(y) - positives
    if positives == 0 or negatives == 0:
        return 0.0
    pairs = float(positives) * negatives
    high = 0.5 / positives
    low = -0.5 / negatives
    missed = 0
    flipped = 0
    for j in range(len(s)):
        if y[j] > 0 and s[j] < 0:
            missed += 1
            c[j] = 2.0
        elif y[j] < 0 and s[j] > 0:
            flipped += 1
            c[j] = -2.0
    positive = np.flatnonzero((y > 0) & (s >= 0) & (s < high))
    negative = np.flatnonzero((y < 0) & (s <= 0) & (s > low))
    miss_cost, order = sort_with_order(s[positive])
    positive = positive[order]
    flip_cost, order = sort_with_order(-s[negative])
    negative = negative[order]

    best = -np.inf
    best_missed = 0
    best_flipped = 0
    gain = 0.0
    f = 0
    for m in range(len(positive) + 1):
        if m:
            gain -= miss_cost[m - 1]
        # Another flip adds m / (P N) to delta and 2 s to the rest: half of that is compared.
        while f < len(negative) and (missed + m) / (2.0 * pairs) > flip_cost[f]:
            gain -= flip_cost[f]
            f += 1
        value = float(missed + m) * (flipped + f) / pairs + 2.0 * gain
        if value > best:
            best, best_missed, best_flipped = value, m, f
    c[positive[:best_missed]] = 2.0
    c[negative[:best_flipped]] = -2.0
    return float(missed + best_missed) * (flipped + best_flipped) / pairs
