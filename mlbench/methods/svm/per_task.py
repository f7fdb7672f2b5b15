"""One linear support vector machine per task, each on the task's own rows."""

from __future__ import annotations

from typing import Self

import numpy as np

from mlbench.methods.svm.one_vs_rest import LabelSVMs
from mlbench.solvers.arrays import Floats, Ints, Matrix


class TaskSVMs:
    """Linear support vector machines as those of `LabelSVMs`, one per task.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"

    Attributes
    ----------
    svms_ : list of LabelSVMs
        One for each task.
    gap_ : float
        The largest duality gap of a task, relative to its objective.
    converged_ : bool
    """

    def __init__(self, C: float = 1.0, loss: str = "hinge") -> None:
        self.C = C
        self.loss = loss

    def fit(self, Z: Matrix, Y: Ints, tasks: Ints) -> Self:
        """Fit every task."""
        parts = [tasks == task for task in range(int(tasks.max()) + 1)]
        self.svms_ = [LabelSVMs(self.C, self.loss).fit(Z[part], Y[part]) for part in parts]
        self.gap_ = max(svms.gap_ for svms in self.svms_)
        self.converged_ = all(svms.converged_ for svms in self.svms_)
        return self

    def decision_function(self, Z: Matrix, tasks: Ints) -> Floats:
        """Return the (m, 1) margins, each by the machine of the row's task."""
        scores = np.empty((Z.shape[0], 1))
        for task in np.unique(tasks):
            scores[tasks == task] = self.svms_[task].decision_function(Z[tasks == task])
        return scores
