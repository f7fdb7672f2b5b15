"""The design of several linear tasks: all on the same rows, or each on its own."""

from __future__ import annotations

import numpy as np

from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.jit import compiled, compiled_sums

_SPARSE_SHARE = 0.3
"""Sparse rows are added one by one if no more than this share of them has a weight."""


class Design:
    """The linear map from coefficients (k, d) to the scores of all tasks, and its transpose.

    Scores are one flat array; those of task i are ``scores[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    n_tasks : int
        The number of tasks that share the rows; ignored if ``parts`` is given.
    parts : list of int arrays, optional
        The rows of each task, if every task has its own.
    """

    def __init__(self, X: Matrix, n_tasks: int, parts: list[Ints] | None = None) -> None:
        self.shared = parts is None
        self.blocks = [X] if parts is None else [X[rows] for rows in parts]
        self.transposed = [_transposed(block) for block in self.blocks]
        sizes = [X.shape[0]] * n_tasks if parts is None else [len(rows) for rows in parts]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.n_tasks = len(sizes)
        self.n_features = int(X.shape[1])
        self._projection: GraphProjection | None = None

    def restrict(self, tasks: Ints) -> Design:
        """Return the design of some of the tasks, without copying data."""
        part = Design.__new__(Design)
        part.__dict__.update(self.__dict__)
        part.n_tasks = len(tasks)
        part._projection = None
        if self.shared:
            part.offsets = self.offsets[: len(tasks) + 1]
        else:
            part.blocks = [self.blocks[task] for task in tasks]
            part.transposed = [self.transposed[task] for task in tasks]
            sizes = np.diff(self.offsets)[tasks]
            part.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return part

    def restrict_values(self, tasks: Ints, values: Floats) -> Floats:
        """Return the flat values of some of the tasks."""
        if self.shared:
            return values.reshape(self.n_tasks, -1)[tasks].ravel()
        ends = self.offsets
        return np.concatenate([values[ends[task] : ends[task + 1]] for task in tasks])

    def scores(self, W: Floats) -> Floats:
        """Return X_i w_i of all tasks: (N,)."""
        if self.shared:
            return _times(W, self.transposed[0], self.blocks[0]).ravel()
        return np.concatenate([block @ w for block, w in zip(self.blocks, W, strict=True)])

    def adjoint(self, c: Floats) -> Floats:
        """Return the (k, d) matrix of X_i' c_i."""
        if self.shared:
            return _times(c.reshape(self.n_tasks, -1), self.blocks[0], self.transposed[0])
        pieces = np.split(c, self.offsets[1:-1])
        return np.stack(
            [transposed @ piece for transposed, piece in zip(self.transposed, pieces, strict=True)]
        )

    def sparse_adjoint(self, c: Floats) -> Floats:
        """Return `adjoint`, faster if most of c is 0."""
        if not self.shared:
            return self.adjoint(c)
        C, X = c.reshape(self.n_tasks, -1), self.blocks[0]
        if isinstance(X, np.ndarray):
            return _weighted_row_sums(C, X)
        if np.count_nonzero(C) > _SPARSE_SHARE * C.size:
            return self.adjoint(c)
        return _weighted_sparse_row_sums(C, X.indptr, X.indices, X.data, self.n_features)

    def block(self, i: int) -> Matrix:
        """Return the rows of task i."""
        return self.blocks[0 if self.shared else i]

    def transposed_block(self, i: int) -> Matrix:
        """Return the transpose of the rows of task i."""
        return self.transposed[0 if self.shared else i]

    def task_sums(self, values: Floats) -> Floats:
        """Return the sums of flat values (N,) over the rows of every task: (k,)."""
        sums = np.zeros(self.n_tasks)
        filled = np.flatnonzero(np.diff(self.offsets))
        if len(filled):
            sums[filled] = np.add.reduceat(values, self.offsets[filled])
        return sums

    def mean_square_norm(self) -> float:
        """Return the mean of the columns' sums of squares; columns of zeros are ignored."""
        squares = np.concatenate([_column_squares(block) for block in self.blocks])
        return float(squares.sum() / max(np.count_nonzero(squares), 1)) or 1.0

    def graph_projection(self, alpha: float) -> GraphProjection:
        """Return the projection onto {(W, s): s = scores(W)}; its factorization is cached."""
        if self._projection is None or self._projection.alpha != alpha:
            self._projection = GraphProjection(self, alpha)
        return self._projection


class GraphProjection:
    """The projection onto {(W, s): s_i = X_i w_i} in the norm alpha ||W||^2 + ||s||^2."""

    def __init__(self, design: Design, alpha: float) -> None:
        self.design = design
        self.alpha = alpha
        self.inverses = [
            _ridge_inverse(block, transposed, alpha)
            for block, transposed in zip(design.blocks, design.transposed, strict=True)
        ]

    def project(self, W: Floats, s: Floats) -> tuple[Floats, Floats]:
        """Return the point of the graph nearest to (W, s)."""
        right = self.alpha * W + self.design.adjoint(s)
        if self.design.shared:
            nearest = self._solve(0, right.T).T
        else:
            nearest = np.stack([self._solve(i, row) for i, row in enumerate(right)])
        return nearest, self.design.scores(nearest)

    def _solve(self, i: int, right: Floats) -> Floats:
        """Return (alpha I + X'X)^-1 right for a block's X."""
        block, transposed, inverse = (
            self.design.blocks[i],
            self.design.transposed[i],
            self.inverses[i],
        )
        if len(inverse) == block.shape[1]:
            return np.asarray(inverse @ right)
        # (alpha I + X'X)^-1 = (I - X' (alpha I + XX')^-1 X) / alpha
        inner = np.asarray(transposed @ (inverse @ (block @ right)))
        return np.asarray((right - inner) / self.alpha)


def weighted_gram(X: Matrix, weights: Floats) -> Floats:
    """Return X' diag(weights) X as a dense array."""
    if isinstance(X, np.ndarray):
        return np.asarray(X.T @ (weights[:, None] * X))
    return _weighted_sparse_gram(X.indptr, X.indices, X.data, weights, X.shape[1])


def _ridge_inverse(X: Matrix, transposed: Matrix, alpha: float) -> Floats:
    """Return (alpha I + X'X)^-1, or (alpha I + XX')^-1 if that is smaller."""
    gram = transposed @ X if X.shape[1] <= X.shape[0] else X @ transposed
    if not isinstance(gram, np.ndarray):
        gram = gram.toarray()
    return np.asarray(np.linalg.inv(gram + alpha * np.eye(len(gram))))


def _column_squares(X: Matrix) -> Floats:
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->j", X, X))
    return np.asarray(X.multiply(X).sum(axis=0)).ravel()


def _transposed(X: Matrix) -> Matrix:
    return np.ascontiguousarray(X.T) if isinstance(X, np.ndarray) else X.T.tocsr()


@compiled_sums
def _weighted_row_sums(C: Floats, X: Floats) -> Floats:
    """Return C X, skipping the rows of X with weight 0."""
    sums = np.zeros((C.shape[0], X.shape[1]))
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            if C[i, j] != 0.0:
                for feature in range(X.shape[1]):
                    sums[i, feature] += C[i, j] * X[j, feature]
    return sums


@compiled
def _weighted_sparse_row_sums(
    C: Floats, starts: Ints, features: Ints, values: Floats, n_features: int
) -> Floats:
    """Return C X of a CSR matrix X, skipping the rows of X with weight 0."""
    sums = np.zeros((C.shape[0], n_features))
    for i in range(C.shape[0]):
        row = sums[i]
        for j in range(C.shape[1]):
            weight = C[i, j]
            if weight != 0.0:
                for a in range(np.uint64(starts[j]), np.uint64(starts[j + 1])):
                    row[np.uint64(features[a])] += weight * values[a]
    return sums


@compiled
def _sparse_products(starts: Ints, features: Ints, values: Floats, A: Floats) -> Floats:
    """Return A X' of a CSR matrix X. Places are unsigned, so that none is checked for a minus."""
    products = np.empty((A.shape[0], len(starts) - 1))
    for i in range(A.shape[0]):
        row = A[i]
        for j in range(products.shape[1]):
            total = 0.0
            for a in range(np.uint64(starts[j]), np.uint64(starts[j + 1])):
                total += values[a] * row[np.uint64(features[a])]
            products[i, j] = total
    return products


@compiled_sums
def _weighted_sparse_gram(
    starts: Ints, features: Ints, values: Floats, weights: Floats, n_features: int
) -> Floats:
    """Return the weighted Gram matrix of a CSR matrix, row by row."""
    gram = np.zeros((n_features, n_features))
    for row in range(len(weights)):
        for a in range(np.uint64(starts[row]), np.uint64(starts[row + 1])):
            scaled = weights[row] * values[a]
            # the lower triangle: every unordered pair of entries once
            for b in range(np.uint64(starts[row]), a + np.uint64(1)):
                i, j = max(features[a], features[b]), min(features[a], features[b])
                twice = 2.0 if i == j and b < a else 1.0  # an entry that is stored in parts
                gram[np.uint64(i), np.uint64(j)] += twice * scaled * values[b]
    for i in range(n_features):
        gram[:i, i] = gram[i, :i]
    return gram


def _times(A: Floats, B: Matrix, transposed: Matrix) -> Floats:
    """Return A B."""
    if isinstance(B, np.ndarray):
        return np.asarray(A @ B)
    return _sparse_products(transposed.indptr, transposed.indices, transposed.data, A)
