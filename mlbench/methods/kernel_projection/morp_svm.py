"""Kernel multi-output regularized projection, followed by linear SVMs."""

from __future__ import annotations

from mlbench.methods.kernel_projection.base import KernelDirections
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis
from mlbench.methods.kernel_projection.gaussian import KernelProjection
from mlbench.methods.kernel_projection.morp import (
    morp_directions,
    require_beta_and_gamma,
)
from mlbench.methods.parameters import require_one_of
from mlbench.solvers.arrays import Floats


class MORPSVM(KernelProjection):
    """Kernel MORP: features that explain inputs and labels together, then linear SVMs.

    The features are smooth functions of the inputs whose values on the training rows explain as
    much as possible of the inputs' Gaussian kernel and of the labels, weighed by ``beta``. They
    depend on all labels; one linear SVM per label is fitted to them.

    Parameters
    ----------
    n_components : int, optional, default=20
        The number of features; all that there are if None.
    beta : float, default=0.5
        The weight of the labels: 0 is kernel PCA, 1 looks at the labels only and has no more
        features than their rank.
    gamma : float, default=0.001
        The regularizer. The larger it is, the less labels count that are no smooth function of
        the inputs.
    width : float, default=1.0
        The Gaussian's sigma, as a multiple of the median distance between training rows.
    C : float, default=1.0
        The weight of the SVMs' loss.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The SVMs' loss: ``max(0, 1 - m)`` of the margin m, or its square.
    solver : {"exact", "approx"}, default="exact"
        The eigenproblem (14) of the paper, or ``K v = lambda v``, which it offers for small gamma.
    center : bool, default=True
        Center the kernel and the labels.
    rank_tol : float, default=1e-10
        Eigenvalues of the kernel up to this share of the largest count as 0.

    Attributes
    ----------
    n_components_, r_effective_ : int
        The number of features that there are.
    eigenvalues_ : (n_components_,) array
    n_output_directions_ : int
        How many combinations of labels shape the features. It is less than the rank of the labels
        where rows that are equal differ in their labels, or the kernel matrix is singular
        otherwise: what is no function of the inputs has no part in the exact problem.
    svms_ : LabelSVMs
    constant_labels_ : int array
        The labels of one class in training; they score -1 or 1.

    References
    ----------
    Yu, Yu & Tresp (2005), Multi-output regularized projection, equations (13) to (16).
    """

    _rank_warning_hint = 'solver="approx" counts them all.'
    _direction_parameters = ("beta", "gamma", "solver")

    example_grid = (
        *({"beta": b, "gamma": g, "C": 10.0} for b in (0.0, 0.5, 1.0) for g in (1e-3, 1.0)),
        {"n_components": 3, "width": 0.5},
        {"n_components": 7, "width": 0.5, "loss": "squared_hinge"},
        {"n_components": 3, "width": 0.5, "C": 0.1},
        {"solver": "approx", "center": False},
    )

    def __init__(
        self,
        n_components: int | None = 20,
        beta: float = 0.5,
        gamma: float = 1e-3,
        width: float = 1.0,
        C: float = 1.0,
        loss: str = "hinge",
        solver: str = "exact",
        center: bool = True,
        rank_tol: float = 1e-10,
    ) -> None:
        self.n_components = n_components
        self.beta = beta
        self.gamma = gamma
        self.width = width
        self.C = C
        self.loss = loss
        self.solver = solver
        self.center = center
        self.rank_tol = rank_tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_beta_and_gamma(self)
        require_one_of(self, "solver", ("exact", "approx"))

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        target = self._target(outputs)
        return morp_directions(space, target, self.beta, self.gamma, n_wanted, self.solver)
