"""Corrections for comparing all pairs of methods: which hypotheses can be true together.

If A equals B and B equals C, then A equals C. So not every set of hypotheses can be true at once,
and a correction that knows this rejects more than Holm's.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MlbenchError

MAX_METHODS = 10
"""There are 115,975 ways to group ten methods, and 678,570 to group eleven."""


def shaffer(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values of all pairs of methods, adjusted by Shaffer's static procedure.

    Sorted ascending, the i-th becomes the largest of t_j p_j, j <= i, at most 1, where t_j is the
    largest number of hypotheses that can be true when j - 1 are false.
    Source: Shaffer, Modified sequentially rejective multiple test procedures, J. Am. Stat. Assoc.
    81 (1986).

    Parameters
    ----------
    p_values : array of shape (k, k)
        The uncorrected p-value of every pair; only what is above the diagonal is read.

    Returns
    -------
    array of shape (k, k)
        Symmetric, with ones on the diagonal.
    """
    p, pairs = _pairs(p_values)
    possible = np.array(sorted(_numbers_of_true(len(p))))
    order = np.argsort(p[pairs], kind="stable")
    left = np.arange(order.size, 0, -1)
    factors = possible[np.searchsorted(possible, left, side="right") - 1]
    adjusted = np.empty(order.size)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[pairs][order]))
    return _symmetric(adjusted, pairs, len(p))


def bergmann_hommel(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values of all pairs of methods, adjusted by Bergmann and Hommel's procedure.

    For every way to divide the methods into groups of equal ones, the hypotheses within groups
    are rejected together only if the smallest of their m p-values is at most alpha / m. It has the
    most power of the procedures here, for up to ten methods.
    Source: Bergmann & Hommel, in Multiple Hypotheses Testing, Springer (1988); Garcia & Herrera,
    J. Mach. Learn. Res. 9 (2008).

    Parameters
    ----------
    p_values : array of shape (k, k)
        The uncorrected p-value of every pair; only what is above the diagonal is read.

    Returns
    -------
    array of shape (k, k)
        Symmetric, with ones on the diagonal.

    Raises
    ------
    mlbench.errors.MlbenchError
        If there are more than ten methods.
    """
    p, pairs = _pairs(p_values)
    k = len(p)
    if k > MAX_METHODS:
        raise MlbenchError(
            f"Bergmann and Hommel's procedure is for up to {MAX_METHODS} methods, not {k}; "
            "Shaffer's has almost the same power"
        )
    adjusted = np.zeros((k, k))
    for groups in _divisions(k):
        true = [pair for group in groups for pair in combinations(group, 2)]
        if true:
            first, second = np.array(true).T
            value = len(true) * p[first, second].min()
            adjusted[first, second] = np.maximum(adjusted[first, second], value)
    return _symmetric(np.minimum(1.0, adjusted[pairs]), pairs, k)


Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]


def _pairs(p_values: ArrayLike) -> tuple[NDArray[np.float64], Pairs]:
    p = np.asarray(p_values, dtype=np.float64)
    return p, np.triu_indices(len(p), 1)


def _symmetric(values: NDArray[np.float64], pairs: Pairs, k: int) -> NDArray[np.float64]:
    table = np.ones((k, k))
    table[pairs] = values
    table.T[pairs] = values
    return table


@cache
def _numbers_of_true(k: int) -> frozenset[int]:
    """Return how many of the k (k - 1) / 2 hypotheses can be true at once."""
    if k < 2:
        return frozenset({0})
    return frozenset(comb(j, 2) + rest for j in range(1, k + 1) for rest in _numbers_of_true(k - j))


def _divisions(k: int) -> Iterator[list[list[int]]]:
    """Yield all ways to divide the numbers below k into groups."""
    if k == 0:
        yield []
        return
    for groups in _divisions(k - 1):
        for i, group in enumerate(groups):
            yield [*groups[:i], [*group, k - 1], *groups[i + 1 :]]
        yield [*groups, [k - 1]]
