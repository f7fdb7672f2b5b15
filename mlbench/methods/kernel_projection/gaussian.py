"""Projections in the feature space of a Gaussian kernel, followed by linear SVMs."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy import linalg

from mlbench.methods.kernel_projection.eigenbasis import GaussianEigenbasis, KernelEigenbasis
from mlbench.methods.kernel_projection.morp import (
    morp_directions,
    require_beta_and_gamma,
)
from mlbench.methods.kernel_projection.projected_svms import KernelDirections, ProjectedSVMs
from mlbench.methods.kernels import Centers
from mlbench.methods.large_arrays import KERNEL_MATRIX
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.solvers.arrays import Floats, Matrix


@dataclass(eq=False, repr=False)
class KernelProjection(ProjectedSVMs):
    """Base class of the methods that project by a Gaussian kernel and then fit linear SVMs.

    A subclass implements `_directions`.

    Parameters
    ----------
    width : float, default=1.0
        Bandwidth of the kernel ``exp(-||x - z||^2 / (2 sigma^2))``: sigma is width times the
        median distance between training rows.
    """

    _: KW_ONLY
    width: float = 1.0

    large_arrays = KERNEL_MATRIX
    _shared_parameters = ("width", "center", "rank_tol")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "width", "rank_tol")
        require_one_of(self, "center", (True, False))

    def _prepare_inputs(self, X: Matrix) -> tuple[Centers, Floats]:
        centers = Centers(X)
        return centers, centers.fit_scale(X)

    def _eigenbasis(self, measured: tuple[Centers, Floats]) -> GaussianEigenbasis:
        centers, squared = measured
        return GaussianEigenbasis(
            centers, squared, self.width * centers.scale, self.center, self.rank_tol
        )

    def _target(self, outputs: Floats) -> Floats:
        """Return the outputs, centered if the kernel is."""
        return outputs - outputs.mean(axis=0) if self.center else outputs


class KPCASVM(KernelProjection):
    """Kernel PCA, then linear SVMs: a projection that ignores the labels.

    References
    ----------
    Schölkopf, Smola & Müller (1999), Kernel principal component analysis.
    """

    example_grid = (
        {"n_components": 2, "C": 0.1},
        {"n_components": 10, "C": 10.0},
        {"n_components": 10, "width": 0.5, "loss": "squared_hinge"},
        {"n_components": None, "center": False},
    )

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        values = space.values[:n_wanted]
        coefficients = np.zeros((len(space.values), len(values)))
        np.fill_diagonal(coefficients, 1 / np.sqrt(values))
        return KernelDirections(coefficients, values)


@dataclass(eq=False, repr=False)
class KCCASVM(KernelProjection):
    """Regularized kernel CCA of inputs and labels, then linear SVMs.

    A feature ``k(x)'alpha`` has the largest correlation with a linear combination of the labels
    under ``alpha'K (K + kappa I) alpha = n``: its variance is 1 minus the effect of the
    regularizer. There are at most as many features as the rank of the (centered) labels.

    Parameters
    ----------
    n_components : int, optional
        The number of features; the rank of the labels by default.
    kappa : float, default=0.01
        Weight of the regularizer ``kappa * tr(K) / n * I`` added to the kernel matrix K.
    scaled : bool, default=False
        Multiply each feature by its squared canonical correlation.

    Attributes
    ----------
    eigenvalues_ : (components,) array
        The squared canonical correlations.

    References
    ----------
    Hardoon, Szedmak & Shawe-Taylor (2003), Canonical correlation analysis: an overview with
    application to learning methods.
    """

    n_components: int | None = None
    kappa: float = 0.01
    scaled: bool = False

    _direction_parameters = ("kappa", "scaled")

    example_grid = (
        {"kappa": 1e-4, "C": 10.0},
        {"kappa": 1.0, "C": 10.0},
        {"n_components": 1, "C": 0.1},
        {"n_components": 2, "scaled": True, "loss": "squared_hinge"},
        {"width": 0.5, "center": False},
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "kappa")
        require_one_of(self, "scaled", (True, False))

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        vectors, singular, _ = linalg.svd(self._target(outputs), full_matrices=False)
        kept = singular > np.sqrt(self.rank_tol) * max(singular.max(initial=0), 1e-300)
        basis = space.vectors.T @ vectors[:, kept]
        # With K = U L U' and an orthonormal basis T of the outputs, the squared correlations are
        # the eigenvalues of T'U (L + ridge I)^-1 L U'T.
        ridge = self.kappa * space.values.sum() / len(outputs)
        shrunk = basis / (space.values + ridge)[:, None]
        g, U = linalg.eigh(shrunk.T @ (basis * space.values[:, None]))
        order = np.flatnonzero(g > self.rank_tol)[::-1][:n_wanted]
        scale = np.sqrt(len(outputs)) * g[order] ** (0.5 if self.scaled else -0.5)
        reached = int(np.sum(g > self.rank_tol))
        return KernelDirections((shrunk @ U[:, order]) * scale, g[order], len(g), reached)


@dataclass(eq=False, repr=False)
class MORPSVM(KernelProjection):
    """Kernel MORP: features that explain inputs and labels together, then linear SVMs.

    The features are smooth functions of the inputs whose values on the training rows explain as
    much as possible of the Gaussian kernel of the inputs and of the labels, weighted by ``beta``.
    They depend on all labels; one linear SVM per label is fitted to them.

    Parameters
    ----------
    beta : float, default=0.5
        Weight of the labels in ``K = (1 - beta) K_x + beta T T'``, where K_x is the kernel matrix
        and T the labels: 0 is kernel PCA; 1 uses the labels only and has at most as many features
        as their rank.
    gamma : float, default=0.001
        Weight of the smoothness penalty, ``K^(-1) + gamma K_x^(-1)``. A larger gamma reduces the
        influence of labels that are not smooth functions of the inputs.
    solver : {"exact", "approx"}, default="exact"
        The eigenproblem (14) of the paper, or ``K v = lambda v``, which it offers for small gamma.

    References
    ----------
    Yu, Yu & Tresp (2005), Multi-output regularized projection, equations (13) to (16).
    """

    beta: float = 0.5
    gamma: float = 1e-3
    solver: str = "exact"

    _rank_warning_hint = 'solver="approx" uses them all.'
    _direction_parameters = ("beta", "gamma", "solver")

    example_grid = (
        *({"beta": b, "gamma": g, "C": 10.0} for b in (0.0, 0.5, 1.0) for g in (1e-3, 1.0)),
        {"n_components": 3, "width": 0.5},
        {"n_components": 7, "width": 0.5, "loss": "squared_hinge"},
        {"n_components": 3, "width": 0.5, "C": 0.1},
        {"solver": "approx", "center": False},
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_beta_and_gamma(self)
        require_one_of(self, "solver", ("exact", "approx"))

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        target = self._target(outputs)
        return morp_directions(space, target, self.beta, self.gamma, n_wanted, self.solver)
