"""Squared distances and Gaussian basis functions, for dense and sparse rows."""

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state

from mlbench.methods.base import RandomState
from mlbench.methods.memoize import LastResultCache
from mlbench.solvers.arrays import Floats, Matrix

MEDIAN_ROWS = 3000
"""Up to this number of rows the median distance is exact; beyond, a fixed subsample is used."""


def squared_norms(X: Matrix) -> Floats:
    """Return the squared Euclidean norm of every row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def squared_distances(A: Matrix, B: Matrix, b_norms: Floats | None = None) -> Floats:
    """Return the (m, n) squared Euclidean distances between the rows of A and B.

    Sparse rows stay sparse, and nothing larger than the result and copies of A and B is allocated.
    Dense rows are shifted so that the mean of B is 0: far from the mean, the products of rows
    would cancel all digits of the distances.

    Parameters
    ----------
    A : (m, d) array or CSR matrix
    B : (n, d) array or CSR matrix
    b_norms : (n,) array, optional
        The squared norms of B, if they are known; used for sparse rows only.
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

    Above `MEDIAN_ROWS` rows it is the median over a fixed subsample. If more than half of the pairs
    coincide, it is the median over the others, or 1 if all coincide.
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
    """Return ``exp(-squared / (2 sigma^2))``."""
    values = np.multiply(squared, -0.5 / sigma**2, out=out)
    np.exp(values, out=values)
    return values


class Centers:
    """The centers of Gaussian basis functions, and distances to them.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
        The training rows.
    n_basis
        How many of the rows are centers, drawn at random; all by default.

    Attributes
    ----------
    points : (B, d) array or CSR matrix
    scale : float
        The median distance between two training rows.
    """

    def __init__(
        self, X: Matrix, n_basis: int | None = None, random_state: RandomState = None
    ) -> None:
        if n_basis is not None and n_basis < X.shape[0]:
            draw = check_random_state(random_state).permutation(X.shape[0])
            self.points = X[np.sort(draw[:n_basis])]
        else:
            self.points = X
        self._norms = squared_norms(self.points)
        self.squared_distances_from = LastResultCache(self._squared_distances_from)

    def fit_scale(self, X: Matrix) -> Floats:
        """Return the (n, B) squared distances of the training rows, and set `scale`."""
        if self.points is X:
            squared = squared_distances(X, X)
            self.scale = median_of(squared) if len(squared) <= MEDIAN_ROWS else median_distance(X)
            return squared
        self.scale = median_distance(X)
        return self._squared_distances_from(X)

    def _squared_distances_from(self, X: Matrix) -> Floats:
        return squared_distances(X, self.points, self._norms)


class GaussianBasis:
    """Gaussian basis functions of one width, optionally rotated.

    Calling it with X returns the (m, B) values, cached for the latest X.

    Parameters
    ----------
    centers
    sigma
        The standard deviation of the Gaussian.
    rotation : (B, B) array, optional
        The values are multiplied by it from the right.
    """

    def __init__(self, centers: Centers, sigma: float, rotation: Floats | None = None) -> None:
        self.centers = centers
        self.sigma = sigma
        self.rotation = rotation
        self._cached_values = LastResultCache(self._values)

    def __call__(self, X: Matrix) -> Floats:
        """Return the (m, B) values at the rows of X."""
        return self._cached_values(X)

    def _values(self, X: Matrix) -> Floats:
        values = gaussian(self.centers.squared_distances_from(X), self.sigma)
        return values if self.rotation is None else values @ self.rotation


def gram_eigenpairs(design: Floats, symmetric: bool) -> tuple[Floats, Floats]:
    """Decompose ``design' design = V diag(f) V'``.

    Parameters
    ----------
    design : (n, B) array
        Overwritten if it is symmetric.
    symmetric
        The design is a symmetric kernel matrix. Its own eigenvalues are then computed and
        squared, which is more accurate than decomposing the product.
    """
    if symmetric:
        values, vectors = _eigh(design)
        return values**2, vectors
    values, vectors = _eigh(design.T @ design)
    return np.maximum(values, 0), vectors


def _eigh(matrix: Floats) -> tuple[Floats, Floats]:
    """Decompose a symmetric matrix in place; its transpose has the memory order of LAPACK."""
    values, vectors = linalg.eigh(matrix.T, driver="evd", overwrite_a=True, check_finite=False)
    return values, vectors
