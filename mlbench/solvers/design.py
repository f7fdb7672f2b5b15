"""The design of several linear tasks: all on the same rows, or each on its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Matrix = Any  # (n, d) float64: an ndarray or a CSR matrix


class Design:
    """The linear map from coefficients (k, d) to the scores of all tasks, and its transpose.

    Scores are one flat array; those of task i are ``scores[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    n_tasks : int
        How many tasks share the rows; ignored if ``parts`` is given.
    parts : list of int arrays, optional
        The rows of each task, where every task has its own.
    """

    def __init__(self, X: Matrix, n_tasks: int, parts: list[Ints] | None = None) -> None:
        self.shared = parts is None
        self.blocks = [X] if parts is None else [X[rows] for rows in parts]
        self.transposed = [_transposed(block) for block in self.blocks]
        sizes = [X.shape[0]] * n_tasks if parts is None else [len(rows) for rows in parts]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.n_tasks = len(sizes)
        self.n_features = int(X.shape[1])

    def scores(self, W: Floats) -> Floats:
        """Return X_i w_i of all tasks: (N,)."""
        if self.shared:
            return _product(self.blocks[0], W.T).T.ravel()
        return np.concatenate([block @ w for block, w in zip(self.blocks, W, strict=True)])

    def back(self, c: Floats) -> Floats:
        """Return the (k, d) matrix of X_i' c_i."""
        if self.shared:
            return _product(self.transposed[0], c.reshape(self.n_tasks, -1).T).T
        pieces = np.split(c, self.offsets[1:-1])
        return np.stack(
            [turned @ piece for turned, piece in zip(self.transposed, pieces, strict=True)]
        )

    def norm(self) -> float:
        """Return the largest singular value of any task's X, from above within 1 %."""
        return 1.01 * max(
            _spectral_norm(block, turned)
            for block, turned in zip(self.blocks, self.transposed, strict=True)
        )


def _transposed(X: Matrix) -> Matrix:
    return X.T if isinstance(X, np.ndarray) else X.T.tocsr()


def _product(A: Matrix, B: Floats) -> Floats:
    return np.asarray(A @ B)


def _spectral_norm(X: Matrix, turned: Matrix) -> float:
    """Run the power method until its estimate has settled."""
    v = np.linspace(1.0, 2.0, X.shape[1])
    size = 0.0
    for _ in range(1000):
        length = float(np.linalg.norm(v))
        if length == 0:
            return 0.0
        v = turned @ (X @ (v / length))
        before, size = size, float(np.linalg.norm(v))
        if size - before <= 1e-4 * size:
            break
    return float(np.sqrt(size))
