"""SMTL: linear models of several labels or tasks that optimize F1 or the ROC area itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from mlbench.methods.large_arrays import CUTS, GRAM_INVERSE, LargeArray
from mlbench.methods.multitask.base import LinearProblem, LinearSolution, PenalizedTasks
from mlbench.methods.multitask.regularization_path import (
    cutting_plane_path,
    douglas_rachford_path,
)
from mlbench.methods.parameters import require_one_of
from mlbench.solvers.certificate import StoppingCriterion
from mlbench.solvers.losses.auc import MeanPairHinge
from mlbench.solvers.losses.auc_labeling import auc_labeling_cuts
from mlbench.solvers.losses.f1 import f1_cuts

Path = Callable[[LinearProblem, str, Sequence[float], StoppingCriterion], Iterator[LinearSolution]]

LOSSES: dict[str, Path] = {
    "f1": partial(cutting_plane_path, f1_cuts),
    "auc": partial(douglas_rachford_path, MeanPairHinge),
    "auc-labeling": partial(cutting_plane_path, auc_labeling_cuts),
}


@dataclass(eq=False, repr=False)
class SMTL(PenalizedTasks):
    """Structured multi-task learning: a joint penalty plus the F1 or AUC loss of every task.

    Minimizes ``Omega(W) + lam * sum_i G(X_i w_i)``, where G is the structured hinge loss of the
    chosen metric: the maximum over labelings of their loss minus the margin by which the true
    labels score higher.

    Parameters
    ----------
    loss : {"f1", "auc", "auc-labeling"}, default="f1"
        ``auc``: the mean hinge loss of the pairs of a positive and a negative, which is the
        structured loss over rankings. ``auc-labeling``: the loss over labelings, false negatives
        times false positives, as printed in the paper; it is not one minus the ROC area.
    lam : float, default=1.0
        Weight of the losses in the objective above: a larger lam fits the training rows more
        closely.
    fit_intercept : bool, default=True
        Add a constant feature of 1, penalized like the others. It has no effect on ``auc``, whose
        labels at threshold 0 are then not calibrated.
    tol : float, default=1e-3
        The relative duality gap, (objective - bound) / objective, at which to stop.
    max_iter : int, default=10000
        The largest number of splitting iterations; with F1 and l11, for each label or task.

    References
    ----------
    Ke, Pan, Yin & Huang, Optimizing evaluation metrics for multi-task learning via the alternating
    direction method of multipliers: equations (1)-(11). Joachims (2005), A support vector method
    for multivariate performance measures, ICML.
    """

    loss: str = "f1"
    lam: float = 1.0

    example_grid = ({"lam": 0.01}, {"lam": 0.1}, {"lam": 1.0})
    path_tolerance = 0.2

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of(self, "loss", tuple(LOSSES))

    @property
    def large_arrays(self) -> tuple[LargeArray, ...]:
        """Of the splitting, and for F1 the kept cuts."""
        return (*GRAM_INVERSE, *CUTS) if self.loss == "f1" else GRAM_INVERSE

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        stop = StoppingCriterion(self.tol, self.max_iter, self.max_seconds)
        return LOSSES[self.loss](problem, self.penalty, lams, stop)
