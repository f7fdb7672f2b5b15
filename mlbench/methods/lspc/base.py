"""What the least-squares probabilistic classifiers share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from mlbench.methods.base import Grid, MultiLabelMethod, path_models
from mlbench.methods.kernels import Basis, Centers, gaussian
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.solvers.arrays import Floats, Ints, Matrix

SCORES = ("clipped", "raw")


class LeastSquaresProbabilistic(MultiLabelMethod):
    """Base of the classifiers that fit class indicators by Gaussian basis functions.

    A subclass states its parameters (``width``, ``scores``, ``n_basis`` and ``random_state``
    among them) and writes `_fit_models`, which fits models that differ in their other
    parameters only, and `_class_fits`, which evaluates the two fitted functions.
    """

    width: float
    scores: str
    n_basis: int | None
    random_state: Any
    basis_: Basis

    _shared: tuple[str, ...] = ("n_basis", "random_state", "width")
    """The parameters in which models must agree to be fitted together."""

    def _check_parameters(self) -> None:
        require_positive(self, "width")
        require_one_of(self, "scores", SCORES)
        if self.n_basis is not None:
            require_count(self, "n_basis")

    def _fit_models(
        self, models: Sequence[Any], design: Floats, Y: Ints, tasks: Ints | None
    ) -> Iterator[Any]:
        """Yield the models, fitted to the (n, B) design, which may be overwritten.

        Each comes with ``basis_``, not rotated.
        """
        raise NotImplementedError

    def _class_fits(self, X: Matrix, tasks: Ints | None) -> tuple[Floats, Floats]:
        """Return the fits of class 1, (m, k), and of the all-ones target, (m, 1) or (m, k)."""
        raise NotImplementedError

    @property
    def threshold(self) -> float:  # type: ignore[override]
        """The native threshold: 1/2 for probabilities, 0 for differences."""
        return 0.5 if self.scores == "clipped" else 0.0

    @property
    def n_undefined_(self) -> int:
        """How many probabilities of the latest prediction were 0/0, and set to 1/2."""
        return self._tally["undefined"]

    def _fit_path(self, grid: Grid, X: Matrix, Y: Ints, tasks: Ints | None) -> Iterator[Any]:
        placed: dict[str, tuple[Centers, Floats]] = {}
        for group in path_models(self, grid, self._shared):
            indices, models = zip(*group, strict=True)
            first = models[0]
            for model in models:
                checked, labels, of_task = model._prepare(X, Y, tasks)
            place = repr((first.n_basis, first.random_state))
            if place not in placed:
                centers = Centers(checked, first.n_basis, first.random_state)
                placed = {place: (centers, centers.measure(checked))}
            centers, squared = placed[place]
            basis = _shared_basis(models, centers)
            fitted = self._fit_models(models, gaussian(squared, basis.sigma), labels, of_task)
            yield from zip(indices, fitted, strict=True)

    def _fit_alone(self, X: Matrix, Y: Ints, tasks: Ints | None) -> Self:
        X, Y, tasks = self._prepare(X, Y, tasks)
        centers = Centers(X, self.n_basis, self.random_state)
        design = centers.measure(X)
        basis = _shared_basis([self], centers)
        list(self._fit_models([self], gaussian(design, basis.sigma, out=design), Y, tasks))
        return self

    def _prepare(self, X: Matrix, Y: Ints, tasks: Ints | None) -> tuple[Matrix, Ints, Ints | None]:
        X, Y, tasks = self._check_training(X, Y, tasks)
        self._constants = Y[0, self.constant_labels_] if tasks is None else Y[:0, 0]
        self._tally = {"undefined": 0}
        return X, Y, tasks

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        ones, all_ones = self._class_fits(X, tasks)
        scores, undefined = class_scores(ones, all_ones - ones, self.scores)
        self._tally["undefined"] = undefined
        if tasks is None and len(self.constant_labels_):
            low = 0 if self.scores == "clipped" else -1
            scores[:, self.constant_labels_] = np.where(self._constants == 1, 1, low)
        return scores


def _shared_basis(models: Sequence[Any], centers: Centers) -> Basis:
    """Give models of one width the same basis, so that they share what it remembers."""
    basis = Basis(centers, models[0].width * centers.scale)
    for model in models:
        model.basis_ = basis
    return basis


def class_scores(ones: Floats, zeros: Floats, score: str) -> tuple[Floats, int]:
    """Turn the fits of the two classes into one score.

    Parameters
    ----------
    ones, zeros : (m, k) arrays
        The fitted functions of class 1 and of class 0; they may be negative.
    score
        ``"clipped"``: negative values are set to 0 and the two normalized, and 0/0 is 1/2;
        ``"raw"``: their difference.

    Returns
    -------
    scores : (m, k) array
    undefined : int
        How many were 0/0.

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
