"""Scores sorted within segments, with equal scores grouped.

Every rank-based metric is a sum over such groups: a segment is a label (for AUC), a sample (for
the ranking metrics), a task, or the whole matrix (for micro averages). One sort serves them all,
ties are handled exactly in integers, and no loop runs over segments.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class TieGroups:
    """Groups of equal scores, in ascending order within each segment.

    Parameters
    ----------
    scores : ndarray of shape (N,)
        Segment after segment, ascending within each; no NaN.
    positive : ndarray of shape (N,), bool
        The truth in the same order.
    starts : ndarray of shape (s,)
        Where each segment begins; no segment is empty.

    Attributes
    ----------
    positives, negatives : ndarray of shape (s,)
        Totals of each segment.
    """

    def __init__(self, scores: Floats, positive: Bools, starts: Ints) -> None:
        first = np.empty(scores.size, dtype=bool)
        np.not_equal(scores[1:], scores[:-1], out=first[1:])
        first[starts] = True
        group_starts = np.flatnonzero(first)
        ends = np.append(group_starts[1:], scores.size)
        running = np.concatenate(([0], np.cumsum(positive, dtype=np.int64)))

        segment_ends = np.append(starts[1:], scores.size)
        self.positives: Ints = running[segment_ends] - running[starts]
        self.negatives: Ints = segment_ends - starts - self.positives

        # A group without positives adds nothing to any of the sums below, so only the others
        # are kept: with rare labels that is most of the work saved.
        has_positive = running[ends] > running[group_starts]
        group_starts, ends = group_starts[has_positive], ends[has_positive]
        segment = np.searchsorted(starts, group_starts, side="right") - 1
        self._segment: Ints = segment
        self._pos: Ints = running[ends] - running[group_starts]
        self._neg: Ints = ends - group_starts - self._pos
        pos_before = running[group_starts] - running[starts][segment]
        self._pos_from: Ints = self.positives[segment] - pos_before
        self._all_from: Ints = segment_ends[segment] - group_starts

    def _sum(self, values: NDArray[np.generic]) -> Floats:
        sums = np.bincount(self._segment, weights=values, minlength=self.positives.size)
        return sums.astype(np.float64, copy=False)

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

    def top(self, n: int) -> Floats:
        """Share of positives among the n best scores, or all if fewer, shape (s,).

        Of entries that are tied at the end of the n, an equal part of each is counted.
        """
        size = self._pos + self._neg
        counted = np.clip(n - (self._all_from - size), 0, size)
        best = np.minimum(n, self.positives + self.negatives)
        share: Floats = self._sum(self._pos * (counted / size)) / best
        return share


def _divide(total: Floats, number: Ints) -> Floats:
    """Return total / number, nan where the number is 0."""
    share = np.full(total.shape, np.nan)
    np.divide(total, number, out=share, where=number > 0)
    return share


def group_rows(scores: Floats, positive: Bools) -> TieGroups:
    """Group the entries of each row of two (r, c) matrices, both C-contiguous and not empty."""
    rows, columns = scores.shape
    starts = np.arange(rows, dtype=np.int64) * columns
    order = np.argsort(scores, axis=1)
    order += starts[:, None]
    flat = order.ravel()
    return TieGroups(scores.ravel()[flat], positive.ravel()[flat], starts)


def group_segments(scores: Floats, positive: Bools, segment: Ints, lengths: Ints) -> TieGroups:
    """Group the entries of ragged segments.

    Parameters
    ----------
    scores, positive : ndarray of shape (N,)
        Scores and truth.
    segment : ndarray of shape (N,)
        The segment 0..s-1 of every entry.
    lengths : ndarray of shape (s,)
        Entries per segment, each at least one.
    """
    order = np.lexsort((scores, segment))
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    return TieGroups(scores[order], positive[order], starts)
