"""The training inputs in the eigenbasis of their kernel, and functions that live there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from scipy import linalg, sparse

from mlbench.methods.feature_scales import center_keeping_sparsity, dense_if_uneven, require_scale
from mlbench.methods.kernels import Centers, GaussianBasis, gaussian
from mlbench.methods.memoize import LastResultCache
from mlbench.solvers.arrays import Floats, Matrix


class KernelEigenbasis(Protocol):
    """What a projection sees of the inputs: their kernel matrix ``K_x = U diag(L) U'``.

    Attributes
    ----------
    vectors : (n, rho) array
        U.
    values : (rho,) array
        L, descending, all above 0.
    rank_tol : float
        Eigenvalues of a Gram matrix up to this share of the largest count as 0.
    """

    vectors: Floats
    values: Floats
    rank_tol: float

    def features(self, coefficients: Floats) -> Callable[[Matrix], Floats]:
        """Return the functions ``k(x)' U coefficients``, (rho, r), as one of X, (m, r)."""


class GaussianEigenbasis:
    """The space of a Gaussian kernel on the training rows.

    Parameters
    ----------
    centers, squared
        The training rows and their (n, n) squared distances, which are not changed.
    sigma
        The Gaussian's width.
    center
        Whether the kernel is centered. New rows are centered with the means of training.
    rank_tol
        See `KernelEigenbasis`.

    References
    ----------
    Schölkopf, Smola & Müller (1999), Kernel principal component analysis, for the centering.
    """

    def __init__(
        self, centers: Centers, squared: Floats, sigma: float, center: bool, rank_tol: float
    ) -> None:
        self.rank_tol = rank_tol
        self._basis = GaussianBasis(centers, sigma)
        kernel = gaussian(squared, sigma)
        rounding = len(kernel) * np.finfo(float).eps * np.trace(kernel)
        self._means = kernel.mean(axis=0) if center else None
        if self._means is not None:
            kernel += self._means.mean() - self._means - self._means[:, None]
        values, vectors = linalg.eigh(kernel, driver="evd", overwrite_a=True, check_finite=False)
        kept = np.flatnonzero(values > max(rank_tol * values[-1], rounding))[::-1]
        self.values, self.vectors = values[kept], np.ascontiguousarray(vectors[:, kept])
        if center:
            self.vectors -= self.vectors.mean(axis=0)

    def features(self, coefficients: Floats) -> KernelFeatures:
        """Return the functions ``k(x)' U coefficients``."""
        return KernelFeatures(self._basis, self.vectors @ coefficients, self._means)


class KernelFeatures:
    """Functions ``sum_i alpha_i k(x_i, x) - offset``, remembered for the latest X.

    Parameters
    ----------
    basis
        The Gaussians, without rotation.
    alpha : (n, r) array
    means : (n,) array, optional
        The means of the training kernel, by which it was centered; alpha sums to 0 then.
    """

    def __init__(self, basis: GaussianBasis, alpha: Floats, means: Floats | None) -> None:
        self.basis = basis
        self.alpha = alpha
        self.offset: Any = 0.0 if means is None else means @ alpha
        self._remembered = LastResultCache(self._values)

    def __call__(self, X: Matrix) -> Floats:
        """Return the (m, r) values at the rows of X."""
        return self._remembered(X)

    def _values(self, X: Matrix) -> Floats:
        return np.asarray(self.basis(X) @ self.alpha - self.offset)


class LinearEigenbasis:
    """The space of the features themselves: the kernel is ``X X'``.

    A dense X is decomposed by its singular values, a sparse one by the Gram matrix of its
    smaller side; it is made dense only where its columns' scales differ too much for that.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    center
        Whether the features are centered. New rows are centered with the means of training.
    rank_tol
        See `KernelEigenbasis`.

    Raises
    ------
    MethodError
        The features' scale is beyond what can be computed with: see `feature_scales`.
    """

    def __init__(self, X: Matrix, center: bool, rank_tol: float) -> None:
        self.rank_tol = rank_tol
        require_scale(X)
        taken: Floats = np.zeros(X.shape[1])
        self._X, self._taken = center_keeping_sparsity(X) if center else (dense_if_uneven(X), taken)
        self._mean = np.asarray(self._X.mean(axis=0), dtype=np.float64).ravel() * center
        spectrum = _sparse_spectrum if sparse.issparse(self._X) else _dense_spectrum
        values, vectors, rounding = spectrum(self._X, self._mean)
        kept = np.flatnonzero(values > max(rank_tol * values.max(initial=0), rounding))
        self.values, self.vectors = values[kept], np.ascontiguousarray(vectors[:, kept])
        if center:
            self.vectors -= self.vectors.mean(axis=0)

    def features(self, coefficients: Floats) -> LinearFeatures:
        """Return the functions ``k(x)' U coefficients``: linear ones of x."""
        alpha = self.vectors @ coefficients
        weights = np.asarray(self._X.T @ alpha) - np.outer(self._mean, alpha.sum(axis=0))
        return LinearFeatures(weights, (self._mean + self._taken) @ weights)


class LinearFeatures:
    """Functions ``w'x - offset``."""

    def __init__(self, weights: Floats, offset: Floats) -> None:
        self.weights = weights
        self.offset = offset

    def __call__(self, X: Matrix) -> Floats:
        """Return the (m, r) values at the rows of X."""
        return np.asarray(X @ self.weights - self.offset)


def _dense_spectrum(X: Floats, mean: Floats) -> tuple[Floats, Floats, float]:
    """Return the eigenvalues, descending, and eigenvectors of ``X_c X_c'``, and their error."""
    vectors, singular, _ = linalg.svd(X - mean, full_matrices=False)
    error = max(X.shape) * np.finfo(float).eps * linalg.norm(X)
    return singular**2, vectors, float(error**2)


def _sparse_spectrum(X: Matrix, mean: Floats) -> tuple[Floats, Floats, float]:
    n, d = X.shape
    error = max(n, d) * np.finfo(float).eps * float(X.multiply(X).sum())
    if n <= d:
        shift = np.asarray(X @ mean)
        gram = (X @ X.T).toarray() - shift - shift[:, None] + mean @ mean
        values, vectors = linalg.eigh(gram)
        return values[::-1], vectors[:, ::-1], error
    gram = (X.T @ X).toarray()
    total = np.asarray(X.sum(axis=0)).ravel()
    gram += n * np.outer(mean, mean) - np.outer(mean, total) - np.outer(total, mean)
    values, axes = linalg.eigh(gram)
    values, axes = values[::-1], axes[:, ::-1]
    lengths = np.sqrt(np.maximum(values, error))
    return values, np.asarray(X @ axes - mean @ axes) / lengths, error
