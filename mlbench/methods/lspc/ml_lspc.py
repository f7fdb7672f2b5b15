"""The multi-label least-squares probabilistic classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.base import Grid
from mlbench.methods.kernels import Basis, gram_eigenpairs
from mlbench.methods.lspc.base import LeastSquaresProbabilistic
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


class MultiLabelLSPC(LeastSquaresProbabilistic):
    """Multi-label LSPC: the fits of labels that occur together are drawn together.

    The coefficients T solve ``K^2 T + T C = K Y`` with ``C = lam I + gamma L``, where L is the
    Laplacian of the label similarities. With ``gamma=0`` this is `LSPC`; a large gamma makes
    all labels that are similar to each other alike.

    Parameters
    ----------
    width : float, default=1.0
        The Gaussian's sigma, as a multiple of the median distance between training rows.
    lam : float, default=0.1
        The penalty of each label's coefficients.
    gamma : float, default=0.1
        The penalty of the difference between similar labels' coefficients.
    similarity : {"pearson", "abs_pearson", "cosine"} or (k, k) matrix, default="pearson"
        What makes two labels similar: their correlation in training, cut off at 0, as in the
        paper; its absolute value; or the cosine of their columns.
    solver : {"eig", "cg", "naive"}, default="eig"
        Eigendecompositions of K and L; conjugate gradients; or the whole system at once, which
        is here for comparison and refuses more than 6000 unknowns.
    scores : {"clipped", "raw"}, default="clipped"
        The probability of class 1, or the difference of the two fits before normalizing.
    n_basis : int, optional
        How many training rows, drawn at random, carry a basis function; all by default.
        Advisable above 5000 rows.
    tol : float, default=1e-10
        The relative residual at which conjugate gradients stop.
    max_iter : int, default=10000
        The number of steps at which they stop with a warning.
    force : bool, default=False
        Let the naive solver take any size.
    random_state : int, optional
        For the draw of basis functions.

    Attributes
    ----------
    n_undefined_ : int
        How many probabilities of the latest prediction were 0/0, and set to 1/2.
    constant_labels_ : int array
        The labels that had one class in training; their score is it.
    similarity_ : (k, k) array
    n_iter_ : int
        The steps that conjugate gradients took; 1 for the other solvers.

    References
    ----------
    Section 5 of Nam, Hachiya & Sugiyama, Computationally efficient multi-label classification
    by least-squares probabilistic classifiers.
    """

    _shared = ("n_basis", "random_state", "width", "solver")

    example_grid = (
        *({"width": w, "lam": lam, "gamma": 1.0} for w in (0.5, 1.0) for lam in (0.01, 1.0)),
        {"gamma": 0.0},
        {"similarity": "cosine"},
        {"solver": "naive"},
        {"similarity": "cosine", "n_basis": 15, "random_state": 3},
    )

    def __init__(
        self,
        width: float = 1.0,
        lam: float = 0.1,
        gamma: float = 0.1,
        similarity: Any = "pearson",
        solver: str = "eig",
        scores: str = "clipped",
        n_basis: int | None = None,
        tol: float = 1e-10,
        max_iter: int = 10_000,
        force: bool = False,
        random_state: Any = None,
    ) -> None:
        self.width = width
        self.lam = lam
        self.gamma = gamma
        self.similarity = similarity
        self.solver = solver
        self.scores = scores
        self.n_basis = n_basis
        self.tol = tol
        self.max_iter = max_iter
        self.force = force
        self.random_state = random_state

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Fit all labels together.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
        """
        return self._fit_alone(X, Y, None)

    def fit_path(self, X: Matrix, Y: Ints, grid: Grid) -> Iterator[tuple[int, MultiLabelLSPC]]:
        """Yield (index, fitted model) for every point of a grid of parameters.

        With ``solver="eig"`` one decomposition of K per width, and one of L, serve every
        ``lam`` and ``gamma``; so does, at prediction, one product of the kernel with the
        eigenvectors.
        """
        yield from self._fit_path(grid, X, Y, None)

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
    """The solver "eig" at one width: what does not depend on lam and gamma is kept."""

    def __init__(self, design: Floats, right: Floats, basis: Basis) -> None:
        symmetric = len(design) == basis.centers.points.shape[0]
        self._f, V = gram_eigenpairs(design, symmetric)
        self._right = V.T @ right
        self.basis = Basis(basis.centers, basis.sigma, rotation=V)
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


def label_similarity(Y: Ints, kind: Any) -> Floats:
    """Return the (k, k) similarity of label columns, symmetric, not negative, 0 on the diagonal.

    Parameters
    ----------
    Y : (n, k) array of 0 and 1
    kind
        One of `SIMILARITIES`, or a matrix of similarities. A label of one class is similar to
        none.

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
