"""The support vector machine for multivariate measures, label by label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mlbench.methods.multitask.base import LinearProblem, LinearSolution, LinearTasks
from mlbench.methods.parameters import require_one_of
from mlbench.solvers.cutting_planes.one_slack import OneSlack
from mlbench.solvers.losses import Oracle
from mlbench.solvers.losses.auc import auc_cuts
from mlbench.solvers.losses.f1 import f1_cuts

LOSSES: dict[str, Oracle] = {"auc": auc_cuts, "f1": f1_cuts}


@dataclass(eq=False, repr=False)
class StructSVM(LinearTasks):
    """SVM for ROC area or F1: one structured hinge loss over all examples of a label.

    Minimizes ``1/2 ||w_i||^2 + C * G_i`` for every label i separately (with tasks: for every task,
    on its own rows) by cutting planes with one slack variable. With scores s and labels y,

    - ``auc``: G is the mean of ``max(0, 1 - 2 (s_k - s_l))`` over pairs of a positive k and a
      negative l, an upper bound on 1 - AUC. The scores rank, but are not calibrated to the
      threshold 0: to predict labels, choose a threshold by cross-validation.
    - ``f1``: G is the maximum of ``1 - F1(y, z) - s . (y - z)`` over labelings z in {-1, 1}^n.

    Parameters
    ----------
    loss : {"auc", "f1"}, default="auc"
        The metric whose loss is bounded: the ROC area or F1.
    C : float, default=1.0
        Weight of the loss G_i. SVM-perf counts losses in percent and scales scores differently:
        its ``-c`` is ``C / 25`` for the ROC area (its weights are then 2 w) and ``C n^2 / 25`` for
        F1 (2 n w), where n is the number of examples.
    fit_intercept : bool, default=True
        Add a constant feature of 1, penalized like the others. It has no effect on ``auc``, where
        it cancels in every pair; the intercept is then 0.
    tol : float, default=1e-3
        The relative duality gap, (objective - bound) / objective, at which to stop, for each label.
    max_iter : int, default=10000
        The largest number of cutting planes, for each label.

    Attributes
    ----------
    gap_ : float
        The largest gap of a label.
    n_iter_ : int
        The largest number of cutting planes of a label; on a path, those added for this C.
    n_oracle_calls_ : int
        The cutting planes of all labels.

    References
    ----------
    Joachims (2005), A support vector method for multivariate performance measures, ICML.
    """

    loss: str = "auc"
    C: float = 1.0

    revision = 2
    path_parameter = "C"
    example_grid = tuple(
        {"loss": loss, "C": C, "tol": 1e-9} for loss in ("auc", "f1") for C in (1e-3, 1.0, 30.0)
    )
    path_tolerance = 1e-3

    @property
    def _constant_feature(self) -> bool:
        return self.fit_intercept and self.loss != "auc"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of(self, "loss", tuple(LOSSES))

    def _solve_path(
        self, problem: LinearProblem, lams: Sequence[float]
    ) -> Iterator[LinearSolution]:
        solver = OneSlack(problem.design, problem.y, LOSSES[self.loss])
        for C in lams:
            found = solver.solve(C, self.tol, self.max_iter, self.max_seconds)
            yield LinearSolution(
                found.W,
                float(found.gaps.max()),
                found.n_iter,
                found.limit,
                n_oracle_calls=found.n_oracle_calls,
            )
