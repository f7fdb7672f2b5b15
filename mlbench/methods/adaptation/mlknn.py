"""ML-kNN: neighbors vote, and a Bayesian rule weighs the votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from mlbench.methods.adaptation.neighbors import NeighborSearch
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(eq=False, repr=False)
class MLkNN(PathMethod):
    """ML-kNN: the posterior of a label given how many neighbors have it.

    The posterior of each label follows from its prior and from how often training rows with and
    without the label have that many neighbors with it. A row is not its own neighbor. Of rows at
    equal distance, the first in training is the neighbor.

    Parameters
    ----------
    k : int, default=10
        The number of neighbors, cut to the number of training rows minus one.
    s : float, default=1.0
        Smoothing: s is added to every count.
    normalize : {"minmax", None}, default="minmax"
        Scale every feature to the range 0 to 1 in training before distances are computed, as
        MULAN does.

    Attributes
    ----------
    k_effective_ : int
        The number of neighbors used.
    constant_labels_ : int array
        The labels with a single class in training. The rule gives them a constant score.

    References
    ----------
    Zhang & Zhou (2007), ML-KNN: a lazy learning approach to multi-label learning. Pattern
    Recognition 40, 2038-2048.
    """

    k: int = 10
    s: float = 1.0
    normalize: str | None = "minmax"

    example_grid = tuple({"k": k, "s": s} for k in (3, 7, 100) for s in (0.5, 1.0))

    _shared_parameters = ("normalize",)

    def _fit_group(
        self, group: list[tuple[int, Self]], X: Matrix, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all share one search for the largest number of neighbors."""
        scale = feature_scale(X, self.normalize)
        most = max(model.k_effective_ for _, model in group)
        search = NeighborSearch(scaled(X, scale), most)
        neighbors = search.nearest_others()
        for index, model in group:
            model.scale_, model.search_ = scale, search
            model._learn(neighbors, Y)
            yield index, model

    def _check_parameters(self) -> None:
        require_count(self, "k")
        require_positive(self, "s")
        require_one_of(self, "normalize", ("minmax", None))

    def _prepare(self, X: Matrix, Y: Ints) -> tuple[Matrix, Ints]:
        X, Y, _ = self._check_training(X, Y)
        self.k_effective_ = min(self.k, X.shape[0] - 1)
        return X, Y

    def _learn(self, neighbors: Ints, Y: Ints) -> None:
        n, n_labels = Y.shape
        k = self.k_effective_
        self._Y = Y
        votes = self._votes(neighbors)
        place = votes + (k + 1) * np.arange(n_labels)
        tables = [
            np.bincount(place.ravel(), weights=weights.ravel(), minlength=n_labels * (k + 1))
            for weights in (Y, 1 - Y)
        ]
        with_label, without = (table.reshape(n_labels, k + 1) for table in tables)
        self.prior_ = (self.s + Y.sum(axis=0)) / (2 * self.s + n)
        self.likelihood_ = self._smoothed(with_label)
        self.likelihood_without_ = self._smoothed(without)

    def _smoothed(self, counts: Ints | Floats) -> Floats:
        total = self.s * (self.k_effective_ + 1) + counts.sum(axis=1, keepdims=True)
        return np.asarray((self.s + counts) / total)

    def _votes(self, neighbors: Ints) -> Ints:
        """Return how many of its first k neighbors have each label, (m, number of labels)."""
        k = self.k_effective_
        near = neighbors[:, :k]
        starts = np.arange(0, near.size + 1, k)
        indicator = sparse.csr_matrix(
            (np.ones(near.size, dtype=np.int64), near.ravel(), starts),
            shape=(len(near), len(self._Y)),
        )
        return np.asarray(indicator @ self._Y)

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        votes = self._votes(self.search_.nearest(scaled(X, self.scale_)))
        labels = np.arange(votes.shape[1])
        positive = self.prior_ * self.likelihood_[labels, votes]
        negative = (1 - self.prior_) * self.likelihood_without_[labels, votes]
        return np.asarray(positive / (positive + negative))


def feature_scale(X: Matrix, normalize: str | None) -> Floats | None:
    """Return the reciprocal of the range of every feature; 0 for a constant feature."""
    if normalize is None:
        return None
    if sparse.issparse(X):
        span = (X.max(axis=0) - X.min(axis=0)).toarray().ravel()
    else:
        span = np.ptp(X, axis=0)
    return np.asarray(np.divide(1.0, span, out=np.zeros(len(span)), where=span > 0))


def scaled(X: Matrix, scale: Floats | None) -> Matrix:
    """Multiply the features by their scale; distances need no shift."""
    if scale is None:
        return X
    return sparse.csr_matrix(X.multiply(scale)) if sparse.issparse(X) else X * scale
