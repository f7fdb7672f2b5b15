"""MTL-CLS: linear models of several labels or tasks with the hinge loss and a shared penalty."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.methods.large_arrays import GRAM_INVERSE
from mlbench.methods.multitask.base import LinearProblem, LinearSolution, PenalizedTasks
from mlbench.methods.multitask.regularization_path import (
    cutting_plane_path,
    douglas_rachford_path,
    interior_path,
    vertex_path,
)
from mlbench.solvers.certificate import StoppingCriterion
from mlbench.solvers.losses.hinge import Hinge, hinge_cuts

_SMALL = 2_000_000
"""Up to so many numbers of dense data, following the vertices is the fastest under l11."""

_TALL = 1
"""With more rows of a task, in the mean, than this per feature, kept cuts are faster than proximal
steps of the hinge.
"""

_FEW = 3_000
"""Up to so many features, Newton steps are faster than kept cuts under l11, except at small lam."""


@dataclass(eq=False, repr=False)
class MTLCLS(PenalizedTasks):
    """Multi-task classification: a joint penalty plus the hinge loss of every label or task.

    Minimizes ``Omega(W) + lam * sum_i 2 sum_j max(0, 1 - y_ij s_ij)`` with scores s_i = X_i w_i.
    The factor 2 is that of the structured loss that counts mistakes.

    Parameters
    ----------
    lam : float, default=0.1
        Weight of the losses in the objective above: a larger lam fits the training rows more
        closely.
    tol : float, default=1e-3
        The relative duality gap, (objective - bound) / objective, at which to stop.
    max_iter : int, default=10000
        The largest number of iterations: steps of a splitting; with l11 and more rows than
        features, of an interior-point method for each label or task; and on small dense data, where
        the exact path is followed, of up to 100 vertices of each.

    References
    ----------
    Ke, Pan, Yin & Huang, Optimizing evaluation metrics for multi-task learning via the alternating
    direction method of multipliers: equation (1) with the hinge loss, the baseline MTL-CLS.
    """

    lam: float = 0.1

    large_arrays = GRAM_INVERSE
    example_grid = ({"lam": 0.01}, {"lam": 0.1}, {"lam": 1.0})
    path_tolerance = 0.2

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        stop = StoppingCriterion(self.tol, self.max_iter, self.max_seconds)
        design = problem.design
        sizes = [block.size for block in design.blocks if isinstance(block, np.ndarray)]
        if self.penalty == "l11" and 0 < max(sizes, default=0) <= _SMALL:
            return vertex_path(problem, lams, stop)
        if len(problem.y) > _TALL * design.n_tasks * design.n_features:
            if self.penalty == "l11" and design.n_features <= _FEW:
                return interior_path(problem, lams, stop)
            return cutting_plane_path(hinge_cuts, problem, self.penalty, lams, stop)
        return douglas_rachford_path(Hinge, problem, self.penalty, lams, stop)
