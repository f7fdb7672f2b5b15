"""InsDif: least squares on the distances between bags of differences and their medoids."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state

from mlbench.errors import MethodError
from mlbench.methods.base import MultiLabelMethod, RandomState
from mlbench.methods.kernels import squared_distances, squared_norms
from mlbench.methods.large_arrays import LargeArray
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.solvers.arrays import Floats, Ints, Matrix

_BLOCK = 2**22  # numbers held at a time besides the results
_ROUNDING = 1e-14  # relative error of a squared distance; below it rows count as equal
_ROUNDS = 100


@dataclass(eq=False, repr=False)
class InsDif(MultiLabelMethod):
    """Instance differentiation: distances between bags of differences, and least squares.

    The prototype of a label is the mean of the training rows that have it. A row is represented by
    the bag of its differences from all prototypes. Bags are clustered by k-medoids under the
    Hausdorff distance; the distances to the medoids are the new features, and a linear function of
    them is fitted to targets of -1 and 1 by least squares. Labels are predicted if their score is
    above 0.

    The bags of two rows x and z differ by a shift, and the Hausdorff distance between a finite set
    and its copy shifted by t is the length of t: no point is farther than that from its own copy,
    and the extreme point in the direction of t is at least that far from all copies. So the
    distance of two bags is the distance of x and z, whatever the prototypes are, and is computed as
    such. Labels then do not influence each other, although the method was proposed for that
    purpose.

    Labels with a single class in training are not fitted and score -1 or 1.

    Parameters
    ----------
    ratio : float, default=0.2
        The number of medoids as a share of the training rows; at least one medoid, and at most the
        number of distinct rows.
    intercept : bool, default=False
        Add a constant feature to the distances. The paper has none.
    random_state : int, optional
        Seed of the initial medoids.

    Attributes
    ----------
    medoids_ : (M,) int array
        The training rows whose bags are the medoids, ascending.
    coef_ : (k, M) array
    intercept_ : (k,) array
    fit_report_ : dict
        ``clustering_rounds``; ``medoids``; ``converged`` is False if the
        clustering reached its limit.
    constant_labels_ : int array
        The labels with a single class in training.

    Notes
    -----
    Memory: the n M distances from all rows to the medoids, twice (three times with an intercept),
    and blocks of 32 MB.

    References
    ----------
    Zhang & Zhou (2007), Multi-label learning by instance differentiation. AAAI, 669-674.
    """

    ratio: float = 0.2
    intercept: bool = False
    random_state: RandomState = None

    threshold = 0.0

    @property
    def large_arrays(self) -> tuple[LargeArray, ...]:
        """Distances from the training rows to the medoids."""
        copies = 3 if self.intercept else 2
        return (LargeArray("distances to medoids", "n", "n", copies, self.ratio),)

    def _check_parameters(self) -> None:
        require_positive(self, "ratio")
        require_one_of(self, "intercept", (True, False))
        if self.ratio > 1:
            raise MethodError(f"InsDif: ratio must be at most 1; got {self.ratio!r}")

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Find the medoids and fit the linear function.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
        """
        X, Y, _ = self._check_training(X, Y)
        self.medoids_, distances, rounds, converged = k_medoids(X, self._start(X))
        count = len(self.medoids_)
        self.fit_report_ = {"clustering_rounds": rounds, "medoids": count, "converged": converged}
        self._points = X[self.medoids_]
        design = np.column_stack([distances, np.ones(len(Y))]) if self.intercept else distances
        targets = 2.0 * Y - 1
        tolerance = max(design.shape) * np.finfo(np.float64).eps
        solution = linalg.lstsq(design, targets, cond=tolerance, check_finite=False)[0]
        self.coef_ = solution[:count].T.copy()
        self.intercept_ = solution[count:].sum(axis=0)
        self.coef_[self.constant_labels_] = 0
        self.intercept_[self.constant_labels_] = targets[0, self.constant_labels_]
        return self

    def _start(self, X: Matrix) -> Ints:
        """Draw the initial medoids, no two of them equal."""
        order = check_random_state(self.random_state).permutation(X.shape[0])
        count = max(1, round(self.ratio * X.shape[0]))
        return np.sort(first_of_equal_rows(X, order)[:count])

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        if sparse.issparse(self._points):
            X = sparse.csr_matrix(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return np.asarray(bag_distances(X, self._points) @ self.coef_.T + self.intercept_)


def bag_distances(X: Matrix, Z: Matrix) -> Floats:
    """Return the Hausdorff distances between the bags of two sets of rows, (n, m).

    They equal the Euclidean distances between the rows.
    """
    found = np.empty((X.shape[0], Z.shape[0]))
    norms = squared_norms(Z)
    step = max(1, _BLOCK // Z.shape[0])
    for start in range(0, len(found), step):
        block = X[start : start + step]
        squared = squared_distances(block, Z, norms)
        if sparse.issparse(Z):
            scale = squared_norms(block)[:, None] + norms
        else:
            mean = Z.mean(axis=0)
            scale = squared_norms(block - mean)[:, None] + squared_norms(Z - mean)
        squared[squared <= _ROUNDING * scale] = 0
        found[start : start + step] = np.sqrt(squared)
    return found


def first_of_equal_rows(X: Matrix, order: Ints) -> Ints:
    """Return the rows in this order, without duplicates of earlier ones."""
    if sparse.issparse(X):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        bounds = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        keys = [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in bounds]
    else:
        keys = [row.tobytes() for row in X + 0.0]  # -0.0 becomes 0.0
    first: dict[bytes, int] = {}
    for row in order:
        first.setdefault(keys[row], int(row))
    return np.array(list(first.values()), dtype=np.int64)


def k_medoids(X: Matrix, start: Ints) -> tuple[Ints, Floats, int, bool]:
    """Cluster rows around medoids, starting from given ones.

    Every row is assigned to its nearest medoid, and the member with the smallest sum of distances
    becomes the new medoid, until no medoid changes. Only distances to new medoids are computed.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    start : (M,) int array
        Distinct rows, so that no cluster is empty.

    Returns
    -------
    medoids : (M,) int array
        Ascending.
    distances : (n, M) array
        From every row to the medoids.
    rounds : int
    converged : bool
        False if the clustering ended after 100 rounds.
    """
    medoids = start.copy()
    distances = bag_distances(X, X[medoids])
    clusters_of_medoids = np.arange(len(medoids))
    rounds = 0
    converged = False
    while not converged and rounds < _ROUNDS:
        rounds += 1
        nearest = distances.argmin(axis=1)
        nearest[medoids] = clusters_of_medoids  # even if another medoid is equally near
        order = np.argsort(nearest, kind="stable")
        clusters = np.split(order, np.searchsorted(nearest[order], clusters_of_medoids[1:]))
        chosen = np.array(
            [_center(X, members, at) for members, at in zip(clusters, medoids, strict=True)]
        )
        moved = np.flatnonzero(chosen != medoids)
        converged = not len(moved)
        if not converged:
            medoids[moved] = chosen[moved]
            distances[:, moved] = bag_distances(X, X[medoids[moved]])
    ascending = np.argsort(medoids)
    return medoids[ascending], distances[:, ascending], rounds, converged


def _center(X: Matrix, members: Ints, medoid: int) -> int:
    """Return the member with the smallest sum of distances; on ties, the medoid itself."""
    if len(members) <= 2:
        return medoid
    rows = X[members]
    step = max(1, _BLOCK // len(members))
    sums = np.concatenate(
        [
            bag_distances(rows[start : start + step], rows).sum(axis=1)
            for start in range(0, len(members), step)
        ]
    )
    best = int(np.argmin(sums))
    gain = sums[np.searchsorted(members, medoid)] - sums[best]
    return int(members[best]) if gain > _ROUNDING * sums[best] else medoid
