"""Multi-task least-squares probabilistic classifiers: every row belongs to one task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.base import Grid, require_tasks
from mlbench.methods.lspc.base import LeastSquaresProbabilistic
from mlbench.methods.parameters import require_positive, require_positives, require_symmetric
from mlbench.solvers.arrays import Floats, Ints, Matrix


class _CoupledLSPC(LeastSquaresProbabilistic):
    """LSPC whose tasks are tied by a (T, T) matrix: the covariance of their coefficients.

    With G the Gram matrix of the basis functions and M the coupling, the fit at x in task t is
    ``pi' (M[t_n, t_n'] G + I)^-1 (M[t_n, t] phi(x_n)' phi(x))``; sections 3 and 4 of Nam et al.
    """

    needs_tasks = True

    def _coupling(self, n_tasks: int) -> Floats:
        raise NotImplementedError

    def fit(self, X: Matrix, Y: Ints, tasks: Ints | None = None) -> Self:
        """Fit all tasks together.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, 1) array of 0 and 1
        tasks : (n,) int array of 0..T-1
        """
        require_tasks(self, tasks)
        return self._fit_alone(X, Y, tasks)

    def fit_path(
        self, X: Matrix, Y: Ints, grid: Grid, tasks: Ints | None = None
    ) -> Iterator[tuple[int, Any]]:
        """Yield (index, fitted model) for every point of a grid of parameters.

        The distances are found once, and the Gram matrix of the basis functions once per width.
        """
        require_tasks(self, tasks)
        yield from self._fit_path(grid, X, Y, tasks)

    def _fit_models(
        self, models: Sequence[Any], design: Floats, Y: Ints, tasks: Ints | None
    ) -> Iterator[Any]:
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


class MultiTaskLSPC(_CoupledLSPC):
    """Multi-task LSPC: each task's coefficients are a common part plus its own.

    Parameters
    ----------
    width : float, default=1.0
        The Gaussian's sigma, as a multiple of the median distance between training rows.
    w0 : float, default=1.0
        The penalty of the common part; large: the tasks are independent.
    w : float or sequence of T floats, default=1.0
        The penalty of the tasks' own parts; large: one classifier for all tasks.
    scores : {"clipped", "raw"}, default="clipped"
        The probability of class 1, or the difference of the two fits before normalizing.
    n_basis : int, optional
        How many training rows, drawn at random, carry a basis function; all by default.
    random_state : int, optional
        For the draw.

    Attributes
    ----------
    n_undefined_ : int
        How many probabilities of the latest prediction were 0/0, and set to 1/2.
    constant_labels_ : int array
        The tasks that had one class in training. They are fitted like the others, since the
        common part tells them something.

    References
    ----------
    Simm, Sugiyama & Kato (2011), IPSJ Transactions on Computer Vision and Applications 3, 1-8;
    section 3 of Nam, Hachiya & Sugiyama.
    """

    example_grid = tuple(
        {"width": width, "w": value} for width in (0.5, 1.0) for value in (0.1, 1.0)
    )

    def __init__(
        self,
        width: float = 1.0,
        w0: float = 1.0,
        w: Any = 1.0,
        scores: str = "clipped",
        n_basis: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.width = width
        self.w0 = w0
        self.w = w
        self.scores = scores
        self.n_basis = n_basis
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "w0")
        require_positives(self, "w")

    def _coupling(self, n_tasks: int) -> Floats:
        return np.asarray(1 / self.w0 + np.diag(1 / _per_task(self, "w", n_tasks)))


class PairwiseMultiTaskLSPC(_CoupledLSPC):
    """Pairwise multi-task LSPC: the coefficients of similar tasks are drawn together.

    Parameters
    ----------
    width : float, default=1.0
        The Gaussian's sigma, as a multiple of the median distance between training rows.
    lam : float or sequence of T floats, default=0.1
        The penalty of each task's coefficients.
    gamma : float or (T, T) matrix, default=0.1
        The similarity of each pair of tasks, symmetric and not negative; the penalty of their
        squared difference. One number: that for all pairs. 0: the tasks are independent.
    scores : {"clipped", "raw"}, default="clipped"
        The probability of class 1, or the difference of the two fits before normalizing.
    n_basis : int, optional
        How many training rows, drawn at random, carry a basis function; all by default.
    random_state : int, optional
        For the draw.

    Attributes
    ----------
    n_undefined_ : int
        How many probabilities of the latest prediction were 0/0, and set to 1/2.
    constant_labels_ : int array
        The tasks that had one class in training. They are fitted like the others, since
        similar tasks tell them something.

    References
    ----------
    Section 4 of Nam, Hachiya & Sugiyama, Computationally efficient multi-label classification
    by least-squares probabilistic classifiers.
    """

    example_grid = tuple(
        {"width": width, "gamma": value} for width in (0.5, 1.0) for value in (0.1, 1.0)
    )

    def __init__(
        self,
        width: float = 1.0,
        lam: Any = 0.1,
        gamma: Any = 0.1,
        scores: str = "clipped",
        n_basis: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.width = width
        self.lam = lam
        self.gamma = gamma
        self.scores = scores
        self.n_basis = n_basis
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positives(self, "lam")
        if isinstance(self.gamma, Real):
            require_positive(self, "gamma", zero=True)
        else:
            require_symmetric(self, "gamma", "a number from 0 on")

    def _coupling(self, n_tasks: int) -> Floats:
        gamma = np.asarray(self.gamma, dtype=np.float64)
        if gamma.ndim == 0:
            gamma = np.full((n_tasks, n_tasks), gamma)
        if gamma.shape != (n_tasks, n_tasks):
            raise MethodError(
                f"PairwiseMultiTaskLSPC: gamma must be one number or a ({n_tasks}, {n_tasks}) "
                f"matrix, one row per task; got shape {gamma.shape}"
            )
        penalty = np.diag(_per_task(self, "lam", n_tasks) + gamma.sum(axis=1)) - gamma
        return np.asarray(linalg.inv(penalty))


def _per_task(model: Any, name: str, n_tasks: int) -> Floats:
    """Return a penalty as one number per task."""
    values = np.asarray(getattr(model, name), dtype=np.float64)
    if values.ndim and values.shape != (n_tasks,):
        raise MethodError(
            f"{type(model).__name__}: {name} must be one number or {n_tasks}, one per task; "
            f"got shape {values.shape}"
        )
    return np.broadcast_to(values, (n_tasks,))
