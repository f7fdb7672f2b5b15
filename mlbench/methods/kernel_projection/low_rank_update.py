"""The largest eigenpairs of a diagonal matrix plus one of low rank."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from mlbench.solvers.arrays import Floats

DENSE = 300
"""Up to this order the matrix is formed and decomposed."""


def top_eigenpairs(diagonal: Floats, factor: Floats, n_wanted: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of ``diag(d) + F F'``, descending, and their eigenvectors.

    A Lanczos process needs O(m q) a step and never forms the matrix. A count of the eigenvalues
    by Sylvester's law of inertia tells whether it missed one, as it can where some are equal; the
    matrix is decomposed then.

    Parameters
    ----------
    diagonal : (m,) array
    factor : (m, q) array
    n_wanted
        How many; at most m are returned.
    """
    order = len(diagonal)
    n_wanted = min(n_wanted, order)
    if n_wanted == 0:
        return np.zeros(0), np.zeros((order, 0))
    if order > DENSE and 5 * n_wanted <= order and 2 * factor.shape[1] <= order:
        found = _lanczos(diagonal, factor, n_wanted)
        if found is not None:
            return found
    whole = factor @ factor.T
    whole[np.diag_indices(order)] += diagonal
    wanted = [order - n_wanted, order - 1]
    values, vectors = linalg.eigh(whole, subset_by_index=wanted, overwrite_a=True)
    return values[::-1], vectors[:, ::-1]


def count_above(diagonal: Floats, factor: Floats, bound: float) -> int:
    """Return how many eigenvalues of ``diag(d) + F F'`` are above a bound.

    The bound must not be one of the diagonal's entries.
    """
    inner = np.eye(factor.shape[1]) - factor.T @ (factor / (bound - diagonal)[:, None])
    return int(np.sum(diagonal > bound) + np.sum(linalg.eigvalsh(inner) < 0))


def _lanczos(diagonal: Floats, factor: Floats, n_wanted: int) -> tuple[Floats, Floats] | None:
    order = len(diagonal)
    operator = LinearOperator(
        (order, order),
        matvec=lambda v: diagonal * v.ravel() + factor @ (factor.T @ v.ravel()),
        dtype=np.float64,
    )
    start = np.random.RandomState(0).uniform(-1, 1, order)
    try:
        values, vectors = eigsh(operator, n_wanted, which="LA", v0=start, tol=0)
    except ArpackError:
        return None
    bound = values[0] + 1e-10 * abs(values[-1])
    if (diagonal == bound).any():
        return None
    if count_above(diagonal, factor, bound) != np.sum(values > bound):
        return None
    return values[::-1], vectors[:, ::-1]
