"""Kernel principal component analysis, followed by linear SVMs."""

from __future__ import annotations

import numpy as np

from mlbench.methods.kernel_projection.base import KernelDirections
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis
from mlbench.methods.kernel_projection.gaussian import KernelProjection
from mlbench.solvers.arrays import Floats


class KPCASVM(KernelProjection):
    """Kernel PCA, then linear SVMs: the projection that does not look at labels.

    Parameters
    ----------
    n_components : int, optional, default=20
        The number of features; all that there are if None.
    width : float, default=1.0
        The Gaussian's sigma, as a multiple of the median distance between training rows.
    C : float, default=1.0
        The weight of the SVMs' loss.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The SVMs' loss: ``max(0, 1 - m)`` of the margin m, or its square.
    center : bool, default=True
        Center the kernel.
    rank_tol : float, default=1e-10
        Eigenvalues of the kernel up to this share of the largest count as 0.

    Attributes
    ----------
    n_components_, r_effective_ : int
        The number of features that there are.
    eigenvalues_ : (n_components_,) array
    svms_ : LabelSVMs
    constant_labels_ : int array
        The labels of one class in training; they score -1 or 1.

    References
    ----------
    Schölkopf, Smola & Müller (1999), Kernel principal component analysis.
    """

    example_grid = (
        {"n_components": 2, "C": 0.1},
        {"n_components": 10, "C": 10.0},
        {"n_components": 10, "width": 0.5, "loss": "squared_hinge"},
        {"n_components": None, "center": False},
    )

    def __init__(
        self,
        n_components: int | None = 20,
        width: float = 1.0,
        C: float = 1.0,
        loss: str = "hinge",
        center: bool = True,
        rank_tol: float = 1e-10,
    ) -> None:
        self.n_components = n_components
        self.width = width
        self.C = C
        self.loss = loss
        self.center = center
        self.rank_tol = rank_tol

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        values = space.values[:n_wanted]
        coefficients = np.zeros((len(space.values), len(values)))
        np.fill_diagonal(coefficients, 1 / np.sqrt(values))
        return KernelDirections(coefficients, values)
