"""Scores of the classes or labels: the part of optimal scoring that does not look at X."""

import numpy as np
from scipy import linalg

from mlbench.solvers.arrays import Floats, Ints

_RANK = 1e-10
"""Eigenvalues of the labels' Gram matrix below this share of the largest count as 0."""

_EQUAL = 1e-9
_INERTIA = 1e-6
"""How strongly scores that the data do not decide stay what they were."""


class ScoreSpace:
    """The score matrices Theta (k, q) with ``(1/n) (Y Theta)'(Y Theta) = I``.

    With the thin singular value decomposition ``Y = Q S V'`` these are ``sqrt(n) V S^-1 R`` for
    the orthogonal R (q, q), and q is the rank of Y: with more columns the constraint cannot hold.

    Parameters
    ----------
    Y : (n, k) array
        The labels, centered or not.

    Attributes
    ----------
    rank : int
        q.
    """

    def __init__(self, Y: Floats) -> None:
        self._Y = Y
        self._n = len(Y)
        values, vectors = linalg.eigh(Y.T @ Y)
        kept = values > _RANK * max(values[-1], 1.0)
        self._s = np.sqrt(values[kept])
        self._V = vectors[:, kept]
        self.rank = int(kept.sum())

    def _theta(self, R: Floats) -> Floats:
        return np.asarray(np.sqrt(self._n) * (self._V / self._s) @ R)

    def symmetric_start(self) -> Floats:
        """Return the Theta whose targets ``Y Theta`` are closest to the labels, up to a factor.

        Where the labels depend on each other, q of them are taken: each time the one that varies
        most given those before.
        """
        columns = self._s[:, None] * self._V.T
        chosen = columns[:, _independent(columns, self.rank)]
        return self._theta(_polar(chosen))

    def first_rows_start(self) -> Floats:
        """Return ``sqrt(n) Y^+ E``, E the first q columns of the n x n identity (Algorithm 2)."""
        rows = self._Y[: self.rank]
        return np.asarray(np.sqrt(self._n) * (self._V / self._s**2) @ (self._V.T @ rows.T))

    def range_step(self, theta: Floats, cross: Floats) -> Floats:
        """Return the Theta that is best for given coefficients.

        Parameters
        ----------
        theta : (k, q) array
            The scores before; decides what the data leave open, such as the scores that belong to
            zero columns of B.
        cross : (k, q) array
            ``Y' X B``.
        """
        M = (self._V / self._s).T @ cross / np.sqrt(self._n)
        before = self._rotation(theta)
        size = linalg.norm(M)
        return self._theta(_polar(M / size + _INERTIA * before if size > 0 else before))

    def beyond(self, theta: Floats, before: Floats, factor: float) -> Floats:
        """Return the scores that lie beyond theta by a factor of the way from those before."""
        R = self._rotation(theta)
        return self._theta(_polar(R + factor * (R - self._rotation(before))))

    def _rotation(self, theta: Floats) -> Floats:
        return np.asarray(self._s[:, None] * (self._V.T @ theta) / np.sqrt(self._n))

    def procrustes_step(self, cross: Floats, gram: Floats) -> Floats:
        """Return the Theta of equation (9), which need not keep the constraint.

        Parameters
        ----------
        cross : (k, q) array
            ``Y' X B``.
        gram : (q, q) array
            ``B' X' X B``.
        """
        values, vectors = linalg.eigh(gram)
        kept = values > _RANK * values.max(initial=0)
        # sqrt(n) (Y'Y)^+ cross gram^(-1/2)
        root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
        return np.asarray(np.sqrt(self._n) * (self._V / self._s**2) @ (self._V.T @ cross) @ root)


def _polar(M: Floats) -> Floats:
    """Return the orthogonal matrix closest to M."""
    if M.size == 0:
        return M
    u, _, vt = linalg.svd(M)
    return np.asarray(u @ vt)


def _independent(columns: Floats, count: int) -> Ints:
    """Choose independent columns, the longest first; of equal ones the first."""
    rest = columns.copy()
    chosen: list[int] = []
    for _ in range(count):
        squares = (rest**2).sum(axis=0)
        squares[chosen] = -1
        best = int(np.flatnonzero(squares >= (1 - _EQUAL) * squares.max())[0])
        chosen.append(best)
        # one step of Gram and Schmidt: the others lose their part along the chosen column
        unit = rest[:, best] / np.sqrt(squares[best])
        rest -= np.outer(unit, unit @ rest)
    return np.sort(np.array(chosen, dtype=np.int64))
