"""Least-squares probabilistic classifiers: what they share, and the one for single labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Self

import numpy as np

from mlbench.methods.base import RandomState
from mlbench.methods.kernels import Centers, GaussianBasis, gaussian, gram_eigenpairs
from mlbench.methods.large_arrays import LargeArray, kernel_basis
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethod, TaskPathMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix

SCORES = ("clipped", "raw")


@dataclass(eq=False, repr=False)
class LeastSquaresProbabilistic(PathMethod):
    """Base class of the classifiers that fit class indicators by Gaussian basis functions.

    A subclass implements `_fit_models`, which fits models that differ only in parameters outside
    `_shared_parameters`, and `_class_fits`, which evaluates the two fitted functions.

    Parameters
    ----------
    width : float, default=1.0
        Bandwidth of the Gaussian, ``exp(-||x - z||^2 / (2 sigma^2))``: sigma is width times the
        median distance between training rows.
    scores : {"clipped", "raw"}, default="clipped"
        ``clipped``: the probability of class 1. ``raw``: the difference of the two fits before
        clipping and normalizing, which has fewer ties.
    n_basis : int, optional
        Number of training rows, drawn at random, that carry a basis function; all by default.
        Recommended above 5000 rows.
    random_state : int, optional
        Seed of the draw of basis functions.

    Attributes
    ----------
    n_undefined_ : int
        How many probabilities of the latest prediction were 0/0 and set to 1/2.
    constant_labels_ : int array
        The labels (with tasks: the tasks) with a single class in training, which is their score.
    """

    width: float = 1.0
    _: KW_ONLY
    scores: str = "clipped"
    n_basis: int | None = None
    random_state: RandomState = None

    _shared_parameters: ClassVar[tuple[str, ...]] = ("n_basis", "random_state", "width")

    @property
    def large_arrays(self) -> tuple[LargeArray, ...]:
        """The values of the basis functions at the training rows, and their products."""
        return kernel_basis(self.n_basis)

    def _check_parameters(self) -> None:
        require_positive(self, "width")
        require_one_of(self, "scores", SCORES)
        if self.n_basis is not None:
            require_count(self, "n_basis")

    def _fit_models(
        self, models: Sequence[Self], design: Floats, Y: Ints, tasks: Ints | None
    ) -> Iterator[Self]:
        """Yield the models, fitted to the (n, B) design, which may be overwritten.

        Their ``basis_`` is set, without rotation.
        """
        raise NotImplementedError

    def _class_fits(self, X: Matrix, tasks: Ints | None) -> tuple[Floats, Floats]:
        """Return the fits of class 1, (m, k), and of the all-ones target, (m, 1) or (m, k)."""
        raise NotImplementedError

    @property
    def threshold(self) -> float:  # type: ignore[override]
        """1/2 for probabilities, 0 for differences."""
        return 0.5 if self.scores == "clipped" else 0.0

    @property
    def n_undefined_(self) -> int:
        """How many probabilities of the latest prediction were 0/0 and set to 1/2."""
        return self._counts["undefined"]

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all share the distances, and a group the values of the basis."""
        groups = list(groups)
        latest: dict[str, tuple[Centers, Floats]] = {}
        for group in groups:
            indices, models = zip(*group, strict=True)
            for model in models:
                checked, labels, of_task = model._check_training(X, Y, tasks)
            key = repr((model.n_basis, model.random_state))
            if key not in latest:
                centers = Centers(checked, model.n_basis, model.random_state)
                latest = {key: (centers, centers.fit_scale(checked))}
            centers, squared = latest[key]
            basis = GaussianBasis(centers, model.width * centers.scale)
            for model in models:
                model.basis_ = basis
            out = squared if group is groups[-1] else None
            design = gaussian(squared, basis.sigma, out)
            yield from zip(indices, self._fit_models(models, design, labels, of_task), strict=True)

    def _check_training(
        self, X: Matrix, Y: Ints, tasks: Ints | None = None
    ) -> tuple[Matrix, Ints, Ints | None]:
        X, Y, tasks = super()._check_training(X, Y, tasks)
        self._constants = Y[0, self.constant_labels_] if tasks is None else Y[:0, 0]
        self._counts = {"undefined": 0}
        return X, Y, tasks

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        ones, all_ones = self._class_fits(X, tasks)
        scores, undefined = class_scores(ones, all_ones - ones, self.scores)
        self._counts["undefined"] = undefined
        if tasks is None and len(self.constant_labels_):
            low = 0 if self.scores == "clipped" else -1
            scores[:, self.constant_labels_] = np.where(self._constants == 1, 1, low)
        return scores


def class_scores(ones: Floats, zeros: Floats, score: str) -> tuple[Floats, int]:
    """Combine the fits of the two classes into one score.

    Parameters
    ----------
    ones, zeros : (m, k) arrays
        The fitted functions of class 1 and of class 0; they may be negative.
    score
        ``"clipped"``: negative values are set to 0, the two are normalized to sum 1, and 0/0 is
        set to 1/2; ``"raw"``: their difference.

    Returns
    -------
    scores : (m, k) array
    undefined : int
        How many scores were 0/0.

    References
    ----------
    Yamada, Sugiyama, Wichern & Simm (2011), equation at the end of section 2 of Nam, Hachiya
    & Sugiyama.
    """
    if score == "raw":
        return ones - zeros, 0
    top = np.maximum(ones, 0)
    total = top + np.maximum(zeros, 0)
    undefined = total == 0
    return np.where(undefined, 0.5, top / np.where(undefined, 1, total)), int(undefined.sum())


@dataclass(eq=False, repr=False)
class LSPC(TaskPathMethod, LeastSquaresProbabilistic):
    """Least-squares probabilistic classifier: an independent kernel fit of each label.

    Class indicators are fitted by Gaussian basis functions centered on the training rows, with
    squared loss and an l2 penalty. Negative values are set to 0, and the two classes are
    normalized. With tasks, every task has a classifier of its own, fitted to its own rows.

    Parameters
    ----------
    rho : float, default=0.1
        Weight of the penalty ``rho * ||theta||^2`` of the coefficients.

    References
    ----------
    Sugiyama (2010), IEICE Transactions E93-D, 2690-2701; section 2 of Nam, Hachiya &
    Sugiyama, Computationally efficient multi-label classification by least-squares
    probabilistic classifiers.
    """

    rho: float = 0.1

    example_grid = tuple(
        {"width": width, "rho": rho} for width in (0.5, 1.0) for rho in (0.01, 1.0)
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "rho")

    def _fit_models(
        self, models: Sequence[LSPC], design: Floats, Y: Ints, tasks: Ints | None
    ) -> Iterator[LSPC]:
        centers, sigma = models[0].basis_.centers, models[0].basis_.sigma
        right = design.T @ np.column_stack([Y, np.ones(len(Y))])
        f, V = gram_eigenpairs(design, symmetric=len(design) == centers.points.shape[0])
        right = V.T @ right
        basis = GaussianBasis(centers, sigma, rotation=V)
        for model in models:
            model.basis_ = basis
            model.coefficients_ = right / (f + model.rho)[:, None]
            yield model

    def _class_fits(self, X: Matrix, tasks: Ints | None) -> tuple[Floats, Floats]:
        fits = self.basis_(X) @ self.coefficients_
        return fits[:, :-1], fits[:, -1:]

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        scores = super()._scores(X, tasks)
        if tasks is not None:
            fitted = [self.task_models_[task] for task in np.unique(tasks)]
            self._counts["undefined"] = sum(getattr(each, "n_undefined_", 0) for each in fitted)
        return scores

    def _join_reports(self) -> None:
        """Set nothing: a fit in closed form has no report."""
