"""SMTL: linear models of several labels or tasks that optimize F1 or the ROC area itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from mlbench.methods.multitask.base import LinearProblem, LinearSolution, LinearTasks
from mlbench.methods.multitask.regularization_path import (
    cutting_plane_path,
    douglas_rachford_path,
)
from mlbench.methods.parameters import require_one_of
from mlbench.solvers.losses.auc import MeanPairHinge
from mlbench.solvers.losses.auc_labeling import auc_labeling_cuts
from mlbench.solvers.losses.f1 import f1_cuts
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.stopping import StoppingCriterion

Path = Callable[[LinearProblem, str, Sequence[float], StoppingCriterion], Iterator[LinearSolution]]

LOSSES: dict[str, Path] = {
    "f1": partial(cutting_plane_path, f1_cuts),
    "auc": partial(douglas_rachford_path, MeanPairHinge),
    "auc-labelling": partial(cutting_plane_path, auc_labeling_cuts),
}


class SMTL(LinearTasks):
    """Structured multi-task learning: a penalty over all tasks plus each task's F1 or ROC loss.

    Minimizes ``Omega(W) + lam * sum_i G(X_i w_i)``, where G is the structured hinge loss of the
    chosen metric: the largest excess, over all labelings, of what the metric loses on a labeling
    over the margin by which the true labels beat it.

    Parameters
    ----------
    penalty : {"l21", "l11", "trace"}, default="l21"
        The norm of W: sum over features of the 2-norm over tasks, sum of absolute values, or sum
        of singular values.
    loss : {"f1", "auc", "auc-labelling"}, default="f1"
        ``"auc"``: the mean hinge loss of the pairs of a positive and a negative, which is the
        structured loss over rankings. ``"auc-labelling"``: the loss over labelings, false
        negatives times false positives, as printed; it is not one minus the ROC area.
    lam : float, default=1.0
        The weight of the losses.
    fit_intercept : bool, default=True
        Add a constant feature, penalized like the others. It has no effect on ``"auc"``, whose
        labels, cut at 0, are then not calibrated.
    tol : float, default=1e-3
        The relative duality gap to reach.
    max_iter : int, default=10000
        The most steps of the splitting; for F1 and ``"l11"``, of each label or task.
    max_seconds : float, optional
        A limit of time for one fit; results then depend on the machine.

    Attributes
    ----------
    coef_ : (k, d) array
    intercept_ : (k,) array
    gap_ : float
        An upper bound on (objective - optimum) / objective.
    n_iter_ : int
    n_oracle_calls_ : int
        Worst labelings, or for ``"auc"`` proximal steps, asked for over all labels or tasks.
    fit_seconds_ : float
    converged_ : bool
        False if the fit ended on a limit.
    constant_labels_ : int array
        The labels (with tasks: the tasks) that had one class in training; they score -1 or 1.

    References
    ----------
    Ke, Pan, Yin & Huang, Optimizing evaluation metrics for multi-task learning via the alternating
    direction method of multipliers: equations (1)-(11). Joachims (2005), A support vector method
    for multivariate performance measures, ICML.
    """

    example_grid = ({"lam": 0.01}, {"lam": 0.1}, {"lam": 1.0})
    path_tolerance = 0.2

    def __init__(
        self,
        penalty: str = "l21",
        loss: str = "f1",
        lam: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 10_000,
        max_seconds: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of(self, "penalty", tuple(PENALTIES))
        require_one_of(self, "loss", tuple(LOSSES))

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        stop = StoppingCriterion(self.tol, self.max_iter, self.max_seconds)
        return LOSSES[self.loss](problem, self.penalty, lams, stop)
