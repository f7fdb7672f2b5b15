"""Multi-task least-squares probabilistic classifiers: the coefficients of the tasks are coupled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.base import require_tasks
from mlbench.methods.lspc.lspc import LeastSquaresProbabilistic
from mlbench.methods.parameters import require_positive, require_positives, require_symmetric
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
            # system = M[t_n, t_n'] G + I, entry by entry
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
