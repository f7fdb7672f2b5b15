"""Projections of the inputs to the feature space of a Gaussian kernel."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from mlbench.methods.kernel_projection.base import ProjectedSVMs
from mlbench.methods.kernel_projection.eigenbasis import GaussianEigenbasis
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
