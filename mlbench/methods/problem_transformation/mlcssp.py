"""ML-CSSP: fit some of the labels, and recover the others as linear combinations of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import is_regressor

from mlbench.errors import MethodError
from mlbench.methods.base import Grid, path_models
from mlbench.methods.parameters import require_one_of
from mlbench.methods.problem_transformation.base import (
    ProblemTransformationMethod,
    draw_seed,
    seeded_fit_cache,
)
from mlbench.methods.problem_transformation.base_fits import FitCache, positive_probability
from mlbench.solvers.arrays import Floats, Ints, Matrix

_WHOLE = 1e-10  # coefficients nearer to a whole number are that number


class MLCSSP(ProblemTransformationMethod):
    """Column subset selection: a base learner for some labels, and their span for all.

    Labels are drawn at random by their leverage, how much they matter to the best approximation
    of Y of that rank, until there are enough. One base learner is fitted to each. Y is nearly
    ``C C^+ Y``, where C holds the drawn columns and ``C^+`` is its pseudo-inverse; so the scores
    are what the base learners say, times ``C^+ Y``. A label is predicted at 1/2 or more.

    With all labels drawn this is binary relevance, if no label is a combination of others.
    Labels of one class in training are never drawn and score 0 or 1.

    Parameters
    ----------
    base : str or estimator, default="logistic"
        The learner: a classifier by short name (logistic, tree, linear_svc, ...), a dotted name,
        ``file.py:Class``, or an estimator; its parameters are reached as ``base__C``, in
        an experiment plain ``C`` does. Probabilities count as they are, margins go through a
        logistic link. A regressor is fitted to 0 and 1.
    kappa : int or float, optional
        How many labels to draw: a whole number, or a share of those with two classes. Half of
        them by default; all of them if there are not as many. MULAN's default is a tenth, and
        at least two.
    variant : {"paper", "mulan"}, default="paper"
        ``"mulan"`` does what MULAN's code does, which is not what the paper says: its own
        default of ``kappa``; the draws of Java's generator with seed 1; the leverage of label j
        from the j-th singular vector's first entries, not from all vectors' j-th entries, and
        the norm, not its square; and a label is predicted where the score is above 0 and at
        most 1.
    random_state : int, optional
        The seed of the draw. Where the base has an open ``random_state``, it is derived from
        this one, and the same for all fits.

    Attributes
    ----------
    leverage_ : (k,) array
        The chance of every label at the first draw; they add up to 1. 0 for labels of one class.
    columns_ : (kappa,) int array
        The drawn labels, ascending.
    estimators_ : list
        Their fitted base learners.
    reconstruction_ : (kappa, k) array
        ``C^+ Y``.
    constant_labels_ : int array
        The labels that had one class in training.

    References
    ----------
    Bi & Kwok (2013), Efficient multi-label classification with many labels. ICML, JMLR W&CP
    28(3), 405-413.
    """

    example_grid = tuple({"kappa": kappa} for kappa in (1, 2, 0.7, 5))
    label_order_counts = True
    """A label's place in Y decides which draws fall on it."""

    def __init__(
        self,
        base: Any = "logistic",
        kappa: float | None = None,
        variant: str = "paper",
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.kappa = kappa
        self.variant = variant
        self.random_state = random_state

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Draw labels, and fit one base learner to each.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
        """
        X, Y = self._prepare(X, Y)
        seed = draw_seed(self.random_state)
        return self._learn(seeded_fit_cache(self.base, X, seed), Y, seed)

    def fit_path(self, X: Matrix, Y: Ints, grid: Grid) -> Iterator[tuple[int, MLCSSP]]:
        """Yield (index, fitted model) for every point of a grid of parameters.

        Each ``kappa`` has a leverage and a draw of its own, so a smaller draw need not be part
        of a larger one; but a label that several of them draw is fitted once.
        """
        for group in path_models(self, grid, ("base", "random_state")):
            for _, model in group:
                checked, labels = model._prepare(X, Y)
            first = group[0][1]
            fits = seeded_fit_cache(first.base, checked, draw_seed(first.random_state))
            for index, model in group:
                yield index, model._learn(fits, labels, draw_seed(model.random_state))

    def _check_parameters(self) -> None:
        require_one_of(self, "variant", ("paper", "mulan"))
        if self.kappa is not None and not _is_count(self.kappa) and not _is_share(self.kappa):
            raise MethodError(
                "MLCSSP: kappa must be a whole number from 1 on, or a share above 0 and up to "
                f"1.0; got {self.kappa!r}"
            )

    def _learn(self, fits: FitCache, Y: Ints, seed: int) -> Self:
        varying = np.setdiff1d(np.arange(Y.shape[1]), self.constant_labels_)
        part = Y[:, varying].astype(np.float64)
        kappa = self._count(len(varying))
        of_varying = (mulan_leverage if self.variant == "mulan" else leverage)(part, kappa)
        self.leverage_ = np.zeros(Y.shape[1])
        self.leverage_[varying] = of_varying
        self.columns_ = varying[self._draw(of_varying, kappa, seed)]
        self.estimators_ = [fits(Y[:, column]) for column in self.columns_]
        self.reconstruction_ = np.zeros((kappa, Y.shape[1]))
        self.reconstruction_[:, varying] = reconstruction(Y[:, self.columns_], part)
        return self

    def _count(self, n_labels: int) -> int:
        kappa = self.kappa
        if kappa is None:
            kappa = max(2, floor(0.1 * n_labels + 0.5)) if self.variant == "mulan" else 0.5
        if not _is_count(kappa):
            kappa = max(1, round(float(kappa) * n_labels))
        return min(int(kappa), n_labels)

    def _draw(self, probabilities: Floats, kappa: int, seed: int) -> Ints:
        """Draw until there are kappa different labels."""
        if kappa == len(probabilities):
            return np.arange(kappa)
        if self.variant == "mulan":
            bounds = np.cumsum(probabilities)[:-1]
            drawn: set[int] = set()
            numbers = java_random(1)
            while len(drawn) < kappa:
                drawn.add(int(np.searchsorted(bounds, next(numbers), side="right")))
            return np.array(sorted(drawn))
        random = np.random.RandomState(seed)
        return np.sort(random.choice(len(probabilities), kappa, replace=False, p=probabilities))

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        said = np.zeros((X.shape[0], len(self.columns_)))
        for place, model in enumerate(self.estimators_):
            said[:, place] = (
                model.predict(X) if is_regressor(model) else positive_probability(model, X)
            )
        scores = said @ self.reconstruction_
        positive = (scores > 0) & (scores <= 1) if self.variant == "mulan" else scores >= 0.5
        return scores, positive.astype(np.int64)


def leverage(Y: Floats, kappa: int) -> Floats:
    """Return how much each column matters to the best approximation of rank kappa, (k,).

    It is the squared norm of the column's entries in the first kappa right singular vectors, or
    in all that belong to the rank of Y if that is less, divided by their number.
    """
    _, values, vectors = np.linalg.svd(Y, full_matrices=False)
    if not len(values):
        return np.zeros(Y.shape[1])
    rank = int(np.sum(values > max(Y.shape) * np.finfo(np.float64).eps * values[0]))
    used = min(kappa, rank)
    probabilities = (vectors[:used] ** 2).sum(axis=0)
    return np.asarray(probabilities / probabilities.sum())


def mulan_leverage(Y: Floats, kappa: int) -> Floats:
    """Return the chances with which MULAN draws the columns, (k,)."""
    vectors = np.linalg.svd(Y, full_matrices=len(Y) < Y.shape[1])[2]
    probabilities = np.linalg.norm(vectors[:, :kappa], axis=1)
    return np.asarray(probabilities / probabilities.sum()) if len(probabilities) else probabilities


def reconstruction(C: Ints, Y: Floats) -> Floats:
    """Return ``C^+ Y``, with coefficients that are whole but for rounding made so."""
    tolerance = max(C.shape) * np.finfo(np.float64).eps
    found = np.linalg.lstsq(C.astype(np.float64), Y, rcond=tolerance)[0]
    whole = np.rint(found)
    return np.where(np.abs(found - whole) < _WHOLE, whole, found)


def java_random(seed: int) -> Iterator[float]:
    """Yield what ``nextDouble`` of Java's ``Random`` gives: a congruential generator of 48 bits."""
    state = (seed ^ 0x5DEECE66D) % 2**48
    while True:
        halves = []
        for bits in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) % 2**48
            halves.append(state >> (48 - bits))
        yield (halves[0] * 2**27 + halves[1]) / 2**53


def _is_count(kappa: Any) -> bool:
    return isinstance(kappa, Integral) and not isinstance(kappa, bool) and int(kappa) >= 1


def _is_share(kappa: Any) -> bool:
    return isinstance(kappa, Real) and not isinstance(kappa, Integral) and 0 < float(kappa) <= 1
