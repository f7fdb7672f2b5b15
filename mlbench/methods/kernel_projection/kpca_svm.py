"""Kernel principal component analysis, followed by linear SVMs."""

from __future__ import annotations

import numpy as np

from mlbench.methods.kernel_projection.base import KernelDirections
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis
from mlbench.methods.kernel_projection.gaussian import KernelProjection
from mlbench.solvers.arrays import Floats


class KPCASVM(KernelProjection):
    """Kernel PCA, then linear SVMs: a projection that ignores the labels.

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

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        values = space.values[:n_wanted]
        coefficients = np.zeros((len(space.values), len(values)))
        np.fill_diagonal(coefficients, 1 / np.sqrt(values))
        return KernelDirections(coefficients, values)
