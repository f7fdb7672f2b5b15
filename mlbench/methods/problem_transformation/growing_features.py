"""Features that grow by one column of 0 and 1 at a time, without a copy of the others each time."""

import sys

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.jit import compiled

Indices = NDArray[np.int32] | NDArray[np.int64]


class DenseGrowth:
    """A dense array with columns appended to X.

    Parameters
    ----------
    X : (n, d) array
        Copied.
    capacity : int
        The number of columns that will be inserted.
    """

    def __init__(self, X: Floats, capacity: int) -> None:
        self._first = self._end = X.shape[1]
        self._buffer = np.empty((X.shape[0], X.shape[1] + capacity))
        self._buffer[:, : self._end] = X
        self._unshared = self._references()

    def insert(self, column: Ints, place: int) -> None:
        """Insert a column of 0 and 1 before the ``place``-th of the inserted ones."""
        if self._references() > self._unshared:  # a learner has kept the features
            self._buffer = self._buffer.copy()
        place += self._first
        self._buffer[:, place + 1 : self._end + 1] = self._buffer[:, place : self._end]
        self._buffer[:, place] = column
        self._end += 1

    def features(self) -> Floats:
        """Return X and the inserted columns, as a view."""
        return self._buffer[:, : self._end]

    def _references(self) -> int:
        return sys.getrefcount(self._buffer)


class SparseGrowth:
    """A CSR matrix with columns appended to X.

    Parameters
    ----------
    X : (n, d) CSR matrix
    capacity : int
        The number of columns that will be inserted.
    """

    def __init__(self, X: sparse.csr_matrix, capacity: int) -> None:
        self._X = X
        self._inserted = 0
        self._indptr = np.zeros(X.shape[0] + 1, dtype=np.int64)
        self._columns = np.empty(0, dtype=np.int32)
        most = X.nnz + X.shape[0] * capacity
        self._index = X.indices.dtype if most <= np.iinfo(np.int32).max else np.dtype(np.int64)

    def insert(self, column: Ints, place: int) -> None:
        """Insert a column of 0 and 1 before the ``place``-th of the inserted ones."""
        self._indptr, self._columns = _inserted(
            self._indptr, self._columns, np.flatnonzero(column), place
        )
        self._inserted += 1

    def features(self) -> sparse.csr_matrix:
        """Return X and the inserted columns, as a new matrix."""
        X = self._X
        data = np.empty(X.nnz + len(self._columns))
        indices = np.empty(len(data), dtype=self._index)
        indptr = np.zeros(X.shape[0] + 1, dtype=self._index)
        parts = (X.data, X.indices, X.indptr, self._columns, self._indptr)
        _join(*parts, X.shape[1], data, indices, indptr)
        shape = (X.shape[0], X.shape[1] + self._inserted)
        return sparse.csr_matrix((data, indices, indptr), shape=shape)


def growing_features(X: Matrix, capacity: int) -> DenseGrowth | SparseGrowth:
    """Return the features X, with capacity for some more columns."""
    return SparseGrowth(X, capacity) if sparse.issparse(X) else DenseGrowth(X, capacity)


@compiled
def _inserted(
    indptr: Ints, columns: NDArray[np.int32], rows: Ints, place: int
) -> tuple[Ints, NDArray[np.int32]]:
    """Return the rows' columns of 1, with a column inserted that is 1 in the given rows."""
    new_indptr = np.zeros_like(indptr)
    new = np.empty(len(columns) + len(rows), dtype=np.int32)
    at, following = 0, 0
    for row in range(len(indptr) - 1):
        waiting = following < len(rows) and rows[following] == row
        following += waiting
        for entry in range(indptr[row], indptr[row + 1]):
            column = columns[entry]
            if column >= place:
                if waiting:
                    new[at] = place
                    at += 1
                    waiting = False
                column += 1
            new[at] = column
            at += 1
        if waiting:
            new[at] = place
            at += 1
        new_indptr[row + 1] = at
    return new_indptr, new


@compiled
def _join(
    data: Floats,
    indices: Indices,
    indptr: Indices,
    columns: NDArray[np.int32],
    starts: Ints,
    width: int,
    new_data: Floats,
    new_indices: Indices,
    new_indptr: Indices,
) -> None:
    """Write the rows of a CSR matrix, each followed by its inserted columns."""
    at = 0
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            new_data[at] = data[entry]
            new_indices[at] = indices[entry]
            at += 1
        for entry in range(starts[row], starts[row + 1]):
            new_data[at] = 1.0
            new_indices[at] = width + columns[entry]
            at += 1
        new_indptr[row + 1] = at
