"""Base classes of the linear projections: all use one singular value decomposition of X."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg

from mlbench.methods.base import TransformerMethod, grouped_by
from mlbench.methods.large_arrays import SINGULAR_VECTORS
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethod
from mlbench.methods.projection.centered_svd import CenteredSVD, centered_svd
from mlbench.methods.svm.one_vs_rest import LOSSES, label_svms_path
from mlbench.solvers.arrays import Floats, Ints, Matrix

SMALLEST = 1e-10
"""Correlations up to this count as 0, relative to the largest."""


@dataclass(frozen=True)
class RidgeDirections:
    """Directions Q with ``Q'(X'X + mu I)Q = I`` for centered X, the best r of them first.

    They maximize ``tr((Q'(X'X + mu I)Q)^-1 Q'X'TT'X Q)`` for every r.

    Attributes
    ----------
    in_left_basis : (rank, q) array
        ``U'XQ`` for ``X = U S V'``: the features of the training rows are U times it.
    Q : (d, q) array
    correlations : (q,) array
        The roots of the eigenvalues, descending; none is 0.
    """

    in_left_basis: Floats
    Q: Floats
    correlations: Floats


def best_directions(svd: CenteredSVD, target: Floats, mu: float) -> RidgeDirections:
    """Find the directions in which a target depends on X the most, under a ridge mu.

    Parameters
    ----------
    svd : CenteredSVD
    target : (rank, q) array
        ``U'T`` for a target T of the training rows.
    mu : float

    References
    ----------
    Ji & Ye (2009), Linear dimensionality reduction for multi-label classification, IJCAI,
    equation (8).
    """
    scale = 1 / np.sqrt(svd.s**2 + mu)
    A, g, _ = linalg.svd((svd.s * scale)[:, None] * target, full_matrices=False)
    count = int((g > max(SMALLEST * g.max(initial=0.0), np.finfo(float).tiny)).sum())
    A = scale[:, None] * A[:, :count]
    Q = svd.V @ A
    signs = np.sign(Q[np.abs(Q).argmax(axis=0), np.arange(count)])
    return RidgeDirections(svd.s[:, None] * A * signs, Q * signs, g[:count])


@dataclass(eq=False, repr=False)
class LinearProjection(PathMethod, TransformerMethod):
    """Base class of the methods that predict from r linear features, regularized by a ridge.

    A subclass implements `_target`, the matrix that the features approximate, and `_finish`, which
    fits the labels to the features.

    Parameters
    ----------
    n_components : int, optional
        The number of features; by default the rank of the labels, or of X if that is less.
    ridge : float, default=0.01
        Weight of the ridge, ``X'X + mu I``: mu is ridge times the mean sum of squares of the
        features that vary.
    rank_tol : float, optional
        Singular values of X at most this share of the largest count as 0; by default those within
        rounding error.

    Attributes
    ----------
    mean_ : (d,) array
        Of the training rows.
    scalings_ : (d, r) array
        `transform` is ``(X - mean_) @ scalings_``. The features have a mean of 0 and, without a
        ridge, a variance of 1 in training: ``Q = scalings_ / sqrt(n)`` has
        ``Q'(X'X + ridge_ I)Q = I`` for centered X.
    correlations_ : (r,) array
        The correlation of each feature with the target; at most 1 without a ridge and with a
        target of orthonormal columns.
    ridge_ : float
        The value mu that is added to the diagonal of X'X.
    r_effective_ : int
        The number of features: ``n_components``, or the number available if that is less.
    constant_labels_ : int array
        The labels with a single class in training, which is their score.
    """

    n_components: int | None = None
    ridge: float = 1e-2
    _: KW_ONLY
    rank_tol: float | None = None

    large_arrays = SINGULAR_VECTORS
    _shared_parameters = ("rank_tol",)
    _target_parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that change the target."""

    def _target(self, Y: Floats) -> Floats:
        """Return the (n, q) target of labels that have two classes each."""
        raise NotImplementedError

    def _finish(
        self, group: Sequence[tuple[int, Self]], features: Floats, svd: CenteredSVD, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Fit the labels; the models of the group have equal projections.

        ``features`` are the (n, r) of the training rows, as `transform` gives them.
        """
        raise NotImplementedError

    def _check_parameters(self) -> None:
        require_positive(self, "ridge", zero=True)
        if self.n_components is not None:
            require_count(self, "n_components")
        if self.rank_tol is not None:
            require_positive(self, "rank_tol")

    def _fit_group(
        self, group: list[tuple[int, Self]], X: Matrix, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all share one singular value decomposition of X."""
        svd = centered_svd(X, self.rank_tol)
        varied = np.setdiff1d(np.arange(Y.shape[1]), self.constant_labels_)
        n = len(Y)
        for same_target in grouped_by(group, self._target_parameters):
            target = svd.U.T @ same_target[0][1]._target(Y[:, varied].astype(np.float64))
            for same_ridge in grouped_by(same_target, ("ridge",)):
                mu = float(same_ridge[0][1].ridge) * svd.mean_square
                found = best_directions(svd, target, mu)
                scalings = np.sqrt(n) * found.Q
                rows = svd.U @ (np.sqrt(n) * found.in_left_basis)
                for _, model in same_ridge:
                    r = len(found.correlations)
                    r = r if model.n_components is None else min(r, int(model.n_components))
                    model.mean_, model.ridge_, model.r_effective_ = svd.mean, mu, r
                    model.scalings_ = np.ascontiguousarray(scalings[:, :r])
                    model.correlations_ = found.correlations[:r]
                for equal in grouped_by(same_ridge, ("r_effective_",)):
                    yield from self._finish(equal, rows[:, : equal[0][1].r_effective_], svd, Y)

    def _features(self, X: Matrix) -> Floats:
        return np.asarray(X @ self.scalings_ - self.mean_ @ self.scalings_)

    @property
    def _n_features_out(self) -> int:
        return int(self.r_effective_)


class LeastSquaresProjection(LinearProjection):
    """Base class of the projections followed by least squares on the label indicators.

    Minimizes ``||X Q W - Y||^2 + mu ||W||^2`` over W, for centered X and Y and ``Q'Q = I``; the fit
    depends only on the span of Q. Scores are fitted indicators; the threshold is 1/2.

    Attributes
    ----------
    coef_ : (k, d) array
    intercept_ : (k,) array
    """

    def _finish(
        self, group: Sequence[tuple[int, Self]], features: Floats, svd: CenteredSVD, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        weights = features.T @ (Y - Y.mean(axis=0)) / len(Y)
        for index, model in group:
            model.coef_ = (model.scalings_ @ weights).T
            model.intercept_ = Y.mean(axis=0) - model.coef_ @ svd.mean
            yield index, model

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return np.asarray(X @ self.coef_.T + self.intercept_)


@dataclass(eq=False, repr=False)
class SVMProjection(LinearProjection):
    """Base class of the projections with `LabelSVMs` on their features.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss of every SVM, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss of the SVMs: ``max(0, 1 - m)`` of the margin m, or its square.
    scaled : bool, default=False
        Multiply every feature by its correlation, which favors the features with higher ones. If
        False, all features have variance 1, or less with a ridge.

    Attributes
    ----------
    svms_ : LabelSVMs
    fit_report_ : dict
        ``gap``, the largest relative duality gap of an SVM; ``converged``.
    constant_labels_ : int array
        The labels with a single class in training; they score -1 or 1.
    """

    C: float = 1.0
    loss: str = "hinge"
    scaled: bool = False

    threshold = 0.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "C")
        require_one_of(self, "loss", LOSSES)
        require_one_of(self, "scaled", (True, False))

    def _finish(
        self, group: Sequence[tuple[int, Self]], features: Floats, svd: CenteredSVD, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        for same in grouped_by(group, ("scaled", "loss")):
            same.sort(key=lambda item: float(item[1].C))
            first = same[0][1]
            scale = first.correlations_ if first.scaled else np.ones(first.r_effective_)
            machines = label_svms_path(
                features * scale, Y, [model.C for _, model in same], first.loss
            )
            for (index, model), svms in zip(same, machines, strict=True):
                model.scalings_ = model.scalings_ * scale
                model.svms_ = svms
                yield index, model

    @property
    def fit_report_(self) -> dict[str, Any]:
        """The number of features, and how well the machines on them were fitted."""
        return {
            "components": int(self.r_effective_),
            "gap": float(self.svms_.gap_),
            "converged": bool(self.svms_.converged_),
        }

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return np.asarray(self.svms_.decision_function(self._features(X)))
