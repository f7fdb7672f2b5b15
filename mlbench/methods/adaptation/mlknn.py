"""ML-kNN, and the search for the nearest training rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from scipy import sparse

from mlbench.methods.kernels import squared_distances, squared_norms
from mlbench.methods.large_arrays import DISTANCES
from mlbench.methods.memoize import LastResultCache
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix

_BLOCK = 2**22  # numbers held at a time
_ROUNDING = 1e-11  # relative error that a product of rows may have


class NeighborSearch:
    """Search for the nearest rows of a set by Euclidean distance; ties go to the first row.

    Distances come from one matrix product per block. Those near the k-th smallest are recomputed
    from the differences, so that ties do not depend on the block.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    k
        The number of neighbors, at most n.
    """

    def __init__(self, X: Matrix, k: int) -> None:
        self.X = X
        self.k = k
        self._norms = squared_norms(X)
        self.nearest = LastResultCache(self._nearest)

    def nearest_others(self) -> Ints:
        """Return the k nearest other rows of every row of the set, (n, k), nearest first."""
        return self._search(self.X, leave_out=True)

    def _nearest(self, X: Matrix) -> Ints:
        """Return the k nearest rows of the set for every row of X, (m, k), nearest first."""
        return self._search(X, leave_out=False)

    def _search(self, X: Matrix, leave_out: bool) -> Ints:
        n_rows = X.shape[0]
        found = np.empty((n_rows, self.k), dtype=np.int64)
        step = max(1, _BLOCK // self.X.shape[0])
        for start in range(0, n_rows, step):
            block = _like(self.X, X[start : start + step])
            squared = squared_distances(block, self.X, self._norms)
            if leave_out:
                own = np.arange(len(squared))
                squared[own, start + own] = np.inf
            bound = np.partition(squared, self.k - 1, axis=1)[:, self.k - 1]
            bound += _ROUNDING * (squared_norms(block) + self._norms.max())
            rows, candidates = np.nonzero(squared <= bound[:, None])
            exact = self._exact(block, rows, candidates)
            order = np.lexsort((candidates, exact, rows))
            first = np.searchsorted(rows[order], np.arange(len(squared)))
            found[start : start + step] = candidates[order][first[:, None] + np.arange(self.k)]
        return found

    def _exact(self, X: Matrix, rows: Ints, candidates: Ints) -> Floats:
        exact = np.empty(len(rows))
        step = max(1, _BLOCK // X.shape[1])
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            exact[part] = squared_norms(X[rows[part]] - self.X[candidates[part]])
        return exact


def _like(model: Matrix, X: Matrix) -> Matrix:
    """Return X as a sparse matrix if the other matrix is sparse, else as a dense one."""
    if sparse.issparse(model):
        return sparse.csr_matrix(X)
    return X.toarray() if sparse.issparse(X) else X


@dataclass(eq=False, repr=False)
class MLkNN(PathMethod):
    """ML-kNN: the posterior of a label given how many neighbors have it.

    The posterior of each label follows from its prior and from how often training rows with and
    without the label have that many neighbors with it. A row is not its own neighbor. Of rows at
    equal distance, the first in training is the neighbor. Equal posteriors have equal bits.

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
    posterior_ : (number of labels, ``k_effective_`` + 1) array
        The posterior of each label for each number of neighbors that have it.
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

    revision = 2
    takes_bytes = True
    large_arrays = DISTANCES

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
        n_labels = Y.shape[1]
        k = self.k_effective_
        self._Y = sparse.csr_matrix(Y, dtype=np.int64)
        with_label, without = np.zeros((2, n_labels * (k + 1)), dtype=np.int64)
        step = max(1, _BLOCK // n_labels)
        for start in range(0, len(Y), step):
            part = slice(start, start + step)
            place = self._votes(neighbors[part]) + (k + 1) * np.arange(n_labels)
            has = Y[part] == 1
            with_label += np.bincount(place[has], minlength=len(with_label))
            without += np.bincount(place[~has], minlength=len(without))
        with_label, without = (table.reshape(n_labels, k + 1) for table in (with_label, without))
        self.posterior_ = posteriors(with_label, without, self.s)

    def _votes(self, neighbors: Ints) -> Ints:
        """Return how many of its first k neighbors have each label, (m, number of labels)."""
        k = self.k_effective_
        near = neighbors[:, :k]
        starts = np.arange(0, near.size + 1, k)
        indicator = sparse.csr_matrix(
            (np.ones(near.size, dtype=np.int64), near.ravel(), starts),
            shape=(len(near), self._Y.shape[0]),
        )
        return np.asarray((indicator @ self._Y).toarray())

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        votes = self._votes(self.search_.nearest(scaled(X, self.scale_)))
        return np.asarray(self.posterior_[np.arange(votes.shape[1]), votes])


def posteriors(with_label: Ints, without: Ints, s: float) -> Floats:
    """Return the posterior of each label for each number of votes, an exact fraction rounded once.

    Let c(v) training rows with a label have v votes, P in all; without it, d(v) and N. Of n rows
    and v from 0 to k, the posterior is a / (a + b), where a and b share a denominator:

        a = (s + P) / (2 s + n) * (s + c(v)) / (s (k + 1) + P)
        b = (s + N) / (2 s + n) * (s + d(v)) / (s (k + 1) + N)

    With s = p/q, integers follow, which Python divides with a single rounding.
    """
    p, q = Fraction(str(s)).as_integer_ratio()
    c, d = q * with_label.astype(object), q * without.astype(object)
    P, N = c.sum(axis=1, keepdims=True), d.sum(axis=1, keepdims=True)
    smoothing = p * c.shape[1]
    a = (p + P) * (p + c) * (smoothing + N)
    b = (p + N) * (p + d) * (smoothing + P)
    return np.asarray(a / (a + b), dtype=np.float64)


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
