"""The structured hinge loss of F1: the worst labeling of every task.

For one task with scores s and labels y in {-1, 1}, P of them positive,

    G(s) = max over y_hat in {-1, 1}^n of  Delta(y, y_hat) - s . (y - y_hat),

where Delta is 1 - F1, with F1 = 1 where nothing is positive and nothing predicted. A worst
labeling keeps the a highest positives and flips the d highest negatives, so that

    G(s) = max_{a, d}  1 - 2a / (P + a + d) - 2 sum_{lowest P - a positives} s
                       + 2 sum_{highest d negatives} s.

Given a, this is concave in d, and the best d never falls as a grows. One pointer finds it for
all a: d is raised while s_(d + 1) + a / ((P + a + d)(P + a + d + 1)) > 0 and never lowered.

Most examples need no sorting. With F negatives above 0, which are flipped whatever a is, a
positive is kept if its score is at least 1 / (P + F + 1) and given up if it is 0 or below; a
negative is flipped only if its score is above -R / ((P + F + R)(P + F + R + 1)), where R counts
the positives above 0. Two bands around the threshold are left to sort and walk through. The
rest of the work is linear in n. Where scores are equal, the best value given a is strictly convex
in a: positives of equal score are kept or given up together.

References
----------
Ke, Pan, Yin & Huang, Optimizing evaluation metrics for multi-task learning via the alternating
direction method of multipliers, equations (2) and (9).
"""

from __future__ import annotations

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled
from mlbench.solvers.losses.planes import plane_values


@compiled
def f1_cuts(scores: Floats, y: Floats, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the loss of every task and the labeling that attains it, see `Oracle`.

    ``c`` is y - y_hat and delta 1 - F1. Of negatives of equal score the first are flipped, and a
    flip that gains nothing is not made.
    """
    delta = np.empty(len(offsets) - 1)
    c = np.empty(len(scores))
    kept_band = np.empty(len(scores))
    flipped_band = np.empty(len(scores))
    for i in range(len(delta)):
        task = slice(offsets[i], offsets[i + 1])
        s, y_task, c_task = scores[task], y[task], c[task]
        delta[i], keep, flip, n_flip = _worst(s, y_task, kept_band, flipped_band)
        _mark(s, y_task, keep, flip, n_flip, c_task)
    return plane_values(scores, offsets, c, delta), c, delta


@compiled
def _worst(
    s: Floats, y: Floats, kept_band: Floats, flipped_band: Floats
) -> tuple[float, float, float, int]:
    """Find the worst labeling of one task.

    Returns delta and what the labeling is: the positives from ``keep`` upwards
    are kept; the negatives above ``flip`` and the first ``n_flip`` equal to it are flipped.
    """
    positives = 0
    above_zero = 0
    flipped = 0
    for j in range(len(s)):
        positive = y[j] > 0
        above = s[j] > 0
        positives += positive
        above_zero += positive & above
        flipped += above & (not positive)
    if positives == 0:
        return _worst_without_positives(s)

    base = positives + flipped
    keep = 1.0 / (base + 1)
    reach = -above_zero / ((base + above_zero) * (base + above_zero + 1.0))
    kept = 0
    n_kept = 0
    n_flipped = 0
    for j in range(len(s)):
        x = s[j]
        if y[j] > 0:
            kept += x >= keep
            kept_band[n_kept] = x
            n_kept += (x > 0) & (x < keep)
        else:
            flipped_band[n_flipped] = x
            n_flipped += (x > reach) & (x <= 0)
    kept_band[:n_kept].sort()
    flipped_band[:n_flipped].sort()

    a, d = kept, flipped
    gain = 0.0
    best = -np.inf
    best_up = 0
    best_down = 0
    up = 0
    down = 0
    while True:
        while down < n_flipped:
            total = float(positives + a + d)
            x = flipped_band[n_flipped - 1 - down]
            if not x + a / (total * (total + 1.0)) > 0:
                break
            gain += x
            down += 1
            d += 1
        f = 2.0 * gain - 2.0 * a / (positives + a + d)
        if f > best:
            best, best_up, best_down = f, up, down
        if up == n_kept:
            break
        gain += kept_band[n_kept - 1 - up]
        up += 1
        a += 1

    if best_up:
        keep = kept_band[n_kept - best_up]
    flip = 0.0
    n_flip = 0
    if best_down:
        flip = flipped_band[n_flipped - best_down]
        while n_flip < best_down and flipped_band[n_flipped - best_down + n_flip] == flip:
            n_flip += 1
    a = kept + best_up
    delta = 1.0 - 2.0 * a / (positives + a + flipped + best_down)
    return delta, keep, flip, n_flip


@compiled
def _worst_without_positives(s: Floats) -> tuple[float, float, float, int]:
    """Flip what is above 0, or else the highest if the mistake, which counts 1, is worth it."""
    highest = -np.inf
    for x in s:
        highest = max(highest, x)
    if highest > 0:
        return 1.0, 0.0, 0.0, 0
    if highest > -0.5:
        return 1.0, 0.0, highest, 1
    return 0.0, 0.0, 0.0, 0


@compiled
def _mark(s: Floats, y: Floats, keep: float, flip: float, n_flip: int, c: Floats) -> None:
    """Write y - y_hat: 2 for a positive given up, -2 for a flipped negative, else 0."""
    for j in range(len(s)):
        if y[j] > 0:
            c[j] = 0.0 if s[j] >= keep else 2.0
        else:
            c[j] = -2.0 if s[j] > flip else 0.0
    j = 0
    while n_flip > 0:
        if y[j] < 0 and s[j] == flip:
            c[j] = -2.0
            n_flip -= 1
        j += 1
