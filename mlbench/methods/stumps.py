"""Decision stumps for many labels, and the search for the best one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mlbench.methods.base import Floats, Ints, Matrix
from mlbench.solvers.compiled import compiled, compiled_sums

TIE = 1e-12
"""Two splits whose criteria are closer than this are as good."""

_UNIT = 2.0**-52
_BLOCK = 2**22  # numbers held at a time in prediction


@dataclass(frozen=True)
class Stumps:
    """Splits on one feature each, with a value per label on either side.

    Parameters
    ----------
    features : (T,) int array
    thresholds : (T,) array
        Rows above it are on side 1, the others on side 0; infinite where there is no split.
    values : (T, 2, k) array
        By side and label.
    normalisers : (T,) array
    alone : (2, k) array, optional
        The values of the first stump where it is the only one, if they are others.
    """

    features: Ints
    thresholds: Floats
    values: Floats
    normalisers: Floats
    alone: Floats | None = None

    def first(self, count: int) -> Stumps:
        """Return the stumps of the first rounds."""
        values = self.values[:count]
        if len(values) == 1 and self.alone is not None:
            values = self.alone[None]
        return Stumps(
            self.features[:count], self.thresholds[:count], values, self.normalisers[:count]
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


class SortedColumns:
    """The entries of X other than 0, column by column and sorted by value within each.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    """

    def __init__(self, X: Matrix) -> None:
        columns = sparse.csc_matrix(X)
        self.starts = columns.indptr.astype(np.int64)
        self.n_rows = X.shape[0]
        stored = columns.data != 0
        if not stored.all():
            self.starts = np.concatenate([[0], np.cumsum(stored)])[self.starts]
        rows, values = columns.indices[stored], columns.data[stored]
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            order = np.argsort(values[start:stop], kind="stable")
            rows[start:stop] = rows[start:stop][order]
            values[start:stop] = values[start:stop][order]
        self.rows, self.values = rows, values

    def best_split(self, weights: Floats, by_entropy: bool) -> tuple[float, int, float]:
        """Return the best split there is.

        Parameters
        ----------
        weights : (n, 2 q) array
            Of every row: what counts for q labels, then what counts against them. As `exact`
            returns them, so that a tie is found to be one.
        by_entropy
            Look for the least conditional entropy of one label, not for the least normaliser.

        Returns
        -------
        criterion : float
            Infinite if all features are constant.
        feature : int
        threshold : float
        """
        found: tuple[float, int, float] = _best_split(
            self.rows, self.values, self.starts, self.n_rows, weights, by_entropy
        )
        return found

    def above(self, feature: int, threshold: float) -> Any:
        """Return which rows are above a threshold, (n,) bool."""
        part = slice(self.starts[feature], self.starts[feature + 1])
        column = np.zeros(self.n_rows)
        column[self.rows[part]] = self.values[part]
        return column > threshold


def exact(weights: Floats) -> Floats:
    """Round weights so that their sums are exact, in any order, as long as they are at most 2."""
    return np.rint(weights / _UNIT) * _UNIT


@compiled_sums
def _normaliser(side: Any, total: Any) -> Any:
    """Return the sum of the weights after the best values, which the split minimises."""
    k = len(side) // 2
    result = 0.0
    for label in range(k):
        for_, against = side[label], side[k + label]
        result += np.sqrt(for_ * against)
        result += np.sqrt((total[label] - for_) * (total[k + label] - against))
    return 2 * result


@compiled
def _entropy(side: Any, total: Any) -> Any:
    """Return the conditional entropy of one label, given the side."""
    result = 0.0
    for for_, against in ((side[0], side[1]), (total[0] - side[0], total[1] - side[1])):
        for part in (for_, against):
            if part > 0:
                result -= part * np.log(part / (for_ + against))
    return result


@compiled
def _between(low: float, high: float) -> float:
    """Return a threshold that has the lower value, but not the higher, at or below it."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@compiled
def _best_split(
    rows: Any, values: Any, starts: Any, n_rows: int, weights: Any, by_entropy: bool
) -> Any:
    """Try every split of every feature: those below 0 upwards, then those above 0 downwards.

    What lies on one side is added up entry by entry; the other side is the rest of the total,
    so that zeros are never visited.
    """
    width = weights.shape[1]
    total = np.zeros(width)
    for row in range(n_rows):
        for place in range(width):
            total[place] += weights[row, place]
    side = np.zeros(width)
    best, feature, threshold = np.inf, -1, 0.0
    for column in range(len(starts) - 1):
        start, stop = starts[column], starts[column + 1]
        zeros = stop - start < n_rows
        middle = start
        while middle < stop and values[middle] < 0:
            middle += 1
        side[:] = 0
        for entry in range(start, middle):
            for place in range(width):
                side[place] += weights[rows[entry], place]
            low = values[entry]
            if entry + 1 < middle:
                high = values[entry + 1]
            elif zeros:
                high = 0.0
            elif middle < stop:
                high = values[middle]
            else:
                high = low
            if low < high:
                criterion = _entropy(side, total) if by_entropy else _normaliser(side, total)
                if criterion < best - TIE:
                    best, feature, threshold = criterion, column, _between(low, high)
        side[:] = 0
        for entry in range(stop - 1, middle - 1, -1):
            for place in range(width):
                side[place] += weights[rows[entry], place]
            high = values[entry]
            if entry > middle:
                low = values[entry - 1]
            elif zeros:
                low = 0.0
            else:
                low = high
            if low < high:
                criterion = _entropy(side, total) if by_entropy else _normaliser(side, total)
                if criterion < best - TIE:
                    best, feature, threshold = criterion, column, _between(low, high)
    return best, feature, threshold
