"""Three ways to solve ``design' design T + T C = R`` for T."""

import warnings

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.solvers.arrays import Floats

NAIVE_LIMIT = 6000
"""The naive solver refuses systems with more unknowns, unless forced."""


def solve_naive(design: Floats, C: Floats, right: Floats, force: bool = False) -> Floats:
    """Solve the whole system of B k unknowns at once, in O(B^3 k^3).

    Parameters
    ----------
    design : (n, B) array
    C : (k, k) array, symmetric positive definite
    right : (B, k) array
    force
        Solve systems above `NAIVE_LIMIT` unknowns too.

    Raises
    ------
    MethodError
        The system is too large.
    """
    n_basis, n_labels = right.shape
    unknowns = n_basis * n_labels
    if unknowns > NAIVE_LIMIT and not force:
        raise MethodError(
            f"solver='naive' would need a {unknowns} x {unknowns} matrix "
            f"({8e-9 * unknowns**2:.1f} GB); use solver='eig', or force=True"
        )
    # vec(G T + T C) = (I (x) G + C (x) I) vec(T), columns of T one after the other; C is symmetric
    system = np.kron(np.eye(n_labels), design.T @ design)
    system += np.kron(C, np.eye(n_basis))
    solution = linalg.solve(system, right.T.ravel(), assume_a="pos", overwrite_a=True)
    return np.asarray(solution.reshape(n_labels, n_basis).T)


def solve_cg(
    design: Floats, C: Floats, right: Floats, tol: float = 1e-10, max_iter: int = 10_000
) -> tuple[Floats, int]:
    """Solve by conjugate gradients, in O(n B k + B k^2) a step.

    Parameters
    ----------
    design : (n, B) array
    C : (k, k) array, symmetric positive definite
    right : (B, k) array
    tol
        The residual at which to stop, relative to the right-hand side.
    max_iter
        The number of steps after which to stop with a ConvergenceWarning.
    """
    shape = right.shape

    steps = 0

    def count(_: Floats) -> None:
        nonlocal steps
        steps += 1

    def apply(flat: Floats) -> Floats:
        T = flat.reshape(shape)
        return (design.T @ (design @ T) + T @ C).ravel()

    operator = LinearOperator((right.size, right.size), matvec=apply, dtype=np.float64)
    solution, failed = cg(
        operator, right.ravel(), rtol=tol, atol=0.0, maxiter=max_iter, callback=count
    )
    if failed:
        warnings.warn(
            f"conjugate gradients stopped after {max_iter} steps before the residual fell to "
            f"{tol:g} of the right-hand side",
            ConvergenceWarning,
            stacklevel=2,
        )
    return np.asarray(solution.reshape(shape)), steps


def solve_diagonal(f: Floats, g: Floats, right: Floats) -> Floats:
    """Solve in the eigenvectors of ``design' design`` (values f) and of C (values g)."""
    return right / (f[:, None] + g[None, :])
