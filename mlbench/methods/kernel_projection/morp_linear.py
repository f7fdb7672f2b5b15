"""Linear multi-output regularized projection, followed by linear SVMs."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.methods.kernel_projection.base import KernelDirections, ProjectedSVMs
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis, LinearEigenbasis
from mlbench.methods.kernel_projection.morp import (
    morp_directions,
    require_beta_and_gamma,
)
from mlbench.methods.large_arrays import EIGENBASIS
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.solvers.arrays import Floats, Matrix


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
