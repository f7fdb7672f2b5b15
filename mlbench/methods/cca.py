"""Canonical correlation analysis of inputs and labels, and what is fitted to its features."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mlbench.methods.base import Floats
from mlbench.methods.linear_projection import LeastSquaresProjection
from mlbench.methods.svm_projection import SVMProjection

RANK_TOL = 1e-10
"""Eigenvalues of the labels' scatter up to this, relative to the largest, count as 0."""


def orthonormal_labels(Y: Floats) -> Floats:
    """Return an orthonormal basis of the centred labels' span.

    Of labels that are equal, complementary or otherwise dependent, what is dependent is left out.

    Parameters
    ----------
    Y : (n, k) array

    Returns
    -------
    (n, rank) array
    """
    centred = Y - Y.mean(axis=0)
    values, vectors = linalg.eigh(centred.T @ centred) if Y.shape[1] else (np.ones(0), np.eye(0))
    kept = values > RANK_TOL * values.max(initial=0.0)
    return np.asarray(centred @ (vectors[:, kept] / np.sqrt(values[kept])))


class CCALS(LeastSquaresProjection):
    """Canonical correlation analysis with a ridge, followed by least squares on the labels.

    The features are those that correlate best with some combination of the labels; all
    combinations count alike, however many rows they vary in. With all features it is ridge
    regression: a smaller ``n_components`` is what makes a difference.

    Parameters
    ----------
    n_components : int, optional
        The number of features; the rank of the labels, or of X if that is less, by default.
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
        The canonical correlations, shrunk by the ridge.
    ridge_ : float
        The penalty itself.
    r_effective_ : int
        The number of features.
    constant_labels_ : int array
        The labels of one class in training; their score is it.

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

    Parameters
    ----------
    n_components : int, optional
        The number of features; the rank of the labels, or of X if that is less, by default.
    ridge : float, default=0.01
        The penalty, as a multiple of the mean sum of squares of a feature that varies.
    C : float, default=1.0
        The weight of the loss.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What a margin below 1 costs: what it is short of 1, or its square.
    scaled : bool, default=False
        Multiply every feature by its correlation, so that the SVMs lean on the better ones.
        If not, all have (with a ridge: up to) unit variance.
    rank_tol : float, optional
        Singular values of X up to this, relative to the largest, count as 0; what is due to
        rounding by default.

    Attributes
    ----------
    svms_ : LabelSVMs
    mean_ : (d,) array
    scalings_ : (d, r) array
        `transform` is ``(X - mean_) @ scalings_``.
    correlations_ : (r,) array
        The canonical correlations, shrunk by the ridge.
    ridge_ : float
        The penalty itself.
    r_effective_ : int
        The number of features.
    constant_labels_ : int array
        The labels of one class in training; they score -1 or 1.

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

    def __init__(
        self,
        n_components: int | None = None,
        ridge: float = 1e-2,
        C: float = 1.0,
        loss: str = "hinge",
        scaled: bool = False,
        rank_tol: float | None = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.C = C
        self.loss = loss
        self.scaled = scaled
        self.rank_tol = rank_tol

    def _target(self, Y: Floats) -> Floats:
        return orthonormal_labels(Y)
