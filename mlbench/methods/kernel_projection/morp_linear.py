"""Linear multi-output regularized projection, followed by linear SVMs."""

from __future__ import annotations

from mlbench.methods.kernel_projection.base import KernelDirections, ProjectedSVMs
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis, LinearEigenbasis
from mlbench.methods.kernel_projection.morp import (
    morp_directions,
    require_beta_and_gamma,
)
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.solvers.arrays import Floats, Matrix


class LinearMORPSVM(ProjectedSVMs):
    """Linear MORP: linear features that explain inputs and labels together, then linear SVMs.

    Kernel MORP with the kernel ``X X'``. Where there are more rows than features, labels are as a
    rule no linear functions of them, and then ``form="inverse"`` is PCA, whatever the labels: it
    says so by a warning.

    Parameters
    ----------
    n_components : int, optional, default=20
        The number of features; all that there are if None.
    beta : float, default=0.5
        The weight of the labels: 0 is PCA, 1 looks at the labels only and has no more features
        than their rank.
    gamma : float, default=0.001
        The regularizer of ``form="inverse"``.
    C : float, default=1.0
        The weight of the SVMs' loss.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The SVMs' loss: ``max(0, 1 - m)`` of the margin m, or its square.
    form : {"inverse", "direct"}, default="inverse"
        Equation (9) of the paper, by the pseudo-inverse of K, or (6), which has no regularizer.
    center : bool, default=True
        Center features and labels.
    rank_tol : float, default=1e-10
        Eigenvalues of ``X X'`` up to this share of the largest count as 0.

    Attributes
    ----------
    n_components_, r_effective_ : int
        The number of features that there are.
    eigenvalues_ : (n_components_,) array
    n_output_directions_ : int
        How many combinations of labels shape the features.
    svms_ : LabelSVMs
    constant_labels_ : int array
        The labels of one class in training; they score -1 or 1.

    References
    ----------
    Yu, Yu & Tresp (2005), Multi-output regularized projection, equations (4) to (9).
    """

    _rank_warning_hint = 'form="direct" counts what of them is.'
    _eigenbasis_parameters = ("center", "rank_tol")
    _direction_parameters = ("beta", "gamma", "form")

    example_grid = (
        *({"beta": b, "form": f, "C": 10.0} for b in (0.0, 0.9) for f in ("inverse", "direct")),
        {"n_components": 2, "form": "direct", "loss": "squared_hinge"},
        {"n_components": 3, "form": "direct", "C": 0.1},
        {"center": False},
    )

    def __init__(
        self,
        n_components: int | None = 20,
        beta: float = 0.5,
        gamma: float = 1e-3,
        C: float = 1.0,
        loss: str = "hinge",
        form: str = "inverse",
        center: bool = True,
        rank_tol: float = 1e-10,
    ) -> None:
        self.n_components = n_components
        self.beta = beta
        self.gamma = gamma
        self.C = C
        self.loss = loss
        self.form = form
        self.center = center
        self.rank_tol = rank_tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_beta_and_gamma(self)
        require_one_of(self, "form", ("inverse", "direct"))
        require_one_of(self, "center", (True, False))
        require_positive(self, "rank_tol")

    def _prepare_inputs(self, X: Matrix) -> Matrix:
        return X

    def _eigenbasis(self, measured: Matrix) -> LinearEigenbasis:
        return LinearEigenbasis(measured, self.center, self.rank_tol)

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        solver = "exact" if self.form == "inverse" else "direct"
        target = outputs - outputs.mean(axis=0) if self.center else outputs
        return morp_directions(space, target, self.beta, self.gamma, n_wanted, solver)
