"""Kernel canonical correlation analysis of inputs and labels, followed by linear SVMs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from mlbench.methods.kernel_projection.base import KernelDirections
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis
from mlbench.methods.kernel_projection.gaussian import KernelProjection
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.solvers.arrays import Floats


@dataclass(eq=False, repr=False)
class KCCASVM(KernelProjection):
    """Regularized kernel CCA of inputs and labels, then linear SVMs.

    A feature ``k(x)'alpha`` has the largest correlation with a linear combination of the labels
    under ``alpha'K (K + kappa I) alpha = n``: its variance is 1 minus the effect of the
    regularizer. There are at most as many features as the rank of the (centered) labels.

    Parameters
    ----------
    n_components : int, optional
        The number of features; the rank of the labels by default.
    kappa : float, default=0.01
        Weight of the regularizer ``kappa * tr(K) / n * I`` added to the kernel matrix K.
    scaled : bool, default=False
        Multiply each feature by its squared canonical correlation.

    Attributes
    ----------
    eigenvalues_ : (components,) array
        The squared canonical correlations.

    References
    ----------
    Hardoon, Szedmak & Shawe-Taylor (2003), Canonical correlation analysis: an overview with
    application to learning methods.
    """

    n_components: int | None = None
    kappa: float = 0.01
    scaled: bool = False

    _direction_parameters = ("kappa", "scaled")

    example_grid = (
        {"kappa": 1e-4, "C": 10.0},
        {"kappa": 1.0, "C": 10.0},
        {"n_components": 1, "C": 0.1},
        {"n_components": 2, "scaled": True, "loss": "squared_hinge"},
        {"width": 0.5, "center": False},
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "kappa")
        require_one_of(self, "scaled", (True, False))

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        vectors, singular, _ = linalg.svd(self._target(outputs), full_matrices=False)
        kept = singular > np.sqrt(self.rank_tol) * max(singular.max(initial=0), 1e-300)
        basis = space.vectors.T @ vectors[:, kept]
        ridge = self.kappa * space.values.sum() / len(outputs)
        shrunk = basis / (space.values + ridge)[:, None]
        g, U = linalg.eigh(shrunk.T @ (basis * space.values[:, None]))
        order = np.flatnonzero(g > self.rank_tol)[::-1][:n_wanted]
        scale = np.sqrt(len(outputs)) * g[order] ** (0.5 if self.scaled else -0.5)
        reached = int(np.sum(g > self.rank_tol))
        return KernelDirections((shrunk @ U[:, order]) * scale, g[order], len(g), reached)
