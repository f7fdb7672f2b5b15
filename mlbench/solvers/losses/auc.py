"""The mean pair hinge of AUC: value, subgradient and proximal step.

For one task with P positives k and N negatives l,

    G(s) = 1 / (P N) sum_{k, l} max(0, 1 - 2 (s_k - s_l)).

It is the structured hinge loss of 1 - AUC over rankings: the worst ranking swaps exactly the
pairs with s_l > s_k - 1/2, and a ranking that swaps just these exists. A task of one class has
no pairs and the loss 0.

Lower bound: with v = sigma (z - s) from `auc_prox`, a subgradient of h = lambda G at s, the
conjugate is -h*(v) = h(s) - v . s by Fenchel's equality.

References
----------
Joachims (2005), A support vector method for multivariate performance measures. ICML.
"""

from dataclasses import dataclass

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled
from mlbench.solvers.losses import plane_values
from mlbench.solvers.losses.sorting import sort_with_order


@compiled
def auc_cuts(scores: Floats, y: Floats, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the loss of every task and the pairs that make it up, see `Oracle`.

    A pair whose difference is exactly 1/2 counts as well ranked: ``c`` is 2 y / (P N) times the
    number of pairs with a loss that the example is part of, delta the share of such pairs.
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
    u, positive, v, negative = _sorted_classes(s, y)
    pairs = float(len(u)) * len(v)
    if pairs == 0:
        return 0.0
    # A pair (k, l) is swapped if u_k = s_k - 1/2 < v_l = s_l. Both lists increase, so one pointer
    # counts the swapped partners of every negative, and then, from the top, of every positive.
    swapped = 0
    below = 0
    for j in range(len(v)):
        while below < len(u) and u[below] < v[j]:
            below += 1
        c[negative[j]] = -2.0 * below / pairs
        swapped += below
    above = 0
    for j in range(len(u) - 1, -1, -1):
        while above < len(v) and v[len(v) - 1 - above] > u[j]:
            above += 1
        c[positive[j]] = 2.0 * above / pairs
    return swapped / pairs


@compiled
def _sorted_classes(s: Floats, y: Floats) -> tuple[Floats, Ints, Floats, Ints]:
    """Return s - 1/2 of the positives and s of the negatives, increasing, with their places."""
    positive = np.flatnonzero(y > 0)
    negative = np.flatnonzero(y < 0)
    u, order = sort_with_order(s[positive])
    positive = positive[order]
    v, order = sort_with_order(s[negative])
    negative = negative[order]
    return u - 0.5, positive, v, negative


@compiled
def auc_prox(z: Floats, y: Floats, offsets: Ints, weight: float) -> Floats:
    """Return the minimizer s of ``weight * sum_i G(s_i) + 1/2 ||s - z||^2``: (N,).

    With u = z - 1/2 for positives and u = z for negatives, the problem of a task is

        min  kappa sum_{k, l} max(0, s_l - s_k) + 1/2 ||s - u||^2,   kappa = 2 weight / (P N).

    It is solved by halving: for a block of consecutive positives and negatives with mean m, the
    part below m in the solution is a set of lowest positives and lowest negatives, found by one
    pointer. If it is everything or nothing the whole block takes the value m. Otherwise each
    pair of a lower positive and an upper negative has a loss and moves both by kappa, no other
    pair between the parts has one, and the parts are blocks of their own.
    """
    s = z.copy()
    for i in range(len(offsets) - 1):
        task = slice(offsets[i], offsets[i + 1])
        _prox(z[task], y[task], weight, s[task])
    return s


@compiled
def _prox(z: Floats, y: Floats, weight: float, s: Floats) -> None:
    """Write the solution of one task into s."""
    u, positive, v, negative = _sorted_classes(z, y)
    pairs = float(len(u)) * len(v)
    if pairs == 0:
        return
    _increasing_prox(u, v, 2.0 * weight / pairs)
    s[positive] = u + 0.5
    s[negative] = v


@compiled
def _increasing_prox(u: Floats, v: Floats, kappa: float) -> None:
    """Replace increasing u and v by argmin kappa sum (v_l - u_k)_+ + half squared distance."""
    # A stack of blocks u[u_start:u_stop], v[v_start:v_stop]. They are disjoint, so there are never
    # more of them than values.
    blocks = np.empty((len(u) + len(v), 4), np.int64)
    blocks[0, 0], blocks[0, 1], blocks[0, 2], blocks[0, 3] = 0, len(u), 0, len(v)
    waiting = 1
    while waiting:
        waiting -= 1
        u_start, u_stop = blocks[waiting, 0], blocks[waiting, 1]
        v_start, v_stop = blocks[waiting, 2], blocks[waiting, 3]
        if u_start == u_stop or v_start == v_stop or u[u_start] >= v[v_stop - 1]:
            continue  # no pair has a loss: the block stays where it is
        total = 0.0
        for j in range(u_start, u_stop):
            total += u[j]
        for j in range(v_start, v_stop):
            total += v[j]
        mean = total / (u_stop - u_start + v_stop - v_start)
        a, b = _lower_part(u, u_start, u_stop, v, v_start, v_stop, mean, kappa)
        if (a == u_start and b == v_start) or (a == u_stop and b == v_stop):
            u[u_start:u_stop] = mean  # one part is empty: the whole block takes one value
            v[v_start:v_stop] = mean
            continue
        # The pairs of a lower positive and an upper negative have the slope kappa on both sides.
        for j in range(u_start, a):
            u[j] += kappa * (v_stop - b)
        for j in range(b, v_stop):
            v[j] -= kappa * (a - u_start)
        blocks[waiting, 0], blocks[waiting, 1] = u_start, a
        blocks[waiting, 2], blocks[waiting, 3] = v_start, b
        waiting += 1
        blocks[waiting, 0], blocks[waiting, 1] = a, u_stop
        blocks[waiting, 2], blocks[waiting, 3] = b, v_stop
        waiting += 1


@compiled
def _lower_part(
    u: Floats,
    u_start: int,
    u_stop: int,
    v: Floats,
    v_start: int,
    v_stop: int,
    mean: float,
    kappa: float,
) -> tuple[int, int]:
    """Return where, in u and in v, the values end that are below the mean in the solution.

    With counts a and b they minimize
    kappa a (q - b) + sum_{lowest a} (u - mean) + sum_{lowest b} (v - mean), q being the number
    of v. Given a, the best b counts the v below mean + kappa a; so it is at least the number of
    v below the mean. Given b, the best a counts the u below mean - kappa (q - b). This bounds a
    from both sides, and between the bounds every a is tried.
    """
    least = _first_not_below(v, v_start, v_stop, mean)
    a = _first_not_below(u, u_start, u_stop, mean - kappa * (v_stop - least))
    last = _first_not_below(u, a, u_stop, mean)
    b = _first_not_below(v, least, v_stop, mean + kappa * (a - u_start))
    cost = 0.0
    best, best_a, best_b = cost, a, b
    while a < last:
        cost += kappa * (v_stop - b) + u[a] - mean  # the change of cost from a to a + 1
        a += 1
        moved = kappa * (a - u_start)
        while b < v_stop and v[b] < mean + moved:
            cost += v[b] - mean - moved
            b += 1
        if cost < best:
            best, best_a, best_b = cost, a, b
    return best_a, best_b


@compiled
def _first_not_below(increasing: Floats, start: int, stop: int, value: float) -> int:
    """Return the first place in start..stop whose value is not below ``value``, or else stop."""
    while start < stop:
        middle = (start + stop) >> 1
        if increasing[middle] < value:
            start = middle + 1
        else:
            stop = middle
    return start


@dataclass(frozen=True)
class MeanPairHinge:
    """The mean over pairs of a task of max(0, 1 - 2 (s_k - s_l)), the loss of AUC."""

    y: Floats
    offsets: Ints

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task."""
        return auc_cuts(scores, self.y, self.offsets)[0]

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the proximal point of ``weight`` times the sum."""
        return auc_prox(z, self.y, self.offsets, weight)
