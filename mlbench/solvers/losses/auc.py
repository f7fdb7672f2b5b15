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

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def auc_cuts(scores: Floats, y: Floats, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the loss of every task and the pairs that make it up.

    Only the smaller class is sorted, and the other looked up in it: O(n log n). A pair whose
    difference is exactly 1/2 counts as well ranked.

    Parameters
    ----------
    scores : (N,) array
        The scores of all tasks, one after the other.
    y : (N,) array of -1 and 1
    offsets : (k + 1,) int array
        Task i has the entries ``offsets[i]:offsets[i + 1]``.

    Returns
    -------
    values : (k,) array
        ``values[i] = delta[i] - s_i . c_i``.
    c : (N,) array
        2 y / (P N) times the number of pairs with a loss that the example is part of; ``-c``
        is a subgradient of the sum of the losses.
    delta : (k,) array
        The share of pairs with a loss.
    """
    k = len(offsets) - 1
    values = np.zeros(k)
    delta = np.zeros(k)
    c = np.zeros(len(scores))
    edges = np.empty(len(scores))
    for i in range(k):
        task = slice(offsets[i], offsets[i + 1])
        s, y_task, c_task = scores[task], y[task], c[task]
        rare, n_rare = _edges(s, y_task, edges)
        pairs = float(n_rare) * (len(s) - n_rare)
        if pairs == 0:
            continue
        below = np.zeros(n_rare + 1, np.int64)  # then: how many of the others exceed each edge
        swapped = 0
        for j in range(len(s)):
            if y_task[j] != rare:
                rank = _count_below(edges[:n_rare], _level(s[j], y_task[j], rare))
                c_task[j] = 2.0 * y_task[j] * rank / pairs
                below[rank] += 1
                swapped += rank
        for rank in range(n_rare - 1, -1, -1):
            below[rank] += below[rank + 1]
        for j in range(len(s)):
            if y_task[j] == rare:
                rank = _count_below(edges[:n_rare], _level(s[j], y_task[j], rare))
                c_task[j] = 2.0 * y_task[j] * below[rank + 1] / pairs
        delta[i] = swapped / pairs
        total = 0.0
        for j in range(len(s)):
            total += s[j] * c_task[j]
        values[i] = delta[i] - total
    return values, c, delta


@compiled
def auc_values(scores: Floats, y: Floats, offsets: Ints) -> Floats:
    """Return the loss of every task, (k,): see `auc_cuts`."""
    k = len(offsets) - 1
    values = np.zeros(k)
    edges = np.empty(len(scores))
    for i in range(k):
        task = slice(offsets[i], offsets[i + 1])
        s, y_task = scores[task], y[task]
        rare, n_rare = _edges(s, y_task, edges)
        pairs = float(n_rare) * (len(s) - n_rare)
        if pairs == 0:
            continue
        lower = np.zeros(n_rare + 1)  # sums of the lowest edges
        for rank in range(n_rare):
            lower[rank + 1] = lower[rank] + edges[rank]
        total = 0.0
        for j in range(len(s)):
            if y_task[j] != rare:
                level = _level(s[j], y_task[j], rare)
                rank = _count_below(edges[:n_rare], level)
                total += rank * level - lower[rank]
        values[i] = 2.0 * total / pairs
    return values


@compiled
def _edges(s: Floats, y: Floats, edges: Floats) -> tuple[float, int]:
    """Sort the levels of the smaller class into ``edges``; return which it is, and its size.

    Levels turn a pair's loss into max(0, level of the other - level of the rare).
    """
    positives = 0
    for j in range(len(s)):
        positives += y[j] > 0
    rare = 1.0 if 2 * positives <= len(s) else -1.0
    count = 0
    for j in range(len(s)):
        if y[j] == rare:
            edges[count] = _level(s[j], y[j], rare)
            count += 1
    edges[:count].sort()
    return rare, count


@compiled
def _level(x: float, label: float, rare: float) -> float:
    """Return s - 1/2 for a positive and s for a negative, with the sign of the rare class."""
    return rare * (x - 0.5 if label > 0 else x)


@compiled
def _count_below(increasing: Floats, x: float) -> int:
    """Count the values below x; there is at least one value."""
    first = 0
    length = len(increasing)
    while length > 1:
        half = length >> 1
        first += half * (increasing[first + half - 1] < x)
        length -= half
    return first + int(increasing[first] < x)


@compiled
def auc_prox(z: Floats, y: Floats, offsets: Ints, weight: float) -> Floats:
    """Return the minimiser s of ``weight * sum_i G(s_i) + 1/2 ||s - z||^2``: (N,).

    With u = z - 1/2 for positives and u = z for negatives, the problem of a task is

        min  kappa sum_{k, l} max(0, s_l - s_k) + 1/2 ||s - u||^2,   kappa = 2 weight / (P N).

    It is solved by halving: for a block of consecutive positives and negatives with mean m, the
    part above m in the solution is a set of top negatives and top positives, found by one
    pointer. If it is everything or nothing the whole block takes the value m. Otherwise each
    pair of an upper negative and a lower positive has a loss and moves both by kappa, no other
    pair between the parts has one, and the parts are blocks of their own.

    Parameters
    ----------
    z : (N,) array
    y : (N,) array of -1 and 1
    offsets : (k + 1,) int array
    weight : float, not negative
    """
    s = z.copy()
    for i in range(len(offsets) - 1):
        task = slice(offsets[i], offsets[i + 1])
        _prox(z[task], y[task], weight, s[task])
    return s


@compiled
def _prox(z: Floats, y: Floats, weight: float, s: Floats) -> None:
    """Write the solution of one task into s."""
    positive = np.flatnonzero(y > 0)
    negative = np.flatnonzero(y < 0)
    if len(positive) == 0 or len(negative) == 0:
        return
    kappa = 2.0 * weight / (float(len(positive)) * len(negative))
    positive = positive[np.argsort(-z[positive])]
    negative = negative[np.argsort(-z[negative])]
    u = z[positive] - 0.5
    v = z[negative]
    _decreasing_prox(u, v, kappa)
    for j in range(len(positive)):
        s[positive[j]] = u[j] + 0.5
    for j in range(len(negative)):
        s[negative[j]] = v[j]


@compiled
def _decreasing_prox(u: Floats, v: Floats, kappa: float) -> None:
    """Replace decreasing u and v by argmin kappa sum (v_l - u_k)_+ + half squared distance."""
    size = len(u) + len(v)
    blocks = np.empty((size, 4), np.int64)
    blocks[0] = 0, len(u), 0, len(v)
    waiting = 1
    while waiting:
        waiting -= 1
        u_start, u_stop, v_start, v_stop = blocks[waiting]
        p = u_stop - u_start
        q = v_stop - v_start
        if p == 0 or q == 0 or u[u_stop - 1] >= v[v_start]:
            continue
        mean = (u[u_start:u_stop].sum() + v[v_start:v_stop].sum()) / (p + q)
        a, b = _upper_part(u[u_start:u_stop], v[v_start:v_stop], mean, kappa)
        if a + b == 0 or a + b == p + q:
            u[u_start:u_stop] = mean
            v[v_start:v_stop] = mean
            continue
        v[v_start : v_start + a] -= kappa * (p - b)
        u[u_start + b : u_stop] += kappa * a
        blocks[waiting] = u_start, u_start + b, v_start, v_start + a
        blocks[waiting + 1] = u_start + b, u_stop, v_start + a, v_stop
        waiting += 2


@compiled
def _upper_part(u: Floats, v: Floats, mean: float, kappa: float) -> tuple[int, int]:
    """Return how many of the top v and of the top u are above the mean in the solution.

    They minimise kappa a (p - b) - sum_{top a} (v - mean) - sum_{top b} (u - mean).
    """
    cost = 0.0
    b = 0
    best = np.inf
    best_a = 0
    best_b = 0
    for a in range(len(v) + 1):
        if a:
            cost += kappa * (len(u) - b) - (v[a - 1] - mean)
        while b < len(u) and u[b] - mean + kappa * a > 0:
            cost -= u[b] - mean + kappa * a
            b += 1
        if cost < best:
            best, best_a, best_b = cost, a, b
    return best_a, best_b
