"""ML-CSSP: fit some of the labels, and recover the others as linear combinations of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from numbers import Integral, Real

import numpy as np
from scipy import linalg, sparse
from sklearn.base import is_regressor

from mlbench.errors import MethodError
from mlbench.methods.base import RandomState
from mlbench.methods.parameters import require_one_of
from mlbench.methods.problem_transformation.base_fits import FitCache, positive_probability
from mlbench.methods.problem_transformation.base_learner_method import ProblemTransformationMethod
from mlbench.methods.problem_transformation.linear_labels import MANY
from mlbench.solvers.arrays import Floats, Ints, Matrix

_WHOLE = 1e-10  # coefficients nearer to a whole number are that number


@dataclass(eq=False, repr=False)
class MLCSSP(ProblemTransformationMethod):
    """Column subset selection: fit some labels, and predict all as combinations of them.

    Labels are drawn at random without replacement, with probability proportional to their
    leverage in the best approximation of Y of rank kappa. One base learner is fitted to each. Y is
    close to ``C C^+ Y``, where C holds the drawn columns and ``C^+`` is its pseudo-inverse; the
    scores are the outputs of the base learners times ``C^+ Y``. A label is predicted if its score
    is at least 1/2.

    If all labels are drawn and none is a combination of others, this is binary relevance. Labels
    with a single class in training are never drawn and score 0 or 1.

    Parameters
    ----------
    base : str or estimator, default="logistic"
        The learner: a classifier as for `br`, or a regressor, which is fitted to 0 and 1. The
        margins of a classifier without probabilities pass through the logistic function.
    kappa : int or float, optional
        The number of labels to draw, or as a float the share of the labels with two classes;
        half of them by default. MULAN's default is a tenth, and at least two.
    variant : {"paper", "mulan"}, default="paper"
        ``"mulan"`` follows the code of MULAN, which differs from the paper: its own default of
        ``kappa``; the draws of Java's generator with seed 1; the leverage of label j from the
        first entries of the j-th singular vector, not from the j-th entries of all vectors, and
        the norm instead of its square; and a label is predicted if the score is above 0 and at
        most 1.
    random_state : int, optional
        Seed of the draw. A ``random_state`` of the base that is None is derived from it.

    Attributes
    ----------
    leverage_ : (k,) array
        The probability of every label at the first draw; 0 for constant labels.
    columns_ : (kappa,) int array
        The drawn labels, ascending.
    estimators_ : list
        Their fitted base learners.
    reconstruction_ : (kappa, k) array
        ``C^+ Y``.

    References
    ----------
    Bi & Kwok (2013), Efficient multi-label classification with many labels. ICML, JMLR W&CP
    28(3), 405-413.
    """

    _takes_regressors = True
    kappa: float | None = None
    variant: str = "paper"
    random_state: RandomState = None

    example_grid = tuple({"kappa": kappa} for kappa in (1, 2, 0.7, 5))
    takes_bytes = True
    label_order_counts = True
    """The position of a label in Y decides which draws select it."""

    _prediction_parameters = ("kappa", "variant")

    def _check_parameters(self) -> None:
        require_one_of(self, "variant", ("paper", "mulan"))
        if self.kappa is not None and not _is_count(self.kappa) and not _is_share(self.kappa):
            raise MethodError(
                "MLCSSP: kappa must be a whole number of at least 1, or a share above 0 and at "
                f"most 1.0; got {self.kappa!r}"
            )

    def _learn(self, fits: FitCache, Y: Ints, seed: int) -> None:
        """Draw labels and fit them; draws of several ``kappa`` need not be nested."""
        varying = np.setdiff1d(np.arange(Y.shape[1]), self.constant_labels_)
        part = Y[:, varying]
        kappa = self._count(len(varying))
        of_varying = (mulan_leverage if self.variant == "mulan" else leverage)(part, kappa)
        self.leverage_ = np.zeros(Y.shape[1])
        self.leverage_[varying] = of_varying
        self.columns_ = varying[self._draw(of_varying, kappa, seed)]
        self.estimators_ = fits.each(Y[:, self.columns_])
        self.reconstruction_ = np.zeros((kappa, Y.shape[1]))
        self.reconstruction_[:, varying] = reconstruction(Y[:, self.columns_], part)

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
        predicted = np.zeros((X.shape[0], len(self.columns_)))
        for place, model in enumerate(self.estimators_):
            predicted[:, place] = (
                model.predict(X) if is_regressor(model) else positive_probability(model, X)
            )
        scores = predicted @ self.reconstruction_
        positive = (scores > 0) & (scores <= 1) if self.variant == "mulan" else scores >= 0.5
        return scores, positive.astype(np.int64)


def leverage(Y: Ints, kappa: int) -> Floats:
    """Return the leverage of every column in the best approximation of rank kappa, (k,).

    It is the squared norm of the column's entries in the first kappa right singular vectors, or
    in all that belong to the rank of Y if that is less, divided by their number. Of many labels
    these are the eigenvectors of Y'Y, as Y in floats would not fit.
    """
    if not Y.shape[1]:
        return np.zeros(0)
    least = max(Y.shape) * np.finfo(np.float64).eps
    if Y.shape[1] < MANY:
        _, values, vectors = np.linalg.svd(Y.astype(np.float64), full_matrices=False)
    else:
        first = [Y.shape[1] - kappa, Y.shape[1] - 1]
        squares, columns = linalg.eigh(_product(Y, Y), subset_by_index=first, overwrite_a=True)
        values, vectors, least = np.sqrt(np.abs(squares[::-1])), columns[:, ::-1].T, least**0.5
    used = min(kappa, int(np.sum(values > least * values[0])))
    probabilities = (vectors[:used] ** 2).sum(axis=0)
    return np.asarray(probabilities / probabilities.sum())


def mulan_leverage(Y: Ints, kappa: int) -> Floats:
    """Return the probabilities with which MULAN draws the columns, (k,)."""
    vectors = np.linalg.svd(Y.astype(np.float64), full_matrices=len(Y) < Y.shape[1])[2]
    probabilities = np.linalg.norm(vectors[:, :kappa], axis=1)
    return np.asarray(probabilities / probabilities.sum()) if len(probabilities) else probabilities


def reconstruction(C: Ints, Y: Ints) -> Floats:
    """Return ``C^+ Y``; coefficients that are integers up to rounding are rounded.

    Of many labels it is ``(C'C)^+ C'Y``, whose products are exact.
    """
    tolerance = max(C.shape) * np.finfo(np.float64).eps
    if Y.shape[1] < MANY:
        left, right = C.astype(np.float64), Y.astype(np.float64)
    else:
        left, right = _product(C, C), _product(C, Y)
    found = np.linalg.lstsq(left, right, rcond=tolerance)[0]
    whole = np.rint(found)
    return np.where(np.abs(found - whole) < _WHOLE, whole, found)


def _product(A: Ints, B: Ints) -> Floats:
    """Return A'B of two matrices of few ones, (a, b)."""
    left, right = (sparse.csr_array(each).astype(np.float64) for each in (A, B))
    return np.asarray((left.T @ right).toarray())


def java_random(seed: int) -> Iterator[float]:
    """Yield the numbers of ``nextDouble`` of Java's ``Random``."""
    # A linear congruential generator of 48 bits. A double takes 26 and 27 of the high bits of two
    # states.
    state = (seed ^ 0x5DEECE66D) % 2**48
    while True:
        halves = []
        for bits in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) % 2**48
            halves.append(state >> (48 - bits))
        yield (halves[0] * 2**27 + halves[1]) / 2**53


def _is_count(kappa: object) -> bool:
    return isinstance(kappa, Integral) and not isinstance(kappa, bool) and int(kappa) >= 1


def _is_share(kappa: object) -> bool:
    return isinstance(kappa, Real) and not isinstance(kappa, Integral) and 0 < float(kappa) <= 1
