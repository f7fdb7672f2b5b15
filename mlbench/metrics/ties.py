"""Scores ranked within segments, with equal scores grouped.

Every rank-based metric is a sum over groups of equal scores within a segment. A segment is a
label (for AUC), a sample (for ranking metrics), a task, or the whole matrix (for micro averages).
Counts are integers, so ties are handled exactly.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlbench.metrics.segments import Segments
from mlbench.solvers.arrays import Floats, Ints

_AT_ONCE = 2**16
"""Scores that are sorted in one call: they fit into the processor's cache."""


class _Groups(NamedTuple):
    """Counts of each group g."""

    segment: Ints
    first: Ints
    """The index of its first positive."""
    pos: Ints
    neg: Ints
    """The positives and negatives with the score of g."""
    pos_from: Ints
    all_from: Ints
    """The positives and all entries of the segment with the score of g or a higher one."""


class TieGroups:
    """Groups of equal scores with at least one positive, ascending within each segment.

    A group without positives adds nothing to any metric. So only the positives are grouped. The
    other scores are merely sorted, which takes a fraction of the time.

    The constructor counts, for each positive, the entries of its segment below it and not above
    it. That is enough for the area under the curve; other metrics take the counts of `_Groups`.

    Parameters
    ----------
    scores : ndarray of shape (N,) or (s, N / s)
        The scores, segment after segment, or a segment in each row; no NaN.
    segments : Segments
        The truth in the same order.
    n_best : ndarray of shape (s,), optional
        Which of the best scores of each segment to remember; 0 for none.

    Attributes
    ----------
    positives, negatives, pairs, has_pairs : ndarray of shape (s,)
        Those of `segments`.
    nth_best : ndarray of shape (s,)
        The score that `n_best` asks for, inf where it asks for none.
    """

    def __init__(self, scores: Floats, segments: Segments, n_best: Ints | None = None) -> None:
        self._segments = segments
        self.positives, self.negatives = segments.positives, segments.negatives
        self.pairs, self.has_pairs = segments.pairs, segments.has_pairs
        lengths, parts = segments.lengths, segments.parts
        self._values = _at(scores, segments.places)
        self._unordered = self._values.copy()
        self._below, self._not_above = np.empty((2, self._values.size), dtype=np.int64)
        self.nth_best: Floats = np.full(lengths.size, np.inf)
        wanted = np.zeros_like(lengths) if n_best is None else n_best
        needed = np.flatnonzero((self.positives > 0) | (wanted > 0))
        if lengths.size == 1 and n_best is None:
            self._rank_in_blocks(scores.reshape(-1))
        elif segments.have_one_length:
            table = scores.reshape(lengths.size, -1)
            step = max(1, _AT_ONCE // table.shape[1])
            for start in range(0, needed.size, step):
                block = needed[start : start + step]
                ascending = table[block]
                ascending.sort(axis=1)
                self._rank_all([parts[number] for number in block.tolist()], ascending)
                asked = np.flatnonzero(wanted[block])
                self.nth_best[block[asked]] = ascending[asked, -wanted[block[asked]]]
        else:
            for number in needed.tolist():
                end = segments.ends[number]
                ascending = np.sort(scores[end - lengths[number] : end])
                self._rank(parts[number], ascending)
                if wanted[number]:
                    self.nth_best[number] = ascending[-wanted[number]]

    def _rank_in_blocks(self, scores: Floats) -> None:
        """Do what `_rank` does for a single segment, which may be large, block after block."""
        self._values.sort()
        self._below[:], self._not_above[:] = 0, 0
        step = 16 * max(_AT_ONCE, self._values.size)  # searches then cost less than sorting
        for start in range(0, scores.size if self._values.size else 0, step):
            ascending = np.sort(scores[start : start + step])
            self._below += ascending.searchsorted(self._values)
            self._not_above += ascending.searchsorted(self._values, "right")

    def _rank(self, part: slice, ascending: Floats) -> None:
        """Sort the positives of a segment, and count what is below each, and not above it."""
        within = self._values[part]
        within.sort()
        self._below[part] = ascending.searchsorted(within)
        self._not_above[part] = ascending.searchsorted(within, "right")

    def _rank_all(self, parts: list[slice], ascending: Floats) -> None:
        """Do the same for segments of one length, a row of `ascending` each."""
        values, below, not_above = self._values, self._below, self._not_above
        for entries, part in zip(ascending, parts, strict=True):
            within = values[part]
            within.sort()
            not_above[part] = entries.searchsorted(within, "right")
        block = slice(parts[0].start, parts[-1].stop)
        below[block] = not_above[block] - 1  # where no scores are equal
        is_tied = (ascending[:, 1:] == ascending[:, :-1]).any(axis=1)
        for number in np.flatnonzero(is_tied).tolist():
            part = parts[number]
            below[part] = ascending[number].searchsorted(values[part])

    @cached_property
    def _groups(self) -> _Groups:
        values, segment, below = self._values, self._segments.of_positive, self._below
        is_first = np.ones(values.size + 1, dtype=bool)
        is_first[1:-1] = (values[1:] != values[:-1]) | (segment[1:] != segment[:-1])
        edges = np.flatnonzero(is_first)
        first = edges[:-1]
        pos = edges[1:] - first
        of = segment[first]
        return _Groups(
            segment=of,
            first=first,
            pos=pos,
            neg=self._not_above[first] - below[first] - pos,
            # positives are sorted, so those from g on are the segment's end minus g's first index
            pos_from=np.cumsum(self.positives)[of] - first,
            all_from=self._segments.lengths[of] - below[first],
        )

    @cached_property
    def _places(self) -> Ints:
        """The places of the positives, those of a segment in the order of their scores."""
        places, values = self._segments.places, self._unordered
        return np.concatenate(
            [places[part][values[part].argsort()] for part in self._segments.parts]
        )

    def _sum(self, values: NDArray[np.generic], groups: Ints | slice = slice(None)) -> Floats:
        """Sum a value of each group over the groups of each segment, shape (s,)."""
        return self._total(self._groups.segment[groups], values)

    def _total(self, segment: Ints, values: NDArray[np.generic]) -> Floats:
        sums = np.bincount(segment, weights=values, minlength=self.positives.size)
        return sums.astype(np.float64, copy=False)

    def _reaching(self, n: int) -> tuple[Ints, Ints, Ints]:
        """Return the groups that reach the n best ranks, their sizes, and the ranks before them."""
        size = self._groups.pos + self._groups.neg
        before = self._groups.all_from - size
        groups = np.flatnonzero(before < n)
        return groups, size[groups], before[groups]

    @cached_property
    def not_below(self) -> Floats:
        """Share of pairs whose negative scores at least as high as the positive, shape (s,)."""
        return _divide(
            self._sum(self._groups.pos * (self._groups.all_from - self._groups.pos_from)),
            self.pairs,
        )

    @cached_property
    def tied(self) -> Floats:
        """Share of pairs with equal scores, shape (s,)."""
        return _divide(self._sum(self._groups.pos * self._groups.neg), self.pairs)

    @cached_property
    def auc(self) -> Floats:
        """Share of pairs in the right order, a tie counting one half, shape (s,)."""
        # Mann and Whitney: the sum of the ranks of p positives, less p (p + 1) / 2; twice the rank
        # of a positive is (entries below it) + (entries not above it) + 1
        ranks = self._total(self._segments.of_positive, self._below + self._not_above)
        return _divide(ranks - self.positives**2, self.pairs) / 2.0

    @cached_property
    def average_precision(self) -> Floats:
        """Mean over positives of the precision among scores at least as high, shape (s,)."""
        total = self._sum(self._groups.pos * (self._groups.pos_from / self._groups.all_from))
        return _divide(total, self.positives)

    @cached_property
    def depth(self) -> Ints:
        """The number of scores at least as high as the lowest positive, or 0, shape (s,)."""
        depth = np.zeros(self.positives.size, dtype=np.int64)
        # of repeated indices the last assignment holds: that of the lowest group, in this order
        depth[self._groups.segment[::-1]] = self._groups.all_from[::-1]
        return depth

    @cached_property
    def positive_at_top(self) -> Floats:
        """Share of positives among the entries with the best score, shape (s,)."""
        at_top = self._groups.all_from == self._groups.pos + self._groups.neg
        return self._sum(np.where(at_top, self._groups.pos / self._groups.all_from, 0.0))

    def true_positive_rate(self, percent: int) -> Floats:
        """Height of the ROC curve, linear within ties and upper end of its steps, shape (s,).

        It is read where `percent` of the negatives are above.
        """
        above = self._groups.all_from - self._groups.pos_from - self._groups.neg
        left = percent * self.negatives[self._groups.segment] / 100 - above
        # a group passes in the share of its negatives that the allowed number still covers
        passed = np.where(
            self._groups.neg > 0, np.clip(left / np.maximum(self._groups.neg, 1), 0, 1), left >= 0
        )
        return _divide(self._sum(self._groups.pos * passed), self.positives)

    def top(self, n: int) -> Floats:
        """Share of positives among the n best scores, or all if fewer, shape (s,).

        Entries that are tied across the end of the n best count in equal parts.
        """
        groups, size, before = self._reaching(n)
        counted = np.minimum(n - before, size)
        best = np.minimum(n, self.positives + self.negatives)
        share: Floats = self._sum(self._groups.pos[groups] * (counted / size), groups) / best
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
        count = self._groups.pos[groups]
        weight: NDArray[np.generic] = count
        if weights is not None:
            places, member = self._members(groups)
            weight = np.bincount(member, weights[places % weights.size], groups.size)
        return self._sum(weight * shared / size, groups)

    def chances(self, n: int) -> tuple[Ints, Floats]:
        """Return the places of positives that can be among the n best, and how likely each is.

        Tied entries are in random order.
        """
        groups, size, before = self._reaching(n)
        places, member = self._members(groups)
        return places, (np.minimum(n - before, size) / size)[member]

    def _members(self, groups: Ints) -> tuple[Ints, Ints]:
        """Return the places of the positives of groups, and which of the groups each belongs to."""
        count = self._groups.pos[groups]
        # indices of the groups' positives, one after the other: the i-th of all, of group g,
        # is first[g] + i - (the number of positives in earlier groups)
        offset = np.repeat(self._groups.first[groups] + count - np.cumsum(count), count)
        places = self._places[offset + np.arange(offset.size)]
        return places, np.repeat(np.arange(groups.size), count)


def _at(scores: Floats, places: Ints) -> Floats:
    """Return the scores at places of the flat array."""
    if scores.ndim == 1:
        return scores[places]
    rows, columns = np.divmod(places, scores.shape[1])
    return scores[rows, columns]


def _divide(total: Floats, count: Ints) -> Floats:
    """Return total / count, and nan where the count is 0."""
    share = np.full(total.shape, np.nan)
    np.divide(total, count, out=share, where=count > 0)
    return share
