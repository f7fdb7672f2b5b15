"""Penalties of a coefficient matrix: value, dual norm and proximal step.

Coefficients are (k, d): one row per task, one column per feature.
"""

from typing import Protocol

import numpy as np

from mlbench.solvers.arrays import Floats


class ConvexPenalty(Protocol):
    """A convex, nonnegative penalty of a (k, d) matrix that is 0 at 0."""

    def value(self, W: Floats) -> float:
        """Return the penalty of W."""

    def prox(self, W: Floats, step: float | Floats) -> Floats:
        """Return the minimizer U of ``step * value(U) + 1/2 ||U - W||^2``."""

    def dual_bound(self, V: Floats, values: Floats) -> float:
        """Return the lower bound that a dual point gives.

        Parameters
        ----------
        V : (k, d) array
            Row i is X_i' q_i for q_i in the domain of the conjugate of task i's loss h_i.
        values : (k,) array
            At most -h_i*(q_i).

        Returns
        -------
        float
            sum_i t_i values_i - conjugate(diag(t) V) for some t_i in [0, 1], chosen to
            make it large. By weak duality it is at most min_W value(W) + sum_i h_i(X_i w_i),
            where the losses are nonnegative and reach 0.
        """


class Penalty(ConvexPenalty, Protocol):
    """A norm. Its conjugate is 0 in the unit ball of the dual norm and infinite outside."""

    def dual_norm(self, V: Floats) -> float:
        """Return the largest <V, W> over W of norm 1."""

    def values(self, W: Floats) -> Floats:
        """Return the separable parts of the norm of W.

        (k,) if the penalty is separable over tasks, (1,) if it couples them.
        """

    def dual_bounds(self, V: Floats, values: Floats) -> Floats:
        """Return the lower bound of every separable part; their sum is `dual_bound`."""


class L11:
    """The sum of absolute values: coefficients are selected individually."""

    def value(self, W: Floats) -> float:
        """Return sum |W_ij|."""
        return float(np.abs(W).sum())

    def values(self, W: Floats) -> Floats:
        """Return the sum of every row: the penalty is separable."""
        return np.asarray(np.abs(W).sum(axis=1))

    def dual_norm(self, V: Floats) -> float:
        """Return max |V_ij|."""
        return float(np.abs(V).max())

    def dual_bound(self, V: Floats, values: Floats) -> float:
        """Return the bound with every task scaled into the ball separately."""
        return float(self.dual_bounds(V, values).sum())

    def dual_bounds(self, V: Floats, values: Floats) -> Floats:
        """Return the bound of every task."""
        return np.asarray(values / np.maximum(np.abs(V).max(axis=1), 1.0))

    def prox(self, W: Floats, step: float | Floats) -> Floats:
        """Return W with every entry soft-thresholded by ``step``, which may differ by task."""
        return W - np.clip(W, -step, step)


class _CoupledNorm:
    """A norm that is not separable over tasks."""

    def value(self, W: Floats) -> float:
        raise NotImplementedError

    def dual_norm(self, V: Floats) -> float:
        raise NotImplementedError

    def dual_bound(self, V: Floats, values: Floats) -> float:
        """Return the bound with V scaled into the ball."""
        return float(values.sum() / max(self.dual_norm(V), 1.0))

    def values(self, W: Floats) -> Floats:
        """Return the norm of W: the penalty couples the tasks."""
        return np.array([self.value(W)])

    def dual_bounds(self, V: Floats, values: Floats) -> Floats:
        """Return the single bound."""
        return np.array([self.dual_bound(V, values)])


class L21(_CoupledNorm):
    """The sum over features of the 2-norm over tasks: features are selected for all tasks."""

    def value(self, W: Floats) -> float:
        """Return sum_j ||W[:, j]||_2."""
        return float(_column_norms(W).sum())

    def dual_norm(self, V: Floats) -> float:
        """Return max_j ||V[:, j]||_2."""
        return float(_column_norms(V).max())

    def prox(self, W: Floats, step: float | Floats) -> Floats:
        """Return W with the norm of every column lowered by ``step``."""
        norms = _column_norms(W)
        keep = np.maximum(norms - step, 0.0)
        return W * np.divide(keep, norms, out=np.zeros_like(norms), where=norms > 0)


class Trace(_CoupledNorm):
    """The sum of singular values: the tasks share a subspace of low dimension."""

    def value(self, W: Floats) -> float:
        """Return the sum of the singular values."""
        return float(np.linalg.svd(W, compute_uv=False).sum())

    def dual_norm(self, V: Floats) -> float:
        """Return the largest singular value."""
        return float(np.sqrt(max(np.linalg.eigvalsh(_small_gram(V))[-1], 0.0)))

    def prox(self, W: Floats, step: float | Floats) -> Floats:
        """Return W with every singular value lowered by ``step``."""
        U, values, Vt = np.linalg.svd(W, full_matrices=False)
        keep = np.maximum(values - step, 0.0)
        return np.asarray((U * keep) @ Vt)


PENALTIES: dict[str, Penalty] = {"l11": L11(), "l21": L21(), "trace": Trace()}


def _column_norms(W: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", W, W)))


def _small_gram(W: Floats) -> Floats:
    return W @ W.T if W.shape[0] <= W.shape[1] else W.T @ W
