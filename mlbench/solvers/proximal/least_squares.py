"""Least squares for several tasks, by Hessian, spectrum or operator, whichever is cheapest."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mlbench.solvers.arrays import Flags, Floats, Matrix
from mlbench.solvers.design import Design

_SINGULAR = 1e-9
"""A Hessian with a smaller ratio of its extreme eigenvalues is not inverted."""

_ZERO = 1e-13
"""Relative to 1, smaller numbers count as 0."""


@dataclass(frozen=True)
class Quadratic:
    """``f(W) = 1/2 sum_i ||y_i - X_i w_i||^2`` in terms of the quantities that solvers need."""

    hessian: Callable[[Floats], Floats]
    """Function of (k, d) arrays: W to the rows ``X_i' X_i w_i``."""
    linear: Floats
    """(k, d) array: the rows ``X_i' y_i``."""
    size: float
    """``sum_i ||y_i||^2``."""
    curvature: float
    """An estimate of the Hessian's largest eigenvalue."""
    inverse_form: Callable[[Floats], float]
    """Function of (k, d) arrays: E to ``<E, hessian^-1 E>``, the least ``sum_i ||t_i||^2`` with
    ``X_i' t_i = e_i``; infinite if there is none or it is not known.
    """
    gram: Floats | None = None
    """The Hessian (d, d) of every task, if they share it and it is known as a matrix."""
    eigenvalues: Floats | None = None
    """Its diagonal (d,), if it has no other entries."""


class LeastSquares:
    """The least-squares problem of a design, with free intercepts if they are asked for.

    Free intercepts are fitted by centering X and y for every task. A sparse X is not changed: its
    means are accounted for in the products.
    """

    def __init__(self, design: Design, y: Floats, fit_intercept: bool) -> None:
        k, d = design.n_tasks, design.n_features
        self.design = design
        self.means = np.zeros((k, d))
        self.y_means = np.zeros(k)
        rows = np.diff(design.offsets)
        if fit_intercept:
            self.means = design.adjoint(np.ones(len(y))) / rows[:, None]
            self.y_means = np.add.reduceat(y, design.offsets[:-1]) / rows
        centered = y - np.repeat(self.y_means, rows)
        self.targets = np.split(centered, design.offsets[1:-1])
        self.size = float(centered @ centered)
        self.blocks = [
            _CenteredBlock(X, mean) for X, mean in zip(design.blocks, self.means, strict=False)
        ]
        self.tall = d * k <= rows.sum()

    @property
    def has_spectrum(self) -> bool:
        """Whether the eigenbasis of the Hessian is available: X is shared, and tall or dense."""
        return self.design.shared and (self.tall or not self.blocks[0].sparse)

    def intercept(self, W: Floats) -> Floats:
        """Return the best intercepts (k,) for coefficients (k, d)."""
        return np.asarray(self.y_means - np.einsum("ij,ij->i", W, self.means))

    def quadratic(self) -> Quadratic:
        """Return the problem by its Hessian if there are more rows than features, else by X."""
        blocks, linear = self.blocks, self._linear()
        if not self.tall:
            curvature = max(block.curvature() for block in blocks)
            form = _form_within(np.zeros(self.design.n_features, bool), _unknown)
            return Quadratic(self._gram_times, linear, self.size, curvature, form)
        grams = np.stack([block.gram() for block in blocks])
        curvature = float(max(np.linalg.eigvalsh(grams).max(), 0.0))
        form = self._inverse_form(grams)
        gram = grams[0] if self.design.shared else None
        return Quadratic(self._rows_times(grams), linear, self.size, curvature, form, gram)

    def spectral(self) -> tuple[Quadratic, Floats]:
        """Return the problem in the eigenbasis of the Hessian, and that basis.

        For problems that have it (`has_spectrum`) and penalties that no rotation changes.

        Returns
        -------
        quadratic : Quadratic
            In coordinates U (k, r), W = U @ basis.
        basis : (r, d) array
            Orthonormal rows that span the rows of X.
        """
        block = self.blocks[0]
        if self.tall:
            values, vectors = np.linalg.eigh(block.gram())
            basis, values = vectors.T, np.maximum(values, 0.0)
        else:
            _, singular, basis = np.linalg.svd(block.X, full_matrices=False)
            values = singular**2
        curvature = float(values.max())
        nonzero = values > _SINGULAR * curvature
        form = _form_within(nonzero, lambda E: E / values[nonzero])
        linear = self._linear() @ basis.T
        return Quadratic(
            lambda U: U * values, linear, self.size, curvature, form, eigenvalues=values
        ), basis

    def _rows_times(self, matrices: NDArray[Any]) -> Callable[[Floats], Floats]:
        """Return the map that multiplies every row by its task's symmetric matrix."""
        if self.design.shared:
            return lambda W: W @ matrices[0]
        return lambda W: np.matmul(matrices, W[:, :, None])[:, :, 0]

    def _inverse_form(self, grams: Floats) -> Callable[[Floats], float]:
        """Invert the Hessian on the features that are not 0 in all rows, if it is regular there."""
        diagonal = np.einsum("tjj->tj", grams)
        nonzero = (diagonal > _ZERO * diagonal.max()).all(axis=0)
        scale = 1 / np.sqrt(diagonal[:, nonzero])
        inner = grams[:, nonzero][:, :, nonzero] * scale[:, :, None] * scale[:, None, :]
        if not nonzero.any() or np.linalg.eigvalsh(inner).min() <= _SINGULAR:
            return _form_within(np.zeros_like(nonzero), _unknown)
        inverses = np.linalg.inv(inner) * scale[:, :, None] * scale[:, None, :]
        return _form_within(nonzero, self._rows_times(inverses))

    def _linear(self) -> Floats:
        return self._adjoint(self.targets)

    def _gram_times(self, W: Floats) -> Floats:
        """Return ``X_t' X_t w_t`` for every task."""
        if self.design.shared:
            return self.blocks[0].adjoint(self.blocks[0].scores(W.T)).T
        pairs = zip(self.blocks, W, strict=True)
        return np.stack([block.adjoint(block.scores(w)) for block, w in pairs])

    def _adjoint(self, residuals: list[Floats]) -> Floats:
        if self.design.shared:
            return self.blocks[0].adjoint(np.column_stack(residuals)).T
        pairs = zip(self.blocks, residuals, strict=True)
        return np.stack([block.adjoint(residual) for block, residual in pairs])


class _CenteredBlock:
    """A centered matrix; the means of a sparse one are stored separately."""

    def __init__(self, X: Matrix, mean: Floats) -> None:
        self.sparse = sparse.issparse(X)
        self.X = X if self.sparse else X - mean
        self.transposed = X.T.tocsr() if self.sparse else self.X.T
        self.mean = mean

    def scores(self, W: Floats) -> Floats:
        """Return X W, for W of (d,) or (d, k)."""
        product = np.asarray(self.X @ W)
        return product - self.mean @ W if self.sparse else product

    def adjoint(self, R: Floats) -> Floats:
        """Return X' R, for R of (n,) or (n, k)."""
        product = np.asarray(self.transposed @ R)
        return product - np.multiply.outer(self.mean, R.sum(axis=0)) if self.sparse else product

    def gram(self) -> Floats:
        """Return X' X as a dense (d, d) array."""
        if not self.sparse:
            return np.asarray(self.transposed @ self.X)
        product = (self.transposed @ self.X).toarray()
        return np.asarray(product - self.X.shape[0] * np.multiply.outer(self.mean, self.mean))

    def curvature(self) -> float:
        """Return an estimate of the largest eigenvalue of X' X, by the power method."""
        v = np.cos(np.arange(self.X.shape[1]))
        size = 0.0
        for _ in range(30):
            length = float(np.linalg.norm(v))
            if length == 0:
                return size
            v = self.adjoint(self.scores(v / length))
            size = float(np.linalg.norm(v))
        return size


def _form_within(nonzero: Flags, inverse: Callable[[Floats], Floats]) -> Callable[[Floats], float]:
    """Return E to <E, inverse(E)> over `nonzero` columns; infinite if others are not 0."""

    def form(E: Floats) -> float:
        size = np.abs(E).max()
        if size == 0:
            return 0.0
        if np.abs(E[:, ~nonzero]).max(initial=0.0) > _ZERO * size:
            return inf
        return float(np.vdot(E[:, nonzero], inverse(E[:, nonzero])))

    return form


def _unknown(E: Floats) -> Floats:
    return E
