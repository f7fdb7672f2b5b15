"""SMTL: linear models of several labels or tasks that optimise F1 or the ROC area itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mlbench.methods.linear_tasks import LinearProblem, LinearSolution, LinearTasks
from mlbench.methods.parameters import require_one_of
from mlbench.solvers.kept_cuts import CutSolution, KeptCuts, Oracle
from mlbench.solvers.losses.auc import auc_cuts
from mlbench.solvers.losses.auc_labelling import auc_labelling_cuts
from mlbench.solvers.losses.f1 import f1_cuts
from mlbench.solvers.penalties import PENALTIES

ORACLES: dict[str, Oracle] = {
    "f1": f1_cuts,
    "auc": auc_cuts,
    "auc-labelling": auc_labelling_cuts,
}


class SMTL(LinearTasks):
    """Structured multi-task learning: a penalty over all tasks plus each task's F1 or ROC loss.

    Minimises ``Omega(W) + lam * sum_i G(X_i w_i)``, where G is the structured hinge loss of the
    chosen metric: the largest excess, over all labellings, of what the metric loses on a labelling
    over the margin by which the true labels beat it.

    Parameters
    ----------
    penalty : {"l21", "l11", "trace"}, default="l21"
        The norm of W: sum over features of the 2-norm over tasks, sum of absolute values, or sum
        of singular values.
    loss : {"f1", "auc", "auc-labelling"}, default="f1"
        ``"auc"``: the mean hinge loss of the pairs of a positive and a negative, which is the
        structured loss over rankings. ``"auc-labelling"``: the loss over labellings, false
        negatives times false positives, as printed; it is not one minus the ROC area.
    lam : float, default=1.0
        The weight of the losses.
    fit_intercept : bool, default=True
        Add a constant feature, penalised like the others. It has no effect on ``"auc"``, whose
        labels, cut at 0, are then not calibrated.
    tol : float, default=1e-3
        The relative duality gap to reach.
    max_iter : int, default=5000
        The most steps of the splitting; for ``"l11"``, of each label or task.
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
        Worst labellings asked for, over all labels or tasks.
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
        max_iter: int = 5000,
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
        require_one_of(self, "loss", tuple(ORACLES))

    def _solve_path(
        self, problem: LinearProblem, strengths: Sequence[float]
    ) -> Iterator[LinearSolution]:
        parts = _parts(problem, self.penalty)
        solvers = [
            KeptCuts(part.design, part.y, ORACLES[self.loss], PENALTIES[self.penalty])
            for part in parts
        ]
        for lam in strengths:
            yield _joined(
                [
                    solver.solve(
                        lam, self.tol, self.max_iter, _share(self.max_seconds, len(solvers))
                    )
                    for solver in solvers
                ]
            )


def _parts(problem: LinearProblem, penalty: str) -> list[LinearProblem]:
    """Return the problems of single tasks where the penalty does not tie them together."""
    if penalty != "l11":
        return [problem]
    labels = np.split(problem.y, problem.design.offsets[1:-1])
    return [
        LinearProblem(problem.design.of_tasks(np.array([task])), y) for task, y in enumerate(labels)
    ]


def _share(max_seconds: float | None, n_parts: int) -> float | None:
    return None if max_seconds is None else max_seconds / n_parts


def _joined(parts: Sequence[CutSolution]) -> LinearSolution:
    objective = sum(part.objective for part in parts)
    bound = sum(part.bound for part in parts)
    return LinearSolution(
        W=np.vstack([part.W for part in parts]),
        gap=max((objective - bound) / objective, 0.0) if objective > 0 else 0.0,
        n_iter=max(part.n_iter for part in parts),
        n_oracle_calls=sum(part.n_oracle_calls for part in parts),
        limit=next((part.limit for part in parts if part.limit is not None), None),
    )
