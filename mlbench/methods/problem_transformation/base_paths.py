"""Paths of base learners: models that differ in one parameter and share the work of their fits."""

from functools import cached_property
from numbers import Integral
from typing import ClassVar

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.base import BaseEstimator, clone

from mlbench.methods.problem_transformation.base_path import BasePath
from mlbench.solvers.arrays import Floats, Ints, Matrix


class ForestPath(BasePath):
    """The trees of a smaller forest are the first ones of a larger forest of the same seed."""

    parameter = "n_estimators"
    values = Integral
    least = 1
    examples = (3, 1, 5)
    others: ClassVar = {"oob_score": (False,)}

    def fit(self, codes: Ints) -> list[BaseEstimator]:
        """Fit the largest forest; the others take their trees from it."""
        largest = self._alone(max(self.bases, key=lambda base: base.n_estimators), codes)
        models = [self._like(largest, base) for base in self.bases]
        for model in models:
            model.estimators_ = largest.estimators_[: model.n_estimators]
        return models


class GaussianPath(BasePath):
    """Gaussian naive Bayes adds a share of the largest variance to all variances."""

    parameter = "var_smoothing"
    examples = (1e-3, 0.5)

    def fit(self, codes: Ints) -> list[BaseEstimator]:
        """Compute means and variances once."""
        fitted = clone(self.bases[0]).set_params(var_smoothing=0.0).fit(self.X, codes)
        models = [self._like(fitted, base) for base in self.bases]
        for model in models:
            model.epsilon_ = model.var_smoothing * self._largest_variance
            model.var_ = fitted.var_ + model.epsilon_
        return models

    @cached_property
    def _largest_variance(self) -> float:
        return np.var(self.X, axis=0).max()  # type: ignore[no-any-return]


class MultinomialPath(BasePath):
    """Multinomial naive Bayes adds ``alpha`` to all counts."""

    parameter = "alpha"
    least = 1e-10  # scikit-learn may replace smaller values
    examples = (1.0, 1e-3, 20.0)

    def fit(self, codes: Ints) -> list[BaseEstimator]:
        """Count once."""
        fitted = self._alone(self.bases[0], codes)
        models = [self._like(fitted, base) for base in self.bases]
        for model in models:
            counts = fitted.feature_count_ + model.alpha
            model.feature_log_prob_ = np.log(counts) - np.log(counts.sum(axis=1)[:, None])
        return models


class RidgePath(BasePath):
    """Ridge regression on dense features solves ``(X'X + alpha I) w = X'y``, or its dual.

    The products of features, or of rows, are computed once, and factored once for every alpha.
    """

    parameter = "alpha"
    least = np.finfo(np.float64).tiny
    examples = (1.0, 1e-3, 100.0)
    others: ClassVar = {
        "solver": ("auto", "cholesky"),
        "positive": (False,),
        "class_weight": (None,),
    }
    takes_sparse = False  # scikit-learn then iterates, to 1e-4

    def fit(self, codes: Ints) -> list[BaseEstimator]:
        """Solve for every alpha."""
        classes, first = np.unique(codes, return_index=True)
        template = clone(self.bases[0]).set_params(alpha=1.0).fit(self.X[first], codes[first])
        targets = np.where(codes[:, None] == (classes[1:] if len(classes) == 2 else classes), 1, -1)
        mean = targets.mean(axis=0) if template.fit_intercept else np.zeros(targets.shape[1])
        right = targets - mean if self._is_dual else self._centered.T @ (targets - mean)
        models = []
        for base, factor in zip(self.bases, self._factors, strict=True):
            if factor is None:
                models.append(self._alone(base, codes))
                continue
            solution = cho_solve(factor, right)
            coef = (self._centered.T @ solution if self._is_dual else solution).T
            model = self._like(template, base)
            model.coef_ = coef.reshape(template.coef_.shape)
            model.intercept_ = np.reshape(mean - coef @ self._mean, np.shape(template.intercept_))
            models.append(model)
        return models

    @property
    def _is_dual(self) -> bool:
        return bool(self.X.shape[1] > self.X.shape[0])

    @cached_property
    def _mean(self) -> Floats:
        fitted = self.bases[0].fit_intercept
        return np.asarray(self.X.mean(axis=0) if fitted else np.zeros(self.X.shape[1]))

    @cached_property
    def _centered(self) -> Floats:
        return np.asarray(self.X - self._mean)

    @cached_property
    def _products(self) -> Floats:
        rows = self._centered if self._is_dual else self._centered.T
        return np.asarray(rows @ rows.T)

    @cached_property
    def _factors(self) -> list[tuple[Floats, bool] | None]:
        return [self._factor(base.alpha) for base in self.bases]

    def _factor(self, alpha: float) -> tuple[Floats, bool] | None:
        """Return Cholesky's factor, or None if the matrix is singular but for rounding."""
        shifted = self._products.copy()
        shifted.flat[:: len(shifted) + 1] += alpha
        try:
            return cho_factor(shifted, overwrite_a=True)  # type: ignore[no-any-return]
        except LinAlgError:
            return None


_KINDS: dict[str, type[BasePath]] = {
    "RandomForestClassifier": ForestPath,
    "ExtraTreesClassifier": ForestPath,
    "GaussianNB": GaussianPath,
    "MultinomialNB": MultinomialPath,
    "RidgeClassifier": RidgePath,
}


def path_kind(base: BaseEstimator) -> type[BasePath]:
    """Return the path of a base learner; `BasePath` itself if it has none."""
    kind = BasePath
    if type(base).__module__.startswith("sklearn."):
        name = type(base).__name__
        kind = _neighbor_path() if name == "KNeighborsClassifier" else _KINDS.get(name, kind)
    return kind if kind.covers(base) else BasePath


def _neighbor_path() -> type[BasePath]:
    """Import the path of nearest neighbors only now, because scikit-learn's module takes long."""
    from mlbench.methods.problem_transformation.neighbor_path import NeighborPath

    return NeighborPath


def has_path(base: BaseEstimator, X: Matrix) -> bool:
    """Return whether models of a base learner can share work on such features."""
    kind = path_kind(base)
    return kind is not BasePath and (kind.takes_sparse or not sparse.issparse(X))
