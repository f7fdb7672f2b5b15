"""Linear discriminant analysis of all labels together, followed by least squares."""

from __future__ import annotations

import numpy as np

from mlbench.methods.base import Floats
from mlbench.methods.linear_projection import LeastSquaresProjection


class LDALS(LeastSquaresProjection):
    """Linear discriminant analysis of all labels together, and least squares on its features.

    The features separate the means ``m_j`` of the rows that have label j: they maximise
    ``S_b = sum_j n_j (m_j - m)(m_j - m)'`` against the total scatter. Where every row has one
    label, that is the discriminant analysis of these classes; where labels overlap, every label
    is a class, and a row may be in several.

    Parameters
    ----------
    n_components : int, optional
        The number of features; as many as the rank of the labels allows by default.
    ridge : float, default=0.01
        The penalty, as a multiple of the mean sum of squares of a feature that varies.
    rank_tol : float, optional
        Singular values of X up to this, relative to the largest, count as 0; what is due to
        rounding by default.

    Attributes
    ----------
    coef_ : (k, d) array
    intercept_ : (k,) array
    mean_ : (d,) array
    scalings_ : (d, r) array
        `transform` is ``(X - mean_) @ scalings_``.
    correlations_ : (r,) array
    ridge_ : float
        The penalty itself.
    r_effective_ : int
        The number of features.
    constant_labels_ : int array
        The labels of one class in training; their score is it.

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
