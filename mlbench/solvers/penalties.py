"""Penalties of a coefficient matrix: value, dual norm and proximal step.

Coefficients are (k, d): one row per task, one column per feature.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Penalty(Protocol):
    """A norm of a (k, d) matrix, with what first-order methods need of it."""

    def value(self, W: Floats) -> float:
        """Return the norm."""

    def dual_norm(self, V: Floats) -> float:
        """Return the largest <V, W> over W of norm 1."""

    def prox(self, W: Floats, step: float) -> Floats:
        """Return the minimiser U of ``step * value(U) + 1/2 ||U - W||^2``."""


class L11:
    """The sum of absolute values: every coefficient is selected by itself."""

    def value(self, W: Floats) -> float:
        """Return sum |W_ij|."""
        return float(np.abs(W).sum())

    def dual_norm(self, V: Floats) -> float:
        """Return max |V_ij|."""
        return float(np.abs(V).max())

    def prox(self, W: Floats, step: float) -> Floats:
        """Return W with every entry moved towards 0 by ``step``."""
        return W - np.clip(W, -step, step)


class L21:
    """The sum over features of the 2-norm over tasks: features are selected for all tasks."""

    def value(self, W: Floats) -> float:
        """Return sum_j ||W[:, j]||_2."""
        return float(_column_norms(W).sum())

    def dual_norm(self, V: Floats) -> float:
        """Return max_j ||V[:, j]||_2."""
        return float(_column_norms(V).max())

    def prox(self, W: Floats, step: float) -> Floats:
        """Return W with the norm of every column lowered by ``step``."""
        norms = _column_norms(W)
        keep = np.maximum(norms - step, 0.0)
        return W * np.divide(keep, norms, out=np.zeros_like(norms), where=norms > 0)


class Trace:
    """The sum of singular values: the tasks share a subspace of low dimension."""

    def value(self, W: Floats) -> float:
        """Return the sum of the singular values."""
        return float(np.sqrt(np.maximum(np.linalg.eigvalsh(_small_gram(W)), 0.0)).sum())

    def dual_norm(self, V: Floats) -> float:
        """Return the largest singular value."""
        return float(np.sqrt(max(np.linalg.eigvalsh(_small_gram(V))[-1], 0.0)))

    def prox(self, W: Floats, step: float) -> Floats:
        """Return W with every singular value lowered by ``step``."""
        U, values, Vt = np.linalg.svd(W, full_matrices=False)
        keep = np.maximum(values - step, 0.0)
        return np.asarray((U * keep) @ Vt)


PENALTIES: dict[str, Penalty] = {"l11": L11(), "l21": L21(), "trace": Trace()}


def _column_norms(W: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", W, W)))


def _small_gram(W: Floats) -> Floats:
    return W @ W.T if W.shape[0] <= W.shape[1] else W.T @ W
