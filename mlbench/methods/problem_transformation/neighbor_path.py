"""Nearest neighbors with several k: one search for the largest k serves all, and all labels."""

from collections.abc import Sequence
from functools import cache
from numbers import Integral
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import validate_data
from threadpoolctl import ThreadpoolController

from mlbench.methods.memoize import LastResultCache
from mlbench.methods.problem_transformation.base_path import BasePath
from mlbench.solvers.arrays import Floats, Ints, Matrix


class NeighborPath(BasePath):
    """Classifiers of the same rows, for any classes, take their neighbors from one search."""

    parameter = "n_neighbors"
    values = Integral
    least = 1
    examples = (4, 1, 39, 7)
    others: ClassVar = {"weights": ("uniform",)}
    takes_chains = False

    def __init__(self, bases: Sequence[BaseEstimator], X: Matrix) -> None:
        super().__init__(bases, X)
        self._numbers = sorted(base.n_neighbors for base in bases if self._shares(base))
        self._search: NearestRows | None = None

    def fit(self, codes: Ints) -> list[BaseEstimator]:
        """Return classifiers that share a search, and other ones for very large k."""
        if not self._numbers:
            return super().fit(codes)
        widest = NeighborsOfPath(**self.bases[0].get_params(deep=False))
        widest.set_params(n_neighbors=self._numbers[-1]).fit(self.X, codes)
        if self._search is None:
            self._search = LastResultCache(SearchOfAll(widest, self._numbers))
        widest.search_ = self._search
        widest.codes_ = np.searchsorted(widest.classes_, codes)
        return [
            self._like(widest, base) if self._shares(base) else self._alone(base, codes)
            for base in self.bases
        ]

    def _shares(self, base: Any) -> bool:
        """Return whether scikit-learn chooses how to search without a look at k."""
        return bool(base.n_neighbors < self.X.shape[0] // 2)


NearestRows: TypeAlias = LastResultCache[dict[int, Ints]]
"""The indices of the nearest rows, (m, k), by k."""


class SearchOfAll:
    """A search for the nearest rows, for several k.

    Which of several rows at the k-th distance are among the nearest depends on k in scikit-learn,
    and on threads; there a search for k on one thread decides, as without a path.

    Parameters
    ----------
    widest
        The classifier of the largest k, fitted.
    numbers
        All values of k, ascending.
    """

    def __init__(self, widest: KNeighborsClassifier, numbers: Sequence[int]) -> None:
        self.widest = widest
        self.numbers = numbers

    def __call__(self, X: Matrix) -> dict[int, Ints]:
        """Return the indices of the nearest rows for every k."""
        distances, nearest = self.widest.kneighbors(X, self.numbers[-1])
        found = {}
        for k in self.numbers:
            found[k] = nearest[:, :k].copy()
            tied = (distances[:, k - 1 : k] == distances[:, k : k + 1]).any(axis=1)
            if tied.any():
                with _threads().limit(limits=1, user_api="openmp"):
                    found[k][tied] = self.widest.kneighbors(X[tied], k, return_distance=False)
        return found


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


class NeighborsOfPath(KNeighborsClassifier):  # type: ignore[misc]
    """A nearest neighbors classifier that shares the search for its neighbors."""

    search_: NearestRows | None = None
    codes_: Ints

    def predict_proba(self, X: Matrix) -> Floats:
        """Return the shares of the neighbors' classes, (m, C)."""
        if self.search_ is None:
            return super().predict_proba(X)  # type: ignore[no-any-return]
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        nearest = self.search_(X)[self.n_neighbors]
        n_rows, n_classes = X.shape[0], len(self.classes_)
        # One count for every pair (row, class): entry row * n_classes + class.
        places = self.codes_[nearest] + n_classes * np.arange(n_rows)[:, None]
        votes = np.bincount(places.ravel(), minlength=n_rows * n_classes)
        return np.asarray(votes.reshape(n_rows, n_classes) / self.n_neighbors)
