"""Decision stumps for many labels, and the search for the best one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mlbench.solvers.arrays import Flags, Floats, Ints, Matrix
from mlbench.solvers.jit import compiled, compiled_sums

TIE = 1e-12
"""Two splits tie if their criteria are closer than this."""

_UNIT = 2.0**-52
_BLOCK = 2**22  # numbers held at a time in prediction
_SPLITS = 12  # splits in a block that is skipped as a whole
_LOG2 = np.log(2)
_REST = _LOG2 - 1 / 2 - 1 / 12 - 1 / 30
_SINGLE = 1e-6  # more than the rounding errors of a normalizer found in single precision


@dataclass(frozen=True)
class Stumps:
    """Decision stumps: a split on one feature, with a value per label on either side.

    Parameters
    ----------
    features : (T,) int array
    thresholds : (T,) array
        Rows above it are on side 1, the others on side 0; infinite where there is no split.
    values : (T, 2, k) array
        By side and label.
    normalizers : (T,) array
    alone : (2, k) array, optional
        The values of the first stump if it is the only one and they differ.
    """

    features: Ints
    thresholds: Floats
    values: Floats
    normalizers: Floats
    alone: Floats | None = None

    def first(self, count: int) -> Stumps:
        """Return the stumps of the first rounds."""
        values = self.values[:count]
        if len(values) == 1 and self.alone is not None:
            values = self.alone[None]
        return Stumps(
            self.features[:count], self.thresholds[:count], values, self.normalizers[:count]
        )

    def sums(self, X: Matrix) -> Floats:
        """Return the sum of the values of every row's sides, (m, k)."""
        low = self.values[:, 0].sum(axis=0)
        step = self.values[:, 1] - self.values[:, 0]
        used, column = np.unique(self.features, return_inverse=True)
        part = X[:, used]
        sums = np.empty((X.shape[0], len(low)))
        size = max(1, _BLOCK // max(1, len(column)))
        for start in range(0, len(sums), size):
            rows = part[start : start + size]
            rows = rows.toarray() if sparse.issparse(rows) else rows
            above = rows[:, column] > self.thresholds
            sums[start : start + size] = low + above.astype(np.float64) @ step
        return sums


class StumpSplit(NamedTuple):
    """A split "feature above threshold" of the rows of training.

    Attributes
    ----------
    criterion : float
        Infinite if there is no split because all features are constant.
    feature : int
    threshold : float
        Infinite if there is no split.
    above : (n,) bool array
        The rows above it.
    """

    criterion: float
    feature: int
    threshold: float
    above: Flags


class CandidateSplits:
    """All splits on a single feature that separate rows of X.

    The nonzero entries of a column form two runs, negative and positive, each sorted by decreasing
    absolute value. One side of every split is then the beginning of a run, and zeros are in no
    run.

    Attributes
    ----------
    rows : int array
        The rows of the entries, run by run.
    starts : (2 d + 1,) int array
        Where each run starts, and the end.
    stops : (S,) int array
        Where the side of every split ends, ascending.
    bounds : (2 d + 1,) int array
        The first split of every run, and the number of splits.
    thresholds : (S,) array
    """

    def __init__(self, X: Matrix) -> None:
        self.n_rows = X.shape[0]
        columns = sparse.csc_matrix(X)
        ends = columns.indptr.astype(np.int64)
        stored = columns.data != 0
        if not stored.all():
            ends = np.concatenate([[0], np.cumsum(stored)])[ends]
        rows, values = columns.indices[stored], columns.data[stored]
        # Within a column: negative values ascending, then positive ones descending. So both runs
        # go toward 0.
        for start, stop in pairwise(ends):
            column = values[start:stop]
            order = np.argsort(column, kind="stable")
            below = np.count_nonzero(column < 0)
            order[below:] = order[below:][::-1]
            rows[start:stop] = rows[start:stop][order]
            values[start:stop] = column[order]
        below = np.concatenate([[0], np.cumsum(values < 0)])[ends]  # negatives before a column
        self.rows = rows
        self.starts = np.append(np.column_stack([ends[:-1], ends[:-1] + np.diff(below)]), ends[-1])
        following = self._following(values)
        last = np.flatnonzero(values != following)  # a split between equal values is none
        self.stops = last + 1
        self.bounds = np.searchsorted(self.stops, self.starts, side="right")
        self.thresholds = _between(
            np.minimum(values, following)[last], np.maximum(values, following)[last]
        )

    def _following(self, values: Floats) -> Floats:
        """Return the next value toward 0 in the column of every entry, or the entry itself."""
        following = np.append(values[1:], 0.0)
        begin, middle, end = self.starts[:-1:2], self.starts[1::2], self.starts[2::2]
        # The last entry of a run is followed by 0 if the column has a zero, and else by the last
        # entry of the column, which is the smallest positive value or, without any, the run's own.
        zeros = end - begin < self.n_rows
        for first, stop in ((begin, middle), (middle, end)):
            some = first < stop
            following[stop[some] - 1] = np.where(zeros, 0.0, values[np.maximum(end, 1) - 1])[some]
        return following

    def best_split(self, weights: Floats, by_entropy: bool) -> StumpSplit:
        """Return the best split; ties go to the first.

        Parameters
        ----------
        weights : (n, 2 q) array
            For every row, its weights for q labels, then its weights against them, rounded by
            `rounded_for_exact_sums` so that ties are exact.
        by_entropy
            Minimize the conditional entropy of one label instead of the normalizer.
        """
        search = _least_entropy if by_entropy else _least_normalizer
        criterion, place = search(self.rows, self.starts, self.stops, self.bounds, weights)
        if place < 0:
            return StumpSplit(np.inf, 0, np.inf, np.zeros(self.n_rows, dtype=bool))
        # Runs 2 j and 2 j + 1 are the negative and the positive one of feature j.
        run = int(np.searchsorted(self.bounds, place, side="right")) - 1
        positive = run % 2 == 1
        above = np.full(self.n_rows, not positive)
        above[self.rows[self.starts[run] : self.stops[place]]] = positive
        return StumpSplit(criterion, run // 2, float(self.thresholds[place]), above)


def rounded_for_exact_sums(weights: Floats) -> Floats:
    """Round weights so that their sums, if at most 2, are exact in any order."""
    return np.rint(weights / _UNIT) * _UNIT


def _between(low: Floats, high: Floats) -> Floats:
    """Return thresholds that separate the lower values (at or below) from the higher ones."""
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


@compiled
def _least_normalizer(
    rows: Ints, starts: Ints, stops: Ints, bounds: Ints, weights: Floats
) -> tuple[float, int]:
    """Return the least normalizer and its split; -1 if there is none.

    Splits are processed in blocks of a run. The criterion is a concave function of the weights on
    one side, so within a block it is at least its minimum over the corners of the box between the
    two ends. If that is not below the best value, the block is skipped.
    """
    width = weights.shape[1]
    total, side, before = np.zeros(width), np.zeros(width), np.zeros(width)
    for row in range(len(weights)):
        total += weights[row]
    best, place = np.inf, -1
    for run in range(len(starts) - 1):
        side[:] = 0
        done = starts[run]
        for first in range(bounds[run], bounds[run + 1], _SPLITS):
            last = min(first + _SPLITS, bounds[run + 1])
            if last - first > 2:
                before[:] = side
                _add(weights, rows[done : stops[last - 1]], side)
                if _normalizer_floor(before, side, total) >= best:
                    done = stops[last - 1]
                    continue
                side[:] = before
            for split in range(first, last):
                _add(weights, rows[done : stops[split]], side)
                done = stops[split]
                criterion = _normalizer(side, total)
                if criterion < best - TIE:
                    best, place = criterion, split
    return best, place


@compiled
def _add(weights: Floats, rows: Ints, side: Floats) -> None:
    """Add the weights of rows to those of a side, four at a time."""
    fours = len(rows) // 4 * 4
    for entry in range(0, fours, 4):
        a, b = weights[rows[entry]], weights[rows[entry + 1]]
        c, d = weights[rows[entry + 2]], weights[rows[entry + 3]]
        for place in range(len(side)):
            side[place] += (a[place] + b[place]) + (c[place] + d[place])
    for entry in range(fours, len(rows)):
        a = weights[rows[entry]]
        for place in range(len(side)):
            side[place] += a[place]


@compiled_sums
def _normalizer(side: Floats, total: Floats) -> float:
    """Return the sum of the weights after the best values, which the split minimizes."""
    k = len(side) // 2
    result = 0.0
    for label in range(k):
        for_, against = side[label], side[k + label]
        result += np.sqrt(for_ * against)
        result += np.sqrt((total[label] - for_) * (total[k + label] - against))
    return 2 * result


@compiled_sums
def _normalizer_floor(start: Floats, stop: Floats, total: Floats) -> float:
    """Return a lower bound on the normalizer between two sides, in single precision.

    For each label it is the minimum over the corners of the box between start and stop.
    """
    k = len(start) // 2
    result = 0.0
    for label in range(k):
        all_for, all_against = total[label], total[k + label]
        for_, against = start[label], start[k + label]
        to_for, to_against = stop[label], stop[k + label]
        a, b = np.sqrt(np.float32(for_)), np.sqrt(np.float32(against))
        c, d = np.sqrt(np.float32(to_for)), np.sqrt(np.float32(to_against))
        e, f = np.sqrt(np.float32(all_for - for_)), np.sqrt(np.float32(all_against - against))
        g, h = np.sqrt(np.float32(all_for - to_for)), np.sqrt(np.float32(all_against - to_against))
        result += min(min(a * b + e * f, c * d + g * h), min(a * d + e * h, c * b + g * f))
    return 2 * result - _SINGLE


@compiled
def _least_entropy(
    rows: Ints, starts: Ints, stops: Ints, bounds: Ints, weights: Floats
) -> tuple[float, int]:
    """Return the least conditional entropy of one label, and its split; -1 if there is none.

    Logarithms are computed only if a bound without them does not exclude the split.
    """
    all_for, all_against = 0.0, 0.0
    for row in range(len(weights)):
        all_for += weights[row, 0]
        all_against += weights[row, 1]
    best, place = np.inf, -1
    for run in range(len(starts) - 1):
        for_, against = 0.0, 0.0
        done = starts[run]
        for split in range(bounds[run], bounds[run + 1]):
            for entry in range(done, stops[split]):
                row = rows[entry]
                for_ += weights[row, 0]
                against += weights[row, 1]
            done = stops[split]
            other_for, other_against = all_for - for_, all_against - against
            if _entropy_floor(for_, against) + _entropy_floor(other_for, other_against) < best:
                criterion = _entropy(for_, against) + _entropy(other_for, other_against)
                if criterion < best - TIE:
                    best, place = criterion, split
    return best, place


@compiled
def _entropy(for_: float, against: float) -> float:
    """Return the entropy of two classes times their weight."""
    result = 0.0
    if for_ > 0:
        result -= for_ * np.log(for_ / (for_ + against))
    if against > 0:
        result -= against * np.log(against / (for_ + against))
    return result


@compiled
def _entropy_floor(for_: float, against: float) -> float:
    """Return a lower bound on the entropy that needs no logarithm.

    With y the squared ratio of the difference to the sum of the weights, the entropy is log 2
    minus the sum of ``y^i / (2 i (2 i - 1))``, which is log 2 at y = 1. The tail is bounded by its
    value there.
    """
    weight = for_ + against
    if weight <= 0:
        return 0.0
    y = ((for_ - against) / weight) ** 2
    bound: float = weight * (_LOG2 - y * (1 / 2 + y * (1 / 12 + y * (1 / 30 + y * _REST))))
    return bound
