"""Orthonormalised partial least squares, followed by least squares."""

from __future__ import annotations

import numpy as np

from mlbench.methods.base import Floats
from mlbench.methods.linear_projection import LeastSquaresProjection


class OPLSLS(LeastSquaresProjection):
    """Orthonormalised partial least squares: ridge regression on the labels, of reduced rank.

    The r linear features from which the label indicators can be predicted best, and that
    prediction. With all features it is ridge regression: a smaller ``n_components`` is what
    makes a difference.

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
    Theorem 3.1; Arenas-García, Petersen & Hansen (2007), NIPS.
    """

    example_grid = tuple(
        {"n_components": r, "ridge": ridge} for r in (1, 2, None) for ridge in (0.0, 0.01, 1.0)
    )

    def _target(self, Y: Floats) -> Floats:
        return np.asarray(Y - Y.mean(axis=0))
