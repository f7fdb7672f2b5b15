"""Linear discriminant analysis of all labels together, followed by least squares."""

from __future__ import annotations

import numpy as np

from mlbench.methods.projection.base import LeastSquaresProjection
from mlbench.solvers.arrays import Floats


class LDALS(LeastSquaresProjection):
    """Linear discriminant analysis of all labels together, and least squares on its features.

    The features separate the means ``m_j`` of the rows that have label j: they maximize
    ``S_b = sum_j n_j (m_j - m)(m_j - m)'`` against the total scatter. Where every row has one
    label, this is the discriminant analysis of these classes; where labels overlap, every label
    is a class, and a row can be in several.

    References
    ----------
    Ji & Ye (2009), Linear dimensionality reduction for multi-label classification, IJCAI,
    section 3.1.
    """

    example_grid = tuple(
        {"n_components": r, "ridge": ridge} for r in (1, None) for ridge in (0.0, 0.01, 1.0)
    )

    def _target(self, Y: Floats) -> Floats:
        share = Y.mean(axis=0)
        return np.asarray((Y - share) / np.sqrt(share))
