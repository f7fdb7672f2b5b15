"""The centered and scaled columns of a matrix, for coordinate descent."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.jit import compiled_sums

_CONSTANT = 1e-12
"""A column that varies by less, relative to its largest entry, counts as constant."""


@dataclass(frozen=True)
class CenteredColumns:
    """A matrix A of m rows whose column l is ``stored_l - shift_l``; a sparse one stays sparse.

    A has the inner products of the centered and scaled X: ``A'A = X_c'X_c``. It is X_c itself, or,
    for a dense X of more rows than columns, the triangular factor of X_c, which has fewer rows.
    """

    data: Floats
    indices: NDArray[np.int32]
    indptr: Ints
    """The stored entries, column by column; ``indices`` is empty where all rows are stored."""
    shift: Floats
    """(p,) array."""
    squares: Floats
    """(p,) array: the squared norms of the columns of A."""
    n_rows: int
    kept: Ints
    """(p,) int array: the columns of X that are not constant; the others are left out."""
    mean: Floats
    scale: Floats
    """(p,) arrays: column l of X_c is ``(X[:, kept[l]] - mean[l]) / scale[l]``."""
    basis: Floats | None
    """(n, m) array or None: the orthonormal factor Q of ``X_c = Q A``; None where A is X_c."""

    @property
    def n_columns(self) -> int:
        """The number of columns of A."""
        return len(self.kept)

    def reduced(self, targets: Floats) -> Floats:
        """Return the (m, q) targets T with ``A'T = X_c' targets``, for centered targets (n, q)."""
        return targets if self.basis is None else self.basis.T @ targets

    def products(self, R: Floats) -> Floats:
        """Return ``A'R``, (p, q), for an (m, q) array; where A has a shift, R must be centered."""
        if self.indices.size == 0:
            return self.data.reshape(self.n_columns, self.n_rows) @ R
        found = np.empty((self.n_columns, R.shape[1]))
        _sparse_products(self.data, self.indices, self.indptr, np.ascontiguousarray(R), found)
        return found


def centered_columns(X: Matrix, standardize: bool = True) -> CenteredColumns:
    """Center the columns of X and, if asked to, scale them to ``(1/n) sum x^2 = 1``.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        Not modified.
    standardize : bool, default=True
    """
    return (_sparse if sparse.issparse(X) else _dense)(X, standardize)


def _dense(X: Floats, standardize: bool) -> CenteredColumns:
    n = len(X)
    mean = X.mean(axis=0)
    A = X - mean
    deviation = np.sqrt((A**2).mean(axis=0))
    kept = np.flatnonzero(deviation > _CONSTANT * np.abs(X).max(axis=0))
    scale = deviation[kept] if standardize else np.ones(len(kept))
    A = A[:, kept] / scale
    basis = None
    if n > len(kept) > 0:
        basis, A = linalg.qr(A, mode="economic")
    m, p = A.shape
    return CenteredColumns(
        data=A.ravel(order="F"),
        indices=np.empty(0, dtype=np.int32),
        indptr=m * np.arange(p + 1, dtype=np.int64),
        shift=np.zeros(p),
        squares=(A**2).sum(axis=0),
        n_rows=m,
        kept=kept,
        mean=mean[kept],
        scale=scale,
        basis=basis,
    )


def _sparse(X: Any, standardize: bool) -> CenteredColumns:
    n, d = X.shape
    A = sparse.csc_matrix(X, copy=True)
    A.sum_duplicates()
    mean = np.asarray(A.sum(axis=0)).ravel() / n
    stored = np.diff(A.indptr)
    column = np.repeat(np.arange(d), stored)
    squares = np.bincount(column, (A.data - mean[column]) ** 2, minlength=d)
    squares += (n - stored) * mean**2
    largest = np.zeros(d)
    np.maximum.at(largest, column, np.abs(A.data))
    deviation = np.sqrt(squares / n)
    kept = np.flatnonzero(deviation > _CONSTANT * largest)
    scale = deviation[kept] if standardize else np.ones(len(kept))
    A, shift = _crowded_centered(A[:, kept], mean[kept])
    return CenteredColumns(
        data=A.data / np.repeat(scale, np.diff(A.indptr)),
        indices=A.indices.astype(np.int32),
        indptr=A.indptr.astype(np.int64),
        shift=shift / scale,
        squares=squares[kept] / scale**2,
        n_rows=n,
        kept=kept,
        mean=mean[kept],
        scale=scale,
        basis=None,
    )


def _crowded_centered(A: Any, mean: Floats) -> tuple[Any, Floats]:
    """Center the columns that are at least half full, and return the shift of the others.

    Their storage at most doubles, and large entries that vary little keep their significant digits.
    """
    crowded = 2 * np.diff(A.indptr) >= A.shape[0]
    if not crowded.any():
        return A, mean
    order = np.concatenate([np.flatnonzero(~crowded), np.flatnonzero(crowded)])
    centered = sparse.csc_matrix(A[:, crowded].toarray() - mean[crowded])
    A = sparse.hstack([A[:, ~crowded], centered], format="csc")[:, np.argsort(order)]
    return A, np.where(crowded, 0.0, mean)


@compiled_sums
def _sparse_products(
    data: Floats, indices: NDArray[np.int32], indptr: Ints, R: Floats, out: Floats
) -> None:
    for column in range(len(out)):
        row = out[column]
        row[:] = 0
        for entry in range(indptr[column], indptr[column + 1]):
            value, place = data[entry], indices[entry]
            for target in range(R.shape[1]):
                row[target] += value * R[place, target]
