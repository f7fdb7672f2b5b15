"""Squared distances and Gaussian basis functions, for dense and sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state

from mlbench.methods.memoize import LastResultCache
from mlbench.solvers.arrays import Floats, Matrix

MEDIAN_ROWS = 3000
"""The median distance is exact up to this many rows; beyond, over a fixed subsample of them."""


def squared_norms(X: Matrix) -> Floats:
    """Return the squared Euclidean norm of every row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def squared_distances(A: Matrix, B: Matrix, b_norms: Floats | None = None) -> Floats:
    """Return the (m, n) squared Euclidean distances between the rows of A and B.

    Sparse rows are not made dense; nothing larger than the result and copies of A and B is held.
    Dense rows are moved so that the mean of B is 0: the products of rows that lie far from it
    would have no digits left for the distances.

    Parameters
    ----------
    A : (m, d) array or CSR matrix
    B : (n, d) array or CSR matrix
    b_norms : (n,) array, optional
        The squared norms of B as it is, to be spared for sparse rows.
    """
    if not sparse.issparse(A) and not sparse.issparse(B):
        same, mean = A is B, np.mean(B, axis=0)
        B = B - mean
        A = B if same else A - mean
        b_norms = None
    products = A @ B.T
    distances = products.toarray() if sparse.issparse(products) else np.asarray(products)
    distances = np.ascontiguousarray(distances, dtype=np.float64)
    distances *= -2
    distances += squared_norms(A)[:, None]
    distances += squared_norms(B) if b_norms is None else b_norms
    if A is B:
        np.fill_diagonal(distances, 0)
    np.maximum(distances, 0, out=distances)
    return distances


def median_distance(X: Matrix) -> float:
    """Return the median Euclidean distance between two rows, over all pairs.

    Above `MEDIAN_ROWS` rows it is that of a subsample, the same for the same rows. Where more
    than half of the pairs coincide, it is the median of the others; 1 if all do.
    """
    if X.shape[0] > MEDIAN_ROWS:
        rows = np.random.RandomState(0).choice(X.shape[0], MEDIAN_ROWS, replace=False)
        X = X[np.sort(rows)]
    return median_of(squared_distances(X, X))


def median_of(squared: Floats) -> float:
    """Return the median distance, given the symmetric matrix of squared distances."""
    pairs = squared[np.tri(len(squared), k=-1, dtype=bool)]
    np.sqrt(pairs, out=pairs)
    median = float(np.median(pairs, overwrite_input=True))
    if median > 0:
        return median
    apart = pairs[pairs > 0]
    return float(np.median(apart)) if len(apart) else 1.0


def gaussian(squared: Floats, sigma: float, out: Floats | None = None) -> Floats:
    """Turn squared distances into ``exp(-distance^2 / (2 sigma^2))``."""
    values = np.multiply(squared, -0.5 / sigma**2, out=out)
    np.exp(values, out=values)
    return values


class Centers:
    """The points that Gaussian basis functions stand on, and distances to them.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
        The training rows.
    n_basis
        How many of them to use, drawn at random; all by default.

    Attributes
    ----------
    points : (B, d) array or CSR matrix
    scale : float
        The median distance between two training rows.
    """

    def __init__(self, X: Matrix, n_basis: int | None = None, random_state: Any = None) -> None:
        if n_basis is not None and n_basis < X.shape[0]:
            draw = check_random_state(random_state).permutation(X.shape[0])
            self.points = X[np.sort(draw[:n_basis])]
        else:
            self.points = X
        self._norms = squared_norms(self.points)
        self.squared_distances_from = LastResultCache(self._squared_distances_from)

    def measure(self, X: Matrix) -> Floats:
        """Return the (n, B) squared distances of the training rows, and note their scale."""
        if self.points is X:
            squared = squared_distances(X, X)
            self.scale = median_of(squared) if len(squared) <= MEDIAN_ROWS else median_distance(X)
            return squared
        self.scale = median_distance(X)
        return self._squared_distances_from(X)

    def _squared_distances_from(self, X: Matrix) -> Floats:
        return squared_distances(X, self.points, self._norms)


class Basis:
    """Gaussian basis functions of one width, optionally rotated.

    Calling it with X gives the (m, B) values, remembered for the latest X.

    Parameters
    ----------
    centers
    sigma
        The width of the Gaussian.
    rotation : (B, B) array, optional
        The values are multiplied by it from the right.
    """

    def __init__(self, centers: Centers, sigma: float, rotation: Floats | None = None) -> None:
        self.centers = centers
        self.sigma = sigma
        self.rotation = rotation
        self._remembered = LastResultCache(self._values)

    def __call__(self, X: Matrix) -> Floats:
        """Return the (m, B) values at the rows of X."""
        return self._remembered(X)

    def _values(self, X: Matrix) -> Floats:
        values = gaussian(self.centers.squared_distances_from(X), self.sigma)
        return values if self.rotation is None else values @ self.rotation


def gram_eigenpairs(design: Floats, symmetric: bool) -> tuple[Floats, Floats]:
    """Decompose ``design' design = V diag(f) V'``.

    Parameters
    ----------
    design : (n, B) array
        Its memory is used for the result if it is symmetric.
    symmetric
        The design is a symmetric kernel matrix: its own eigenvalues are found and squared,
        which is more exact than decomposing the product.

    Returns
    -------
    f : (B,) array, none below 0
    V : (B, B) array
    """
    if symmetric:
        values, vectors = _eigh(design)
        return values**2, vectors
    values, vectors = _eigh(design.T @ design)
    return np.maximum(values, 0), vectors


def _eigh(matrix: Floats) -> tuple[Floats, Floats]:
    """Decompose a symmetric matrix in place; its transpose is in the order that LAPACK wants."""
    values, vectors = linalg.eigh(matrix.T, driver="evd", overwrite_a=True, check_finite=False)
    return values, vectors
