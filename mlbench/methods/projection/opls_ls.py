"""Orthonormalized partial least squares, followed by least squares."""

from __future__ import annotations

import numpy as np

from mlbench.methods.projection.base import LeastSquaresProjection
from mlbench.solvers.arrays import Floats


class OPLSLS(LeastSquaresProjection):
    """Orthonormalized partial least squares: reduced-rank ridge regression on the labels.

    The features are the r linear functions from which the label indicators can be predicted best.
    With all features this is ridge regression, so choose a smaller ``n_components``.

    References
    ----------
    Ji & Ye (2009), Linear dimensionality reduction for multi-label classification, IJCAI,
    Theorem 3.1; Arenas-García, Petersen & Hansen (2007), NIPS.
    """

    example_grid = tuple(
        {"n_components": r, "ridge": ridge} for r in (1, 2, None) for ridge in (0.0, 0.01, 1.0)
    )

    def _target(self, Y: Floats) -> Floats:
        return np.asarray(Y - Y.mean(axis=0))
