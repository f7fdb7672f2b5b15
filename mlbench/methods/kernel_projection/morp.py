"""Multi-output regularized projection: its eigenproblem, and its linear form."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from mlbench.errors import MethodError
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis, LinearEigenbasis
from mlbench.methods.kernel_projection.projected_svms import KernelDirections, ProjectedSVMs
from mlbench.methods.large_arrays import EIGENBASIS
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.solvers.arrays import Floats, Matrix

DENSE = 300
"""Up to this order the matrix is formed and decomposed."""


def top_eigenpairs(diagonal: Floats, factor: Floats, n_wanted: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of ``diag(d) + F F'``, descending, and their eigenvectors.

    A Lanczos process needs O(m q) a step and never forms the matrix. A count of the eigenvalues
    by Sylvester's law of inertia shows whether it missed one, as it can where some are equal. The
    matrix is then decomposed.

    Parameters
    ----------
    diagonal : (m,) array
    factor : (m, q) array
    n_wanted
        How many; at most m are returned.
    """
    order = len(diagonal)
    n_wanted = min(n_wanted, order)
    if n_wanted == 0:
        return np.zeros(0), np.zeros((order, 0))
    if order > DENSE and 5 * n_wanted <= order and 2 * factor.shape[1] <= order:
        found = _lanczos(diagonal, factor, n_wanted)
        if found is not None:
            return found
    whole = factor @ factor.T
    whole[np.diag_indices(order)] += diagonal
    wanted = [order - n_wanted, order - 1]
    values, vectors = linalg.eigh(whole, subset_by_index=wanted, overwrite_a=True)
    return values[::-1], vectors[:, ::-1]


def count_above(diagonal: Floats, factor: Floats, bound: float) -> int:
    """Return how many eigenvalues of ``diag(d) + F F'`` are above a bound.

    The bound must not be one of the diagonal's entries.
    """
    # [[diag(d) - b I, F], [F', -I]] has as many positive eigenvalues as diag(d) - b I and its Schur
    # complement, -inner, together; and as -I and its Schur complement, diag(d) + F F' - b I.
    inner = np.eye(factor.shape[1]) - factor.T @ (factor / (bound - diagonal)[:, None])
    return int(np.sum(diagonal > bound) + np.sum(linalg.eigvalsh(inner) < 0))


def _lanczos(diagonal: Floats, factor: Floats, n_wanted: int) -> tuple[Floats, Floats] | None:
    order = len(diagonal)
    operator = LinearOperator(
        (order, order),
        matvec=lambda v: diagonal * v.ravel() + factor @ (factor.T @ v.ravel()),
        dtype=np.float64,
    )
    start = np.random.RandomState(0).uniform(-1, 1, order)
    try:
        values, vectors = eigsh(operator, n_wanted, which="LA", v0=start, tol=0)
    except ArpackError:
        return None
    # More eigenvalues above a bound next to the least one than were found: one was missed.
    bound = values[0] + 1e-10 * abs(values[-1])
    if (diagonal == bound).any():
        return None
    if count_above(diagonal, factor, bound) != np.sum(values > bound):
        return None
    return values[::-1], vectors[:, ::-1]


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


@dataclass(eq=False, repr=False)
class LinearMORPSVM(ProjectedSVMs):
    """Linear MORP: linear features that explain inputs and labels together, then linear SVMs.

    This is kernel MORP with the kernel ``X X'``. With more rows than features, labels are in
    general not linear functions of the features, and ``form="inverse"`` is then PCA, whatever the
    labels: it warns.

    Parameters
    ----------
    beta : float, default=0.5
        Weight of the labels in ``K = (1 - beta) X X' + beta T T'``, where T are the labels: 0 is
        PCA; 1 uses the labels only and has at most as many features as their rank.
    gamma : float, default=0.001
        Weight of the smoothness penalty ``gamma (X X')^(-1)`` of ``form="inverse"``.
    form : {"inverse", "direct"}, default="inverse"
        Equation (9) of the paper with the pseudo-inverse of K, or (6), which has no penalty.

    References
    ----------
    Yu, Yu & Tresp (2005), Multi-output regularized projection, equations (4) to (9).
    """

    beta: float = 0.5
    gamma: float = 1e-3
    form: str = "inverse"

    _rank_warning_hint = 'form="direct" uses the part that is.'
    large_arrays = EIGENBASIS
    _shared_parameters = ("center", "rank_tol")
    _direction_parameters = ("beta", "gamma", "form")

    example_grid = (
        *({"beta": b, "form": f, "C": 10.0} for b in (0.0, 0.9) for f in ("inverse", "direct")),
        {"n_components": 2, "form": "direct", "loss": "squared_hinge"},
        {"n_components": 3, "form": "direct", "C": 0.1},
        {"center": False},
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_beta_and_gamma(self)
        require_one_of(self, "form", ("inverse", "direct"))
        require_one_of(self, "center", (True, False))
        require_positive(self, "rank_tol")

    def _eigenbasis(self, measured: Matrix) -> LinearEigenbasis:
        return LinearEigenbasis(measured, self.center, self.rank_tol)

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        solver = "exact" if self.form == "inverse" else "direct"
        target = outputs - outputs.mean(axis=0) if self.center else outputs
        return morp_directions(space, target, self.beta, self.gamma, n_wanted, solver)
