"""Linear projections onto targets made of the labels: OPLS, CCA, and LDA, by least squares."""

import numpy as np
from scipy import linalg

from mlbench.methods.projection.linear_projection import LeastSquaresProjection, SVMProjection
from mlbench.solvers.arrays import Floats

RANK_TOL = 1e-10
"""Eigenvalues of the labels' scatter up to this, relative to the largest, count as 0."""


def orthonormal_labels(Y: Floats) -> Floats:
    """Return an orthonormal basis of the centered labels' span.

    Linearly dependent labels, such as equal or complementary ones, add no column.
    """
    centered = Y - Y.mean(axis=0)
    values, vectors = linalg.eigh(centered.T @ centered) if Y.shape[1] else (np.ones(0), np.eye(0))
    kept = values > RANK_TOL * values.max(initial=0.0)
    return np.asarray(centered @ (vectors[:, kept] / np.sqrt(values[kept])))


class CCALS(LeastSquaresProjection):
    """Canonical correlation analysis with a ridge, followed by least squares on the labels.

    The features have the largest correlation with linear combinations of the labels; all
    combinations count equally, whatever their variance. With all features this is ridge regression,
    so choose a smaller ``n_components``.

    Attributes
    ----------
    correlations_ : (r,) array
        The canonical correlations, shrunk by the ridge.

    References
    ----------
    Ji & Ye (2009), Linear dimensionality reduction for multi-label classification, IJCAI,
    Theorem 3.1; Sun, Ji & Ye (2008), A least squares formulation for canonical correlation
    analysis, ICML.
    """

    example_grid = tuple(
        {"n_components": r, "ridge": ridge} for r in (1, 2, None) for ridge in (0.0, 0.01, 1.0)
    )

    def _target(self, Y: Floats) -> Floats:
        return orthonormal_labels(Y)


class CCASVM(SVMProjection):
    """Canonical correlation analysis with a ridge, followed by a linear SVM for every label.

    Attributes
    ----------
    correlations_ : (r,) array
        The canonical correlations, shrunk by the ridge.

    References
    ----------
    Ji & Ye (2009), Linear dimensionality reduction for multi-label classification, IJCAI,
    section 5.
    """

    example_grid = (
        *({"ridge": ridge, "C": C} for ridge in (0.0, 1.0) for C in (0.1, 10.0)),
        {"n_components": 1, "loss": "squared_hinge"},
        {"n_components": 2, "scaled": True, "C": 3.0},
        {"n_components": 2, "scaled": False, "C": 3.0},
    )

    def _target(self, Y: Floats) -> Floats:
        return orthonormal_labels(Y)


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
