"""Exact nearest neighbors, in an order that depends on the rows only."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mlbench.methods.kernels import squared_distances, squared_norms
from mlbench.methods.memoize import LastResultCache
from mlbench.solvers.arrays import Floats, Ints, Matrix

_BLOCK = 2**22  # numbers held at a time
_ROUNDING = 1e-11  # relative error that a product of rows may have


class NeighborSearch:
    """Search for the nearest rows of a set by Euclidean distance; ties go to the first row.

    Distances come from one matrix product per block. Those near the k-th smallest are recomputed
    from the differences, so that ties do not depend on the block.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    k
        The number of neighbors, at most n.
    """

    def __init__(self, X: Matrix, k: int) -> None:
        self.X = X
        self.k = k
        self._norms = squared_norms(X)
        self.nearest = LastResultCache(self._nearest)

    def nearest_others(self) -> Ints:
        """Return the k nearest other rows of every row of the set, (n, k), nearest first."""
        return self._search(self.X, leave_out=True)

    def _nearest(self, X: Matrix) -> Ints:
        """Return the k nearest rows of the set for every row of X, (m, k), nearest first."""
        return self._search(X, leave_out=False)

    def _search(self, X: Matrix, leave_out: bool) -> Ints:
        n_rows = X.shape[0]
        found = np.empty((n_rows, self.k), dtype=np.int64)
        step = max(1, _BLOCK // self.X.shape[0])
        for start in range(0, n_rows, step):
            block = _like(self.X, X[start : start + step])
            squared = squared_distances(block, self.X, self._norms)
            if leave_out:
                own = np.arange(len(squared))
                squared[own, start + own] = np.inf
            bound = np.partition(squared, self.k - 1, axis=1)[:, self.k - 1]
            bound += _ROUNDING * (squared_norms(block) + self._norms.max())
            rows, candidates = np.nonzero(squared <= bound[:, None])
            exact = self._exact(block, rows, candidates)
            order = np.lexsort((candidates, exact, rows))
            first = np.searchsorted(rows[order], np.arange(len(squared)))
            found[start : start + step] = candidates[order][first[:, None] + np.arange(self.k)]
        return found

    def _exact(self, X: Matrix, rows: Ints, candidates: Ints) -> Floats:
        exact = np.empty(len(rows))
        step = max(1, _BLOCK // X.shape[1])
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            exact[part] = squared_norms(X[rows[part]] - self.X[candidates[part]])
        return exact


def _like(model: Matrix, X: Matrix) -> Matrix:
    """Return X as a sparse matrix if the other matrix is sparse, else as a dense one."""
    if sparse.issparse(model):
        return sparse.csr_matrix(X)
    return X.toarray() if sparse.issparse(X) else X
