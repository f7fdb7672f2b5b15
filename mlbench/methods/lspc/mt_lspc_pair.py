"""The pairwise multi-task least-squares probabilistic classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.lspc.coupled import CoupledLSPC, per_task
from mlbench.methods.parameters import require_positive, require_positives, require_symmetric
from mlbench.solvers.arrays import Floats


@dataclass(eq=False, repr=False)
class PairwiseMultiTaskLSPC(CoupledLSPC):
    """Pairwise multi-task LSPC: the coefficients of similar tasks are pulled toward each other.

    Parameters
    ----------
    lam : float or sequence of T floats, default=0.1
        Penalty ``lam_t * ||u_t||^2`` of the coefficients u_t of task t; one number for all tasks or
        one per task.
    gamma : float or (T, T) matrix, default=0.1
        Penalty ``gamma_st * ||u_s - u_t||^2`` of the difference of tasks s and t: one number for
        all pairs, or a symmetric nonnegative matrix. 0 makes the tasks independent.

    References
    ----------
    Section 4 of Nam, Hachiya & Sugiyama, Computationally efficient multi-label classification
    by least-squares probabilistic classifiers.
    """

    lam: float | Sequence[float] = 0.1
    gamma: float | ArrayLike = 0.1

    example_grid = tuple(
        {"width": width, "gamma": value} for width in (0.5, 1.0) for value in (0.1, 1.0)
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positives(self, "lam")
        if isinstance(self.gamma, Real):
            require_positive(self, "gamma", zero=True)
        else:
            require_symmetric(self, "gamma", "a number of at least 0")

    def _coupling(self, n_tasks: int) -> Floats:
        gamma = np.asarray(self.gamma, dtype=np.float64)
        if gamma.ndim == 0:
            gamma = np.full((n_tasks, n_tasks), gamma)
        if gamma.shape != (n_tasks, n_tasks):
            raise MethodError(
                f"PairwiseMultiTaskLSPC: gamma must be one number or a ({n_tasks}, {n_tasks}) "
                f"matrix, one row per task; got shape {gamma.shape}"
            )
        penalty = np.diag(per_task(self, "lam", n_tasks) + gamma.sum(axis=1)) - gamma
        return np.asarray(linalg.inv(penalty))
