"""The multi-task least-squares probabilistic classifier: a common part for all tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.methods.lspc.coupled import CoupledLSPC, per_task
from mlbench.methods.parameters import require_positive, require_positives
from mlbench.solvers.arrays import Floats


@dataclass(eq=False, repr=False)
class MultiTaskLSPC(CoupledLSPC):
    """Multi-task LSPC: the coefficients of a task are a common part plus its own.

    Parameters
    ----------
    w0 : float, default=1.0
        Penalty ``w0 * ||u_0||^2`` of the common part u_0. A large w0 makes the tasks independent.
    w : float or sequence of T floats, default=1.0
        Penalty ``w_t * ||u_t||^2`` of the part u_t of task t; one number for all tasks or one per
        task. A large w gives one classifier for all tasks.

    References
    ----------
    Simm, Sugiyama & Kato (2011), IPSJ Transactions on Computer Vision and Applications 3, 1-8;
    section 3 of Nam, Hachiya & Sugiyama.
    """

    w0: float = 1.0
    w: float | Sequence[float] = 1.0

    example_grid = tuple(
        {"width": width, "w": value} for width in (0.5, 1.0) for value in (0.1, 1.0)
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "w0")
        require_positives(self, "w")

    def _coupling(self, n_tasks: int) -> Floats:
        return np.asarray(1 / self.w0 + np.diag(1 / per_task(self, "w", n_tasks)))
