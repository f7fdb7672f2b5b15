"""Products of rows for support vector machines, with or without the Gram matrix."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from mlbench.solvers.arrays import Floats, Ints, Matrix

GRAM_ROWS = 6000
"""More rows than this never have a Gram matrix: it would take 300 MB and more."""

FEW_FEATURES = 500
"""With more, the interior-point method and Newton's cost more than a Gram matrix of few rows."""

INTERIOR_FEATURES = 1000
FACTORED_ROWS = 2000
"""Up to these, the interior-point method can be afforded."""

MAX_EQUATIONS = 3000
"""Least squares in more features than this go to conjugate gradients."""

CORRECTIONS = 3
"""Rounds of correction in other least squares, the first solve among them."""


@dataclass(frozen=True)
class BinarySVM:
    """A support vector machine for one label."""

    beta: Floats
    """(n,) array: ``y_i alpha_i``: the weights are ``Z' beta``. They sum to 0."""
    bias: float
    gap: float
    """(primal - dual objective) / primal objective."""


class RowProducts(Protocol):
    """The n rows of a linear support vector machine."""

    kernel: str
    """What libsvm calls the matrix `data`: ``precomputed`` or ``linear``."""

    data: Matrix

    @property
    def max_free_vectors(self) -> int:
        """The largest number of free support vectors, those exactly on the margin."""
        ...

    @property
    def features(self) -> Matrix | None:
        """Rows with these products, or None if they cost too much to compute."""
        ...

    def products(self, beta: Floats) -> Floats:
        """Return the n products of the rows with the weights ``Z' beta``."""
        ...

    def block(self, rows: Ints) -> Floats:
        """Return the products of some rows with each other."""
        ...

    def ridge(self, rows: Ints, y: Floats, penalty: float) -> tuple[Floats, float, Floats]:
        """Fit ``1/2 ||w||^2 + 1/(2 penalty) sum (y - w'z - b)^2`` to some rows.

        Returns
        -------
        beta : array of one entry per row
            They sum to 0.
        bias : float
        products : (n,) array
            Of all rows with w: where beta is large, its own products have fewer digits.
        """
        ...


class GramProducts:
    """Rows that are not many more than their features: their products are computed once."""

    kernel = "precomputed"

    def __init__(self, gram: Floats) -> None:
        self.data = gram

    @property
    def max_free_vectors(self) -> int:
        """All rows."""
        return len(self.data)

    @cached_property
    def features(self) -> Floats | None:
        """Eigenvectors, scaled."""
        if len(self.data) > FACTORED_ROWS:
            return None
        values, vectors = linalg.eigh(self.data, driver="evd")
        kept = values > 1e-14 * values[-1]
        return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))

    def products(self, beta: Floats) -> Floats:
        """Return the n products of the rows with the weights ``Z' beta``."""
        support = np.flatnonzero(beta)
        if 2 * len(support) > len(beta):
            return self.data @ beta
        return np.asarray(beta[support] @ self.data[support])

    def block(self, rows: Ints) -> Floats:
        """Return the products of some rows with each other."""
        return np.asarray(self.data[np.ix_(rows, rows)])

    def ridge(self, rows: Ints, y: Floats, penalty: float) -> tuple[Floats, float, Floats]:
        """Fit the bias and the multipliers, ``(K + penalty I) beta + b = y, 1'beta = 0``."""
        beta, bias = _multipliers(self.block(rows), y, penalty)
        products = np.asarray(beta @ self.data[rows])
        # K beta by the equation of the fit, which does not cancel where beta is large
        products[rows] = y - bias - penalty * beta
        return beta, bias, products


class FeatureProducts:
    """Many rows of few features, or too many for a Gram matrix."""

    kernel = "linear"

    def __init__(self, Z: Matrix) -> None:
        self.data = Z

    @property
    def max_free_vectors(self) -> int:
        """Somewhat more than the number of weights and the bias."""
        return 2 * int(self.data.shape[1]) + 20

    @property
    def features(self) -> Matrix | None:
        """The rows themselves."""
        return self.data if self.data.shape[1] <= INTERIOR_FEATURES else None

    def products(self, beta: Floats) -> Floats:
        """Return the n products of the rows with the weights ``Z' beta``."""
        return np.asarray(self.data @ (self.data.T @ beta))

    def block(self, rows: Ints) -> Floats:
        """Return the products of some rows with each other."""
        return _dense(self.data[rows] @ self.data[rows].T)

    def ridge(self, rows: Ints, y: Floats, penalty: float) -> tuple[Floats, float, Floats]:
        """Fit the multipliers of few rows, the weights to many."""
        Z = self.data[rows]
        if len(rows) <= Z.shape[1]:
            beta, bias = _multipliers(self.block(rows), y, penalty)
            weights = Z.T @ beta
        else:
            beta, bias, weights = _weights(Z, y, penalty)
        return beta, bias, np.asarray(self.data @ weights)


def _multipliers(K: Floats, y: Floats, penalty: float) -> tuple[Floats, float]:
    """Solve ``(K + penalty I) beta + b 1 = y, 1'beta = 0``; K is overwritten."""
    K.flat[:: len(K) + 1] += penalty
    # beta = u - b v for the solutions u and v of y and 1; 1'beta = 0 gives b = 1'u / 1'v.
    solved = _solver(K)(np.column_stack([y, np.ones(len(y))]))
    bias = solved[:, 0].sum() / solved[:, 1].sum()
    return solved[:, 0] - bias * solved[:, 1], float(bias)


def _weights(Z: Matrix, y: Floats, penalty: float) -> tuple[Floats, float, Floats]:
    """Solve ``r + Z_c w = y_c, Z_c'r = penalty w``; r is the residual, ``penalty beta``.

    With a small penalty r can be small too, so it is not computed as a difference at the end: each
    round corrects both by the residual of the second equation.
    """
    mean = np.asarray(Z.mean(axis=0)).ravel()
    centered = y - y.mean()
    if Z.shape[1] > MAX_EQUATIONS:
        weights = _conjugate_gradients(Z, mean, Z.T @ centered, penalty)
        residual = _centered(y - Z @ weights)
    else:
        normal = _dense(Z.T @ Z) - len(y) * np.outer(mean, mean)
        normal.flat[:: len(normal) + 1] += penalty
        solve = _solver(normal)
        residual, weights = centered, np.zeros(Z.shape[1])
        for _ in range(CORRECTIONS):
            change = solve(Z.T @ residual - penalty * weights)
            weights = weights + change
            residual = _centered(residual - Z @ change)
    return residual / penalty, float(y.mean() - mean @ weights), weights


def _centered(v: Floats) -> Floats:
    return np.asarray(v - v.mean())


def _solver(positive: Floats) -> Callable[[Floats], Floats]:
    """Return a function that solves for right-hand sides; near singularity shows in the gap."""
    try:
        factor = linalg.cho_factor(positive)
    except linalg.LinAlgError:
        inverse = linalg.pinvh(positive)
        return lambda right: np.asarray(inverse @ right)
    return lambda right: np.asarray(linalg.cho_solve(factor, right))


def _conjugate_gradients(Z: Matrix, mean: Floats, right: Floats, penalty: float) -> Floats:
    n, d = Z.shape

    def times(w: Floats) -> Floats:
        # (Z_c'Z_c + penalty I) w, for the centered Z_c = Z - 1 mean', which is never formed
        return np.asarray(Z.T @ (Z @ w) - n * (mean @ w) * mean + penalty * w)

    normal = LinearOperator((d, d), matvec=times, dtype=np.float64)
    return np.asarray(cg(normal, right, rtol=1e-13, maxiter=10 * d)[0])


def row_products(Z: Matrix) -> tuple[RowProducts, Floats]:
    """Return the cheaper form of the rows of Z, centered if that keeps sparsity.

    Returns
    -------
    rows : RowProducts
    origin : (d,) array
        What was taken from every row. The bias absorbs it, since the multipliers sum to 0.
    """
    n, d = Z.shape
    mean = np.asarray(Z.mean(axis=0), dtype=np.float64).ravel()
    tall = n > GRAM_ROWS or (n > 2 * d and d <= FEW_FEATURES)
    if not sparse.issparse(Z):
        centered = np.ascontiguousarray(Z - mean)
        return FeatureProducts(centered) if tall else GramProducts(centered @ centered.T), mean
    if tall:
        return FeatureProducts(Z), np.zeros(d)
    # (Z - 1 m')(Z - 1 m')' = H Z Z' H with H = I - 1 1'/n: rows and columns lose their means.
    gram = _dense(Z @ Z.T)
    means = gram.mean(axis=0)
    return GramProducts(gram - means - means[:, None] + means.mean()), mean


def _dense(product: Matrix) -> Floats:
    return product.toarray() if sparse.issparse(product) else np.asarray(product)
