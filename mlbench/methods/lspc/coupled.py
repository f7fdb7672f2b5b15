"""Multi-task least-squares probabilistic classifiers: the coefficients of the tasks are coupled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.base import require_tasks
from mlbench.methods.lspc.base import LeastSquaresProbabilistic
from mlbench.methods.path_method import PathMethodWithTasks
from mlbench.solvers.arrays import Floats, Ints, Matrix


class CoupledLSPC(PathMethodWithTasks, LeastSquaresProbabilistic):
    """Base class of the LSPCs of several tasks: a (T, T) matrix couples their coefficients.

    With G the Gram matrix of the basis functions and M the coupling, which is the prior covariance
    of the tasks' coefficients, the fit at x in task t is
    ``pi' (M[t_n, t_n'] G + I)^-1 (M[t_n, t] phi(x_n)' phi(x))``; see sections 3 and 4 of Nam,
    Hachiya & Sugiyama. A subclass implements `_coupling`.

    Attributes
    ----------
    constant_labels_ : int array
        The tasks that had a single class in training. They are fitted like the others, because
        the other tasks carry information about them.
    """

    needs_tasks = True

    def _coupling(self, n_tasks: int) -> Floats:
        """Return the coupling matrix, symmetric positive definite."""
        raise NotImplementedError

    def _check_training(
        self, X: Matrix, Y: Ints, tasks: Ints | None = None
    ) -> tuple[Matrix, Ints, Ints | None]:
        require_tasks(self, tasks)
        return super()._check_training(X, Y, tasks)

    def _fit_models(
        self, models: Sequence[Self], design: Floats, Y: Ints, tasks: Ints | None
    ) -> Iterator[Self]:
        assert tasks is not None
        gram = design @ design.T
        targets = np.column_stack([Y, np.ones(len(Y))])
        for model in models:
            coupling = model._coupling(model.n_tasks_)
            system = coupling[tasks][:, tasks]
            system *= gram
            system.flat[:: len(system) + 1] += 1
            factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)
            weights = linalg.cho_solve(factor, targets, check_finite=False)
            spread = coupling[tasks]
            model.coefficients_ = np.stack(
                [design.T @ (spread * column[:, None]) for column in weights.T]
            )
            yield model

    def _class_fits(self, X: Matrix, tasks: Ints | None) -> tuple[Floats, Floats]:
        assert tasks is not None
        values = self.basis_(X)
        fits = np.empty((2, len(values), 1))
        for task in np.unique(tasks):
            rows = tasks == task
            fits[:, rows, 0] = self.coefficients_[:, :, task] @ values[rows].T
        return fits[0], fits[1]


def per_task(model: object, name: str, n_tasks: int) -> Floats:
    """Return a parameter, one number or one per task, as one number per task.

    Raises
    ------
    MethodError
        The numbers are not one per task.
    """
    values = np.asarray(getattr(model, name), dtype=np.float64)
    if values.ndim and values.shape != (n_tasks,):
        raise MethodError(
            f"{type(model).__name__}: {name} must be one number or {n_tasks}, one per task; "
            f"got shape {values.shape}"
        )
    return np.broadcast_to(values, (n_tasks,))
