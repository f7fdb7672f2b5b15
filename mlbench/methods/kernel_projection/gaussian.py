"""Projections of the inputs to the feature space of a Gaussian kernel."""

from __future__ import annotations

from mlbench.methods.base import Floats, Matrix
from mlbench.methods.kernel_projection.base import ProjectedSVMs
from mlbench.methods.kernel_projection.eigenbasis import KernelSpace
from mlbench.methods.kernels import Centres
from mlbench.methods.parameters import require_one_of, require_positive


class KernelProjection(ProjectedSVMs):
    """Base of the methods that project by a Gaussian kernel and then fit linear SVMs.

    A subclass has the parameters ``width``, ``center`` and ``rank_tol`` among its own, and writes
    `_directions`.
    """

    width: float
    center: bool
    rank_tol: float

    _space_parameters = ("width", "center", "rank_tol")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "width", "rank_tol")
        require_one_of(self, "center", (True, False))

    def _measure(self, X: Matrix) -> tuple[Centres, Floats]:
        centres = Centres(X)
        return centres, centres.measure(X)

    def _space(self, measured: tuple[Centres, Floats]) -> KernelSpace:
        centres, squared = measured
        return KernelSpace(centres, squared, self.width * centres.scale, self.center, self.rank_tol)

    def _target(self, outputs: Floats) -> Floats:
        """Return the outputs, centred if the kernel is."""
        return outputs - outputs.mean(axis=0) if self.center else outputs
