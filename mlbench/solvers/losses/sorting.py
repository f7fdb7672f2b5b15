"""Sort scores, with their places: the step that dominates the losses of AUC."""

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled

CROWDED = 24
"""A bucket with more values than this is sorted by merging, not by insertion."""


@compiled
def sort_with_order(x: Floats) -> tuple[Floats, Ints]:
    """Return the values in increasing order, and where each of them was: stable.

    As many buckets of equal width as values, sorted by insertion: linear for values that are
    spread at all evenly, as scores are. Crowded buckets are sorted by merging, which keeps the
    whole at O(n log n) for any input.

    Returns
    -------
    values : (n,) array
    order : (n,) int array
        ``values = x[order]``.
    """
    n = len(x)
    low = np.inf
    high = -np.inf
    total = 0.0
    for value in x:
        low = min(low, value)
        high = max(high, value)
        total += value
    if low == high:
        return x.copy(), np.arange(n)
    scale = (n - 1) / (high - low)
    if not (np.isfinite(total) and 0 < scale < np.inf):  # no place in a bucket for inf and nan
        order = np.argsort(x, kind="mergesort")
        return x[order], order

    # A counting sort by bucket: starts[b] is first the number of values in buckets before b, and
    # after the values are placed, the end of bucket b.
    starts = np.zeros(n + 1, np.int64)
    bucket = np.empty(n, np.int64)
    for i in range(n):
        bucket[i] = int((x[i] - low) * scale)
        starts[bucket[i] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    values = np.empty(n)
    order = np.empty(n, np.int64)
    for i in range(n):
        place = starts[bucket[i]]
        starts[bucket[i]] += 1
        values[place] = x[i]
        order[place] = i
    first = 0
    for i in range(n):
        last = starts[i]
        if last - first > CROWDED:
            inner = np.argsort(values[first:last], kind="mergesort")
            values[first:last] = values[first:last][inner]
            order[first:last] = order[first:last][inner]
        first = last
    _insertion_sort(values, order)  # no value is far from its place: it stays in its bucket
    return values, order


@compiled
def _insertion_sort(values: Floats, order: Ints) -> None:
    """Sort in place values that are nearly sorted, and move ``order`` along."""
    for i in range(1, len(values)):
        value = values[i]
        if values[i - 1] <= value:
            continue
        place = order[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            order[j] = order[j - 1]
            j -= 1
        values[j] = value
        order[j] = place
