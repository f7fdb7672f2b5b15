"""Label powerset: every labelset of training is a class."""

from dataclasses import dataclass

import numpy as np

from mlbench.methods.base_learners import make_base
from mlbench.methods.large_arrays import LABELSET_COEFFICIENTS, LargeArray
from mlbench.methods.parameters import require_one_of
from mlbench.methods.problem_transformation.base_fits import FitCache, class_probabilities
from mlbench.methods.problem_transformation.base_learner_method import ProblemTransformationMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(eq=False, repr=False)
class LabelPowerset(ProblemTransformationMethod):
    """Label powerset: one multi-class problem whose classes are the labelsets of training.

    A row gets its most likely labelset, so labelsets that do not occur in training are never
    predicted. Ties go to the labelset with more labels (at random in MULAN), so that a single
    label is treated as by binary relevance.

    Parameters
    ----------
    scores : {"marginal", "mulan"}, default="marginal"
        ``marginal``: the total probability of the labelsets that contain the label. ``mulan``: the
        default confidence of MULAN, p for the labels of the most likely labelset, where p is its
        probability, and 1 - p for all others; it ranks badly, because it ignores the other
        labelsets.

    Attributes
    ----------
    labelsets_ : (C, k) int array
        The labelsets of training, by number of labels and then by first occurrence.
    model_
        The classifier of the indices of the labelsets.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2010), Mining multi-label data. Data Mining and Knowledge
    Discovery Handbook, 667-685. The marginal score is that of Read (2008), A pruned problem
    transformation method for multi-label classification. NZCSRS, 143-150.
    """

    scores: str = "marginal"

    example_grid = ({"scores": "marginal"}, {"scores": "mulan"})
    path_tolerance = 0.0
    _prediction_parameters = ("scores",)

    @property
    def large_arrays(self) -> tuple[LargeArray, ...]:
        """The coefficients of a logistic regression, whose classes are the labelsets."""
        by_lbfgs = getattr(make_base(self.base), "solver", None) == "lbfgs"
        return LABELSET_COEFFICIENTS if by_lbfgs else ()

    def _check_parameters(self) -> None:
        require_one_of(self, "scores", ("marginal", "mulan"))

    def _learn(self, fits: FitCache, Y: Ints, seed: int) -> None:
        self._powerset = Powerset(Y, fits)
        self.labelsets_ = self._powerset.labelsets
        self.model_ = self._powerset.model

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        probabilities = self._powerset.probabilities(X)
        labels = self._powerset.labels(probabilities)
        if self.scores == "marginal":
            return self._powerset.marginals(probabilities), labels
        best = probabilities.max(axis=1, keepdims=True)
        return np.where(labels == 1, best, 1 - best), labels


class Powerset:
    """The labelsets of some labels in training, and a classifier for them.

    Attributes
    ----------
    labelsets : (C, s) int array
        As in `LabelPowerset`.
    model
        The classifier. Sets of labels that partition the rows equally share one, because the
        order of the labelsets does not depend on the order of the labels.
    """

    def __init__(self, Y: Ints, fits: FitCache) -> None:
        self.labelsets, codes = fits.once(find_labelsets, Y)
        self.model = fits(codes)

    def probabilities(self, X: Matrix) -> Floats:
        """Return the probability of every labelset, (m, C)."""
        return class_probabilities(self.model, X, len(self.labelsets))

    def marginals(self, probabilities: Floats) -> Floats:
        """Return the total probability of the labelsets that contain each label, (m, s)."""
        return np.minimum(probabilities @ self.labelsets, 1)

    def labels(self, probabilities: Floats) -> Ints:
        """Return the most likely labelset of every row, the last one of several, (m, s)."""
        # argmax takes the first of equal values, and here the last is wanted
        winner = probabilities.shape[1] - 1 - np.argmax(probabilities[:, ::-1], axis=1)
        return np.asarray(self.labelsets[winner])


def find_labelsets(Y: Ints) -> tuple[Ints, Ints]:
    """Return the distinct rows of Y, by number of labels and first occurrence, and their codes."""
    found, first, codes = np.unique(
        Y.astype(np.uint8), axis=0, return_index=True, return_inverse=True
    )
    order = np.lexsort((first, found.sum(axis=1)))
    return found[order].astype(np.int64), np.argsort(order)[codes.ravel()]
