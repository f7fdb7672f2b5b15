"""Scores ranked within segments, with equal scores grouped.

Every rank-based metric is a sum over groups of equal scores within a segment. A segment is a
label (for AUC), a sample (for ranking metrics), a task, or the whole matrix (for micro averages).
Counts are integers, so ties are handled exactly.
"""

from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.arrays import Flags, Floats, Ints


class TieGroups:
    """Groups of equal scores with at least one positive, ascending within each segment.

    A group without positives adds nothing to any metric. So only the positives are grouped. The
    other scores are merely sorted, which takes a fraction of the time.

    For each group g the constructor stores these counts:

    - ``_pos`` and ``_neg``: the positives and negatives with the score of g;
    - ``_pos_from`` and ``_all_from``: the positives and all entries of the segment with the score
      of g or a higher one.

    Parameters
    ----------
    scores : ndarray of shape (N,)
        The scores, segment after segment; no NaN.
    positive : ndarray of shape (N,), bool
        The truth in the same order.
    lengths : ndarray of shape (s,)
        The number of entries of each segment, at least 1.
    n_best : ndarray of shape (s,), optional
        Which of the best scores of each segment to remember; 0 for none.

    Attributes
    ----------
    positives, negatives : ndarray of shape (s,)
        The totals of each segment.
    nth_best : ndarray of shape (s,)
        The score that `n_best` asks for, inf where it asks for none.
    """

    def __init__(
        self, scores: Floats, positive: Flags, lengths: Ints, n_best: Ints | None = None
    ) -> None:
        places = np.flatnonzero(positive)
        ends = np.cumsum(lengths)
        segment = np.searchsorted(ends, places, side="right")
        self.positives: Ints = np.bincount(segment, minlength=lengths.size)
        self.negatives: Ints = lengths - self.positives

        values = scores[places]
        self._unordered = places, values.copy()
        below, not_above = np.empty((2, places.size), dtype=np.int64)
        start = first = 0
        wanted = [0] * lengths.size if n_best is None else n_best.tolist()
        self.nth_best: Floats = np.full(lengths.size, np.inf)
        lasts = np.cumsum(self.positives)
        for number, (end, last, n) in enumerate(
            zip(ends.tolist(), lasts.tolist(), wanted, strict=True)
        ):
            if first < last or n:
                ascending = np.sort(scores[start:end])
            if n:
                self.nth_best[number] = ascending[-n]
            if first < last:
                within = values[first:last]
                within.sort()
                below[first:last] = ascending.searchsorted(within)
                not_above[first:last] = ascending.searchsorted(within, side="right")
            start, first = end, last

        is_first = np.ones(values.size + 1, dtype=bool)
        is_first[1:-1] = (values[1:] != values[:-1]) | (segment[1:] != segment[:-1])
        edges = np.flatnonzero(is_first)
        groups = edges[:-1]  # the index of each group's first positive
        self._segment: Ints = segment[groups]
        self._pos: Ints = edges[1:] - groups
        self._neg: Ints = not_above[groups] - below[groups] - self._pos
        # positives are sorted, so those from g on are the segment's end minus g's first index
        self._pos_from: Ints = lasts[self._segment] - groups
        self._all_from: Ints = lengths[self._segment] - below[groups]
        self._first = groups

    @cached_property
    def _places(self) -> Ints:
        """The places of the positives, those of a segment in the order of their scores."""
        places, values = self._unordered
        ends = np.cumsum(self.positives).tolist()
        parts = [slice(*ends) for ends in pairwise([0, *ends])]
        return np.concatenate([places[part][values[part].argsort()] for part in parts])

    def _sum(self, values: NDArray[np.generic], groups: Ints | slice = slice(None)) -> Floats:
        """Sum a value of each group over the groups of each segment, shape (s,)."""
        segment = self._segment[groups]
        sums = np.bincount(segment, weights=values, minlength=self.positives.size)
        return sums.astype(np.float64, copy=False)

    def _reaching(self, n: int) -> tuple[Ints, Ints, Ints]:
        """Return the groups that reach the n best ranks, their sizes, and the ranks before them."""
        size = self._pos + self._neg
        before = self._all_from - size
        groups = np.flatnonzero(before < n)
        return groups, size[groups], before[groups]

    @cached_property
    def has_pairs(self) -> Flags:
        """Whether each segment has a positive and a negative, shape (s,)."""
        return (self.positives > 0) & (self.negatives > 0)

    @cached_property
    def pairs(self) -> Ints:
        """The number of (positive, negative) pairs of each segment, shape (s,)."""
        return self.positives * self.negatives

    @cached_property
    def not_below(self) -> Floats:
        """Share of pairs whose negative scores at least as high as the positive, shape (s,)."""
        return _divide(self._sum(self._pos * (self._all_from - self._pos_from)), self.pairs)

    @cached_property
    def tied(self) -> Floats:
        """Share of pairs with equal scores, shape (s,)."""
        return _divide(self._sum(self._pos * self._neg), self.pairs)

    @cached_property
    def auc(self) -> Floats:
        """Share of pairs in the right order, a tie counting one half, shape (s,)."""
        # twice the lost pairs: 2 (negatives above) + (negatives tied),
        # where negatives above = _all_from - _pos_from - _neg
        lost = self._sum(self._pos * (2 * (self._all_from - self._pos_from) - self._neg))
        return _divide(2.0 * self.pairs - lost, self.pairs) / 2.0

    @cached_property
    def average_precision(self) -> Floats:
        """Mean over positives of the precision among scores at least as high, shape (s,)."""
        total = self._sum(self._pos * (self._pos_from / self._all_from))
        return _divide(total, self.positives)

    @cached_property
    def depth(self) -> Ints:
        """The number of scores at least as high as the lowest positive, or 0, shape (s,)."""
        depth = np.zeros(self.positives.size, dtype=np.int64)
        # of repeated indices the last assignment holds: that of the lowest group, in this order
        depth[self._segment[::-1]] = self._all_from[::-1]
        return depth

    @cached_property
    def positive_at_top(self) -> Floats:
        """Share of positives among the entries with the best score, shape (s,)."""
        at_top = self._all_from == self._pos + self._neg
        return self._sum(np.where(at_top, self._pos / self._all_from, 0.0))

    def true_positive_rate(self, percent: int) -> Floats:
        """Height of the ROC curve, linear within ties and upper end of its steps, shape (s,).

        It is read where `percent` of the negatives are above.
        """
        above = self._all_from - self._pos_from - self._neg
        left = percent * self.negatives[self._segment] / 100 - above
        # a group passes in the share of its negatives that the allowed number still covers
        passed = np.where(self._neg > 0, np.clip(left / np.maximum(self._neg, 1), 0, 1), left >= 0)
        return _divide(self._sum(self._pos * passed), self.positives)

    def top(self, n: int) -> Floats:
        """Share of positives among the n best scores, or all if fewer, shape (s,).

        Entries that are tied across the end of the n best count in equal parts.
        """
        groups, size, before = self._reaching(n)
        counted = np.minimum(n - before, size)
        best = np.minimum(n, self.positives + self.negatives)
        share: Floats = self._sum(self._pos[groups] * (counted / size), groups) / best
        return share

    def gain(self, by_rank: Floats, weights: Floats | None = None) -> Floats:
        """Sum over positives of the gain at their rank, shape (s,); tied entries share ranks.

        Parameters
        ----------
        by_rank : ndarray of shape (n,)
            The gain at the n best ranks; lower ranks have none.
        weights : ndarray of shape (w,), optional
            Factors of the gains of the entries 0..w-1, of the next w entries, and so on.
        """
        groups, size, before = self._reaching(by_rank.size)
        # a group occupies the ranks before..before + size, so each of its entries gets
        # (G[before + size] - G[before]) / size, with G the cumulated gains
        cumulated = np.append(0.0, np.cumsum(by_rank))
        shared = cumulated[np.minimum(before + size, by_rank.size)] - cumulated[before]
        count = self._pos[groups]
        weight: NDArray[np.generic] = count
        if weights is not None:
            # indices of the groups' positives, one after the other: the i-th of all, of group g,
            # is first[g] + i - (the number of positives in earlier groups)
            offset = np.repeat(self._first[groups] + count - np.cumsum(count), count)
            places = self._places[offset + np.arange(offset.size)]
            member = np.repeat(np.arange(groups.size), count)
            weight = np.bincount(member, weights[places % weights.size], groups.size)
        return self._sum(weight * shared / size, groups)


def _divide(total: Floats, count: Ints) -> Floats:
    """Return total / count, and nan where the count is 0."""
    share = np.full(total.shape, np.nan)
    np.divide(total, count, out=share, where=count > 0)
    return share
