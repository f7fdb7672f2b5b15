"""The thin singular value decomposition of centered data; sparse data are not made dense."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from mlbench.methods.feature_scales import center_keeping_sparsity, require_scale
from mlbench.solvers.arrays import Floats, Matrix


@dataclass(frozen=True)
class CenteredSVD:
    """``X - mean = U diag(s) V'``, truncated to the rank."""

    U: Floats
    """(n, rank) array."""
    s: Floats
    """(rank,) array: descending."""
    V: Floats
    """(d, rank) array."""
    mean: Floats
    """(d,) array."""

    @property
    def rank(self) -> int:
        """The number of nonzero singular values."""
        return len(self.s)

    @property
    def mean_square(self) -> float:
        """The mean centered sum of squares of the features that vary."""
        squares = ((self.V * self.s) ** 2).sum(axis=1)
        varying = (squares > 1e-20 * squares.max(initial=0.0)).sum()
        return float(squares.sum() / max(varying, 1))


def centered_svd(X: Matrix, rank_tol: float | None = None) -> CenteredSVD:
    """Decompose X, its columns centered.

    Dense data are decomposed directly. For CSR data the smaller Gram matrix is decomposed, centered
    implicitly; nothing else of its size or larger is allocated except U and V. It squares the
    singular values, so those below ``sqrt(eps)`` of the largest are lost; CSR data whose columns
    differ that much in scale are made dense.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    rank_tol : float, optional
        Singular values up to this, relative to the largest, count as 0. By default
        ``max(n, d) eps`` for dense data, and 1e-7 for sparse data or what is above it.

    Raises
    ------
    MethodError
        The features' scale is beyond what can be computed with: see `feature_scales`.
    """
    n, d = X.shape
    require_scale(X)
    floor = max(n, d) * float(np.finfo(np.float64).eps)
    largest = 0.0 if sparse.issparse(X) else float(np.abs(X).max(initial=0.0))
    X, taken = center_keeping_sparsity(X)
    if not sparse.issparse(X):
        U, s, Vt = linalg.svd(X, full_matrices=False, lapack_driver="gesdd")
        size = max(largest, np.abs(X).max(initial=0.0)) * np.sqrt(n * d)
        kept = _kept(s, floor if rank_tol is None else rank_tol, size * floor)
        return CenteredSVD(U[:, kept], s[kept], Vt[kept].T, taken)
    rest = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    threshold = max(floor, 1e-7) if rank_tol is None else max(rank_tol, 1e-7)
    if n <= d:
        gram = (X @ X.T).toarray()
        size = np.sqrt(np.trace(gram))
        means = gram.mean(axis=0)
        s, U = _descending(gram - means - means[:, None] + means.mean())
        kept = _kept(s, threshold, size * 1e-7)
        s, U = s[kept], U[:, kept]
        V = (X.T @ U - np.outer(rest, U.sum(axis=0))) / s
    else:
        gram = (X.T @ X).toarray()
        size = np.sqrt(np.trace(gram))
        s, V = _descending(gram - n * np.outer(rest, rest))
        kept = _kept(s, threshold, size * 1e-7)
        s, V = s[kept], V[:, kept]
        U = (X @ V - rest @ V) / s
    return CenteredSVD(U, s, V, taken + rest)


def _descending(gram: Floats) -> tuple[Floats, Floats]:
    """Return the roots of the eigenvalues and the eigenvectors, the largest first."""
    values, vectors = linalg.eigh(gram, driver="evd", overwrite_a=True)
    return np.sqrt(np.maximum(values[::-1], 0)), vectors[:, ::-1]


def _kept(s: Floats, relative: float, absolute: float) -> slice:
    """Return the singular values above rounding error; constant columns have none."""
    top = s[0] if len(s) else 0.0
    return slice(0, int((s > max(relative * top, absolute)).sum()))
