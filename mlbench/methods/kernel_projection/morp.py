"""The eigenproblem of multi-output regularized projection, from an eigenbasis of the inputs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.kernel_projection.base import KernelDirections
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis
from mlbench.methods.kernel_projection.low_rank_update import top_eigenpairs
from mlbench.methods.parameters import require_positive
from mlbench.solvers.arrays import Floats


class MORPModel(Protocol):
    """A method with the parameters of MORP."""

    beta: float
    gamma: float


def morp_directions(
    space: KernelEigenbasis,
    outputs: Floats,
    beta: float,
    gamma: float,
    n_wanted: int,
    solver: str = "exact",
) -> KernelDirections:
    """Find the directions of MORP.

    With the inputs' kernel ``K_x = U L U'``, outputs T of the same trace and
    ``K = (1 - beta) K_x + beta T T'``, they are

    - ``exact``: the smallest eigenvectors of ``K^(-1) + gamma K_x^(-1)``. Write c = 1 - beta, let
      R and s^2 be the eigenvectors and eigenvalues of ``T' K_x^(-1) T``, and
      ``t = c + beta s^2``. Then the inverse of that sum is, in the basis U,
      ``c / (1 + gamma c) L + U'T R diag(beta / ((1 + gamma c) (1 + gamma t))) R'T'U``: the
      rougher a combination of outputs is as a function of the inputs, the smaller its weight. One
      that is not a function of the inputs (part of it is outside U) has t = infinity and weight
      0; this is the pseudo-inverse of K on the span of U.
    - ``approx``: the largest eigenvectors v of K, with ``alpha = K_x^+ v``.
    - ``direct``: the largest eigenvectors of K among the vectors in the span of U.

    The last two take no gamma, and agree where K_x is regular.

    Parameters
    ----------
    space
        The inputs.
    outputs : (n, k) array
        Centered if the inputs are.
    beta
        Weight of the outputs in K, from 0 to 1.
    gamma
        Weight of the smoothness penalty, ``gamma K_x^(-1)``.
    n_wanted
        The largest number of directions.
    solver
        ``"exact"``, ``"approx"`` or ``"direct"``.

    References
    ----------
    Yu, Yu & Tresp (2005): (13) and (9) for ``exact``, the end of section 2.6 for ``approx``, (6)
    for ``direct``. The closed form of ``exact`` follows from Woodbury's identity.
    """
    values = space.values
    outputs = _scaled(outputs, values.sum())
    inside = space.vectors.T @ outputs
    outside = outputs - space.vectors @ inside
    floor = space.rank_tol * float((outputs**2).sum())
    rank = _gram_rank(outputs, floor)
    c = 1 - beta
    if solver == "exact":
        free = inside @ _null_space(outside, floor)
        s2, R = linalg.eigh(free.T @ (free / values[:, None]))
        weights = beta / ((1 + gamma * c) * (1 + gamma * (c + beta * np.maximum(s2, 0))))
        diagonal, factor = c / (1 + gamma * c) * values, free @ (R * np.sqrt(weights))
        n_free = _gram_rank(free, floor)
    else:
        basis = _range(outside, floor if solver == "approx" else np.inf)
        diagonal = np.concatenate([c * values, np.zeros(basis.shape[1])])
        factor = np.sqrt(beta) * np.vstack([inside, basis.T @ outside])
        n_free = rank if solver == "approx" else _gram_rank(inside, floor)
    found, vectors = top_eigenpairs(diagonal, factor, n_wanted)
    scale = max(found.max(initial=0), np.finfo(float).eps * values.max(initial=0))
    kept = found > space.rank_tol * scale
    found, vectors = found[kept], vectors[: len(values), kept]
    coefficients = vectors * np.sqrt(found) / values[:, None]
    return KernelDirections(coefficients, found, rank if beta > 0 else 0, n_free if beta > 0 else 0)


def require_beta_and_gamma(model: MORPModel) -> None:
    """Reject a beta outside [0, 1] and a negative gamma."""
    require_positive(model, "beta", "gamma", zero=True)
    if model.beta > 1:
        raise MethodError(
            f"{type(model).__name__}: beta must be a number from 0 to 1; got {model.beta!r}"
        )


def _scaled(outputs: Floats, trace: float) -> Floats:
    """Return the outputs, scaled so that the trace of ``T T'`` is the one given."""
    own = float((outputs**2).sum())
    return outputs * np.sqrt(trace / own) if own > 0 else outputs


def _gram_rank(T: Floats, floor: float) -> int:
    return int(np.sum(linalg.eigvalsh(T.T @ T) > floor))


def _null_space(T: Floats, floor: float) -> Floats:
    """Return an orthonormal basis of the combinations of columns that are 0."""
    values, vectors = linalg.eigh(T.T @ T)
    return np.asarray(vectors[:, values <= floor])


def _range(T: Floats, floor: float) -> Floats:
    """Return an orthonormal basis of the span of the columns."""
    vectors, singular, _ = linalg.svd(T, full_matrices=False)
    return np.asarray(vectors[:, singular**2 > floor])
