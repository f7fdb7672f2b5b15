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

from typing import NamedTuple

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled
from mlbench.solvers.losses import plane_values


def f1_cuts(scores: Floats, y: Floats, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the loss of every task and the labeling that attains it, see `Oracle`.

    ``c`` is y - y_hat and delta 1 - F1. Of negatives of equal score the first are flipped, and a
    flip that gains nothing is not made.
    """
    bands = _bands(scores, y, offsets)
    # numpy sorts several numbers at a time, compiled code one by one
    for start, n_kept, n_flipped in zip(offsets, bands.n_kept, bands.n_flipped, strict=False):
        bands.kept[start : start + n_kept].sort()
        bands.flipped[start : start + n_flipped].sort()
    c, delta = _labelings(scores, y, offsets, bands)
    return plane_values(scores, offsets, c, delta), c, delta


class _Bands(NamedTuple):
    """The scores near the threshold; those of each task start at its offset."""

    kept: Floats
    """Of positives that may be kept or given up."""
    flipped: Floats
    """Of negatives that may be flipped."""
    n_kept: Ints
    n_flipped: Ints


@compiled
def _bands(scores: Floats, y: Floats, offsets: Ints) -> _Bands:
    """Return the scores near the threshold, without branches, which would be mispredicted."""
    k = len(offsets) - 1
    kept, flipped = np.empty(len(scores)), np.empty(len(scores))
    n_kept, n_flipped = np.zeros(k, np.int64), np.zeros(k, np.int64)
    for i in range(k):
        s, y_task = scores[offsets[i] : offsets[i + 1]], y[offsets[i] : offsets[i + 1]]
        positives, above, wrong = _counts(s, y_task)
        keep, reach = _thresholds(positives, above, wrong)
        up = down = offsets[i]
        for j in range(len(s)):
            x, positive = s[j], y_task[j] > 0
            kept[up] = x  # overwritten by the next one unless it counts: no branch
            up += positive & (x > 0) & (x < keep)
            flipped[down] = x
            down += (not positive) & (x > reach) & (x <= 0)
        n_kept[i], n_flipped[i] = up - offsets[i], down - offsets[i]
    return _Bands(kept, flipped, n_kept, n_flipped)


@compiled
def _counts(s: Floats, y: Floats) -> tuple[int, int, int]:
    """Return the number of positives, and of positives and negatives with a score above 0."""
    positives = 0
    above = 0
    wrong = 0
    for j in range(len(s)):
        positive = y[j] > 0
        positives += positive
        above += positive & (s[j] > 0)
        wrong += (not positive) & (s[j] > 0)
    return positives, above, wrong


@compiled
def _thresholds(positives: int, above: int, wrong: int) -> tuple[float, float]:
    """Return the score from which a positive is kept, and up to which no negative is flipped."""
    if positives == 0:
        return 0.0, 0.0
    base = positives + wrong
    return 1.0 / (base + 1), -above / ((base + above) * (base + above + 1.0))


@compiled
def _labelings(scores: Floats, y: Floats, offsets: Ints, bands: _Bands) -> tuple[Floats, Floats]:
    """Return y - y_hat and 1 - F1 of the worst labelings."""
    delta = np.empty(len(offsets) - 1)
    c = np.empty(len(scores))
    for i in range(len(delta)):
        task = slice(offsets[i], offsets[i + 1])
        kept = bands.kept[offsets[i] : offsets[i] + bands.n_kept[i]]
        flipped = bands.flipped[offsets[i] : offsets[i] + bands.n_flipped[i]]
        s, y_task = scores[task], y[task]
        delta[i], keep, flip, n_flip = _worst(s, y_task, kept, flipped)
        _mark(s, y_task, keep, flip, n_flip, c[task])
    return c, delta


@compiled
def _worst(
    s: Floats, y: Floats, kept_band: Floats, flipped_band: Floats
) -> tuple[float, float, float, int]:
    """Find the worst labeling of one task, given its bands in ascending order.

    Returns delta and what the labeling is: the positives from ``keep`` upwards
    are kept; the negatives above ``flip`` and the first ``n_flip`` equal to it are flipped.
    """
    positives, above, flipped = _counts(s, y)
    if positives == 0:
        return _worst_without_positives(s)
    keep, _ = _thresholds(positives, above, flipped)
    kept = above - len(kept_band)
    n_flipped = len(flipped_band)

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
            # Another flip adds 2 x to the loss, and 2a/total - 2a/(total + 1) by a lower F1.
            if not x + a / (total * (total + 1.0)) > 0:
                break
            gain += x
            down += 1
            d += 1
        # The loss, but for terms that all labelings share; a kept positive, too, adds 2 x.
        f = 2.0 * gain - 2.0 * a / (positives + a + d)
        if f > best:
            best, best_up, best_down = f, up, down
        if up == len(kept_band):
            break
        gain += kept_band[len(kept_band) - 1 - up]
        up += 1
        a += 1

    if best_up:
        keep = kept_band[len(kept_band) - best_up]
    flip = 0.0
    n_flip = 0
    if best_down:
        flip = flipped_band[n_flipped - best_down]
        n_flip = int(np.count_nonzero(flipped_band[n_flipped - best_down :] == flip))
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
        positive = y[j] > 0
        c[j] = 2.0 * (positive & (s[j] < keep)) - 2.0 * ((not positive) & (s[j] > flip))
    j = 0
    while n_flip > 0:
        if not y[j] > 0 and s[j] == flip:
            c[j] = -2.0
            n_flip -= 1
        j += 1
