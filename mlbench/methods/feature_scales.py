"""Features of very different scales: they are centered, made dense or rejected."""

import numpy as np
from scipy import sparse

from mlbench.errors import MethodError
from mlbench.solvers.arrays import Floats, Matrix

MAX_ENTRY = 1e60
"""Fourth powers of what is larger, or smaller than its reciprocal, are near the ends of doubles."""

UNEVEN = 1e5
"""If the norm of a sparse column is this multiple of the variation of another, products of rows
lose half the digits of the latter; the matrix is then made dense."""

MAX_ENTRIES = 10**8
"""A matrix with more is not made dense: it would take 800 MB."""

_CONSTANT = 1e-14
"""A column that varies by less, relative to its mean, is constant."""


def require_scale(X: Matrix) -> None:
    """Reject features so large or so small that their products overflow or underflow.

    Raises
    ------
    MethodError
        The largest absolute entry is above `MAX_ENTRY` or, if not 0, below its reciprocal.
    """
    values = X.data if sparse.issparse(X) else X
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    if largest > MAX_ENTRY or 0 < largest < 1 / MAX_ENTRY:
        raise MethodError(
            f"the largest entry of X is {largest:.3g}, but it must lie between {1 / MAX_ENTRY:g} "
            f"and {MAX_ENTRY:g}; rescale the features"
        )


def center_keeping_sparsity(X: Matrix) -> tuple[Matrix, Floats]:
    """Center the columns for which this keeps the matrix sparse.

    These are all columns of a dense matrix and, in a sparse one, the columns without zeros. If the
    remaining columns differ too much in scale, the matrix is made dense.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
        Not modified.

    Returns
    -------
    centered : (n, d) array or CSR matrix
    taken : (d,) array
        What was subtracted from every row.

    Raises
    ------
    MethodError
        See `dense_if_uneven`.
    """
    if not sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0), dtype=np.float64)
        return _without_rounding(X - mean, mean), mean
    X = _summed(X)
    mean = _means(X)
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    taken = np.where(full, mean, 0.0)
    X.data -= taken[X.indices]
    X.data[np.abs(X.data) <= _CONSTANT * np.abs(taken)[X.indices]] = 0
    X = dense_if_uneven(X)
    if sparse.issparse(X):
        return X, taken
    dense, rest = center_keeping_sparsity(X)
    return dense, taken + rest


def dense_if_uneven(X: Matrix) -> Matrix:
    """Make a sparse matrix dense if products of its rows would lose the digits of small columns.

    Raises
    ------
    MethodError
        The matrix is too large to be made dense.
    """
    if not sparse.issparse(X):
        return X
    X = _summed(X)
    n, d = X.shape
    mean = _means(X)
    stored = np.bincount(X.indices, minlength=d)
    squares = np.bincount(X.indices, X.data**2, minlength=d)
    deviations = np.bincount(X.indices, (X.data - mean[X.indices]) ** 2, minlength=d)
    varied = deviations + (n - stored) * mean**2  # a zero differs from the mean by the mean
    some = varied > _CONSTANT**2 * squares
    if not some.any() or squares.max() <= UNEVEN**2 * varied[some].min():
        return X
    if n * d <= MAX_ENTRIES:
        return X.toarray()
    large, small = int(squares.argmax()), int(np.where(some, varied, np.inf).argmin())
    raise MethodError(
        f"features {large} and {small} (from 0) of the sparse X differ in scale by more than "
        f"{UNEVEN:g}, and a {n} x {d} matrix is too large to be made dense; scale the features"
    )


def _summed(X: Matrix) -> Matrix:
    X = X.tocsr(copy=True)
    X.sum_duplicates()
    return X


def _means(X: Matrix) -> Floats:
    return np.asarray(X.mean(axis=0), dtype=np.float64).ravel()


def _without_rounding(centered: Floats, mean: Floats) -> Floats:
    constant = np.abs(centered).max(axis=0, initial=0.0) <= _CONSTANT * np.abs(mean)
    centered[:, constant] = 0
    return centered
