"""The multi-label least-squares probabilistic classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.kernels import GaussianBasis, gram_eigenpairs
from mlbench.methods.lspc.lspc import LeastSquaresProbabilistic
from mlbench.methods.lspc.sylvester import solve_cg, solve_diagonal, solve_naive
from mlbench.methods.parameters import (
    require_count,
    require_one_of,
    require_positive,
    require_symmetric,
)
from mlbench.solvers.arrays import Floats, Ints, Matrix

SIMILARITIES = ("pearson", "abs_pearson", "cosine")
SOLVERS = ("eig", "cg", "naive")


@dataclass(eq=False, repr=False)
class MultiLabelLSPC(LeastSquaresProbabilistic):
    """Multi-label LSPC: the coefficients of similar labels are pulled toward each other.

    The coefficients T solve ``K^2 T + T C = K Y`` with ``C = lam I + gamma L``, where L is the
    Laplacian of the label similarities. With ``gamma=0`` this is `LSPC`; a large gamma makes the
    scores of all similar labels equal.

    Parameters
    ----------
    lam : float, default=0.1
        Weight of the penalty ``lam * ||t_j||^2`` of the coefficients t_j of every label j.
    gamma : float, default=0.1
        Weight of the penalty ``gamma * W_ij * ||t_i - t_j||^2`` of every pair of labels, where
        W_ij is their similarity.
    similarity : {"pearson", "abs_pearson", "cosine"} or (k, k) matrix, default="pearson"
        The similarity of two labels: their correlation in training, negative values set to 0, as
        in the paper; its absolute value; or the cosine of their columns.
    solver : {"eig", "cg", "naive"}, default="eig"
        Eigendecompositions of K and L; conjugate gradients; or the whole system at once, for
        comparison only, which rejects more than 6000 unknowns.
    tol : float, default=1e-10
        Relative residual at which conjugate gradients stop.
    max_iter : int, default=10000
        Number of steps after which they stop with a warning.
    force : bool, default=False
        Let the naive solver take a system of any size.

    Attributes
    ----------
    similarity_ : (k, k) array
    n_iter_ : int
        The steps of conjugate gradients; 1 for the other solvers.

    References
    ----------
    Section 5 of Nam, Hachiya & Sugiyama, Computationally efficient multi-label classification
    by least-squares probabilistic classifiers.
    """

    lam: float = 0.1
    gamma: float = 0.1
    similarity: str | ArrayLike = "pearson"
    solver: str = "eig"
    tol: float = 1e-10
    max_iter: int = 10_000
    force: bool = False

    _shared_parameters = ("n_basis", "random_state", "width", "solver")

    example_grid = (
        *({"width": w, "lam": lam, "gamma": 1.0} for w in (0.5, 1.0) for lam in (0.01, 1.0)),
        {"gamma": 0.0},
        {"similarity": "cosine"},
        {"solver": "naive"},
        {"similarity": "cosine", "n_basis": 15, "random_state": 3},
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "lam", "tol")
        require_positive(self, "gamma", zero=True)
        require_one_of(self, "solver", SOLVERS)
        require_count(self, "max_iter")
        require_one_of(self, "force", (True, False))
        if not isinstance(self.similarity, str) or self.similarity not in SIMILARITIES:
            require_symmetric(self, "similarity", f"one of {', '.join(SIMILARITIES)}")

    def _fit_models(
        self, models: Sequence[MultiLabelLSPC], design: Floats, Y: Ints, tasks: Ints | None
    ) -> Iterator[MultiLabelLSPC]:
        right = design.T @ np.column_stack([Y, np.ones(len(Y))])
        by_eigen: _Eigen | None = None
        for model in models:
            model.similarity_ = label_similarity(Y, model.similarity)
            model.n_iter_ = 1
            if model.solver == "eig":
                if by_eigen is None:
                    by_eigen = _Eigen(design, right, model.basis_)
                model.basis_ = by_eigen.basis
                model.coefficients_ = by_eigen.solve(model)
            else:
                model.coefficients_ = _solve_whole(model, design, right)
            yield model

    def _class_fits(self, X: Matrix, tasks: Ints | None) -> tuple[Floats, Floats]:
        fits = self.basis_(X) @ self.coefficients_
        return fits[:, :-1], fits[:, -1:]


class _Eigen:
    """The solver "eig" at one width: it keeps all that does not depend on lam and gamma."""

    def __init__(self, design: Floats, right: Floats, basis: GaussianBasis) -> None:
        symmetric = len(design) == basis.centers.points.shape[0]
        self._f, V = gram_eigenpairs(design, symmetric)
        self._right = V.T @ right
        self.basis = GaussianBasis(basis.centers, basis.sigma, rotation=V)
        self._similarity: Floats | None = None

    def solve(self, model: MultiLabelLSPC) -> Floats:
        if self._similarity is None or not np.array_equal(self._similarity, model.similarity_):
            self._similarity = model.similarity_
            self._l, self._labels = linalg.eigh(laplacian(model.similarity_))
            self._rotated = self._right[:, :-1] @ self._labels
        g = model.lam + model.gamma * np.maximum(self._l, 0)
        labels = solve_diagonal(self._f, g, self._rotated) @ self._labels.T
        return np.column_stack([labels, _ones_column(self._f, model.lam, self._right)])


def _ones_column(f: Floats, lam: float, right: Floats) -> Floats:
    """Return the fit of the all-ones target: the same for every label, since L 1 = 0."""
    return solve_diagonal(f, np.array([lam]), right[:, -1:])


def _solve_whole(model: MultiLabelLSPC, design: Floats, right: Floats) -> Floats:
    C = model.lam * np.eye(len(model.similarity_)) + model.gamma * laplacian(model.similarity_)
    parts = [(C, right[:, :-1]), (np.array([[model.lam]]), right[:, -1:])]
    if model.solver == "naive":
        return np.column_stack([solve_naive(design, c, part, model.force) for c, part in parts])
    solved = [solve_cg(design, c, part, model.tol, model.max_iter) for c, part in parts]
    model.n_iter_ = max(1, *(steps for _, steps in solved))
    return np.column_stack([solution for solution, _ in solved])


def label_similarity(Y: Ints, kind: str | ArrayLike) -> Floats:
    """Return the (k, k) similarity of labels: symmetric, nonnegative, and 0 on the diagonal.

    Parameters
    ----------
    Y : (n, k) array of 0 and 1
    kind
        One of `SIMILARITIES`, or a matrix of similarities. A label with a single class has
        similarity 0 to all others.

    Raises
    ------
    MethodError
        The matrix does not have one row and column per label.
    """
    n_labels = Y.shape[1]
    if not isinstance(kind, str):
        W = np.array(kind, dtype=np.float64)
        if W.shape != (n_labels, n_labels):
            raise MethodError(
                f"MultiLabelLSPC: similarity must be a ({n_labels}, {n_labels}) matrix, one row "
                f"per label; got shape {W.shape}"
            )
    else:
        columns = Y - (0 if kind == "cosine" else Y.mean(axis=0))
        norms = np.sqrt((columns**2).sum(axis=0))
        varied = (Y[0] != Y).any(axis=0)
        scaled = np.where(varied, columns / np.where(varied, norms, 1), 0)
        W = scaled.T @ scaled
        W = np.abs(W) if kind == "abs_pearson" else np.maximum(W, 0)
        W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return np.asarray(W)


def laplacian(W: Floats) -> Floats:
    """Return ``diag(W 1) - W``."""
    return np.asarray(np.diag(W.sum(axis=1)) - W)
