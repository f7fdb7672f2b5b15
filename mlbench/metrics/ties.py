"""Scores ranked within segments, with equal scores grouped.

Every rank-based metric is a sum over such groups: a segment is a label (for AUC), a sample (for
the ranking metrics), a task, or the whole matrix (for micro averages). Ties are handled exactly
in integers.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class TieGroups:
    """Groups of equal scores that have a positive, in ascending order within each segment.

    A group without positives adds nothing to any metric. So only the positives are arranged, and
    all other scores are merely sorted, which takes a fraction of the time.

    Parameters
    ----------
    scores : ndarray of shape (N,)
        Segment after segment; no NaN.
    positive : ndarray of shape (N,), bool
        The truth in the same order.
    lengths : ndarray of shape (s,)
        Entries of each segment, at least one.

    Attributes
    ----------
    positives, negatives : ndarray of shape (s,)
        Totals of each segment.
    """

    def __init__(self, scores: Floats, positive: Bools, lengths: Ints) -> None:
        places = np.flatnonzero(positive)
        ends = np.cumsum(lengths)
        segment = np.searchsorted(ends, places, side="right")
        self.positives: Ints = np.bincount(segment, minlength=lengths.size)
        self.negatives: Ints = lengths - self.positives

        values = scores[places]
        below, not_above = np.empty((2, places.size), dtype=np.int64)
        start = first = 0
        for end, last in zip(ends.tolist(), np.cumsum(self.positives).tolist(), strict=True):
            if first < last:
                own = slice(first, last)
                order = values[own].argsort()
                values[own], places[own] = values[own][order], places[own][order]
                ascending = np.sort(scores[start:end])
                below[own] = ascending.searchsorted(values[own])
                not_above[own] = ascending.searchsorted(values[own], side="right")
            start, first = end, last

        is_first = np.append(True, (values[1:] != values[:-1]) | (segment[1:] != segment[:-1]))
        groups = np.flatnonzero(is_first[: values.size])
        self._segment: Ints = segment[groups]
        self._pos: Ints = np.diff(groups, append=values.size)
        self._neg: Ints = not_above[groups] - below[groups] - self._pos
        self._pos_from: Ints = np.cumsum(self.positives)[self._segment] - groups
        self._all_from: Ints = lengths[self._segment] - below[groups]
        self._places, self._first = places, groups

    def _sum(self, values: NDArray[np.generic], groups: Ints | slice = slice(None)) -> Floats:
        of = self._segment[groups]
        sums = np.bincount(of, weights=values, minlength=self.positives.size)
        return sums.astype(np.float64, copy=False)

    def _reaching(self, n: int) -> tuple[Ints, Ints, Ints]:
        """Return the groups that reach the n best ranks, their sizes, and the ranks before them."""
        size = self._pos + self._neg
        before = self._all_from - size
        groups = np.flatnonzero(before < n)
        return groups, size[groups], before[groups]

    @cached_property
    def has_pairs(self) -> Bools:
        """Segments with at least one positive and one negative, shape (s,)."""
        return (self.positives > 0) & (self.negatives > 0)

    @cached_property
    def pairs(self) -> Ints:
        """Number of (positive, negative) pairs of each segment, shape (s,)."""
        return self.positives * self.negatives

    def _share_of_pairs(self, total: Floats) -> Floats:
        return _divide(total, self.pairs)

    @cached_property
    def not_below(self) -> Floats:
        """Share of pairs whose positive does not beat its negative (ties count), shape (s,)."""
        return self._share_of_pairs(self._sum(self._pos * (self._all_from - self._pos_from)))

    @cached_property
    def tied(self) -> Floats:
        """Share of pairs with equal scores, shape (s,)."""
        return self._share_of_pairs(self._sum(self._pos * self._neg))

    @cached_property
    def auc(self) -> Floats:
        """Share of pairs in the right order, a tie counting one half, shape (s,)."""
        lost = self._sum(self._pos * (2 * (self._all_from - self._pos_from) - self._neg))
        return self._share_of_pairs(2.0 * self.pairs - lost) / 2.0

    @cached_property
    def average_precision(self) -> Floats:
        """Mean over positives of the precision among the scores not below its own, shape (s,)."""
        total = self._sum(self._pos * (self._pos_from / self._all_from))
        return _divide(total, self.positives)

    @cached_property
    def depth(self) -> Ints:
        """Number of scores not below the lowest positive, shape (s,); 0 without positives."""
        depth = np.zeros(self.positives.size, dtype=np.int64)
        depth[self._segment[::-1]] = self._all_from[::-1]
        return depth

    @cached_property
    def positive_at_top(self) -> Floats:
        """Share of positives among the entries with the best score, shape (s,)."""
        at_top = self._all_from == self._pos + self._neg
        return self._sum(np.where(at_top, self._pos / self._all_from, 0.0))

    def true_positive_rate(self, false_positive_rate: float) -> Floats:
        """Height of the ROC curve, linear within ties and upper end of its steps, shape (s,)."""
        before = self._all_from - self._pos_from - self._neg
        room = false_positive_rate * self.negatives[self._segment] - before
        passed = np.where(self._neg > 0, np.clip(room / np.maximum(self._neg, 1), 0, 1), room >= 0)
        return _divide(self._sum(self._pos * passed), self.positives)

    def top(self, n: int) -> Floats:
        """Share of positives among the n best scores, or all if fewer, shape (s,).

        Of entries that are tied at the end of the n, an equal part of each is counted.
        """
        groups, size, before = self._reaching(n)
        counted = np.minimum(n - before, size)
        best = np.minimum(n, self.positives + self.negatives)
        share: Floats = self._sum(self._pos[groups] * (counted / size), groups) / best
        return share

    def gain(self, by_rank: Floats, weights: Floats | None = None) -> Floats:
        """Sum over positives of the gain at their rank, shape (s,); tied ranks share theirs.

        Parameters
        ----------
        by_rank : ndarray of shape (n,)
            Gain at the n best ranks; none further down.
        weights : ndarray of shape (w,), optional
            Multiply the gains of the entries 0..w-1, then of the next w, and so on.
        """
        groups, size, before = self._reaching(by_rank.size)
        reached = np.append(0.0, np.cumsum(by_rank))
        shared = reached[np.minimum(before + size, by_rank.size)] - reached[before]
        weight: NDArray[np.generic] = self._pos[groups]
        if weights is not None:
            ends = self._first[groups] + self._pos[groups]
            of = np.repeat(ends - np.cumsum(self._pos[groups]), self._pos[groups])
            places = self._places[of + np.arange(of.size)]
            member = np.repeat(np.arange(groups.size), self._pos[groups])
            weight = np.bincount(member, weights[places % weights.size], groups.size)
        return self._sum(weight * shared / size, groups)


def _divide(total: Floats, number: Ints) -> Floats:
    """Return total / number, nan where the number is 0."""
    share = np.full(total.shape, np.nan)
    np.divide(total, number, out=share, where=number > 0)
    return share
