"""Kernel multi-output regularized projection, followed by linear SVMs."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.methods.kernel_projection.base import KernelDirections
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis
from mlbench.methods.kernel_projection.gaussian import KernelProjection
from mlbench.methods.kernel_projection.morp import (
    morp_directions,
    require_beta_and_gamma,
)
from mlbench.methods.parameters import require_one_of
from mlbench.solvers.arrays import Floats


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
