"""Label powerset: every labelset of training is a class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlbench.methods.parameters import require_one_of
from mlbench.methods.problem_transformation.base import ProblemTransformationMethod
from mlbench.methods.problem_transformation.base_fits import FitCache, class_probabilities
from mlbench.registry.base_learners import make_base
from mlbench.solvers.arrays import Floats, Ints, Matrix


class LabelPowerset(ProblemTransformationMethod):
    """Label powerset: one multi-class problem, whose classes are the labelsets of training.

    A row gets the labels of its most likely labelset, so it never gets a labelset that training
    did not have. At equal probability the labelset with more labels wins (MULAN draws lots), so
    that one label alone is treated as by binary relevance.

    Parameters
    ----------
    base : str or estimator, default="logistic"
        The multi-class classifier: a short name (logistic, tree, linear_svc, ...), a dotted
        name, ``file.py:Class``, or an estimator. Its parameters are reached as ``base__C``; in
        an experiment plain ``C`` does. Margins go through a logistic link, one labelset against
        the rest, and are normalized.
    scores : {"marginal", "mulan"}, default="marginal"
        What ranks a label: the total probability of the labelsets that hold it, or MULAN's
        default confidence: the winner's probability p for its own labels and 1 - p for all
        others, which ranks badly, because it says nothing of the runners-up.

    Attributes
    ----------
    labelsets_ : (C, k) int array
        The labelsets of training: those of fewer labels first, then as they come in training.
    model_
        The classifier fitted to the numbers of the labelsets.
    constant_labels_ : int array
        The labels that had one class in training.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2010), Mining multi-label data. Data Mining and Knowledge
    Discovery Handbook, 667-685. The marginal score is that of Read (2008), A pruned problem
    transformation method for multi-label classification. NZCSRS, 143-150.
    """

    def __init__(self, base: Any = "logistic", scores: str = "marginal") -> None:
        self.base = base
        self.scores = scores

    def _check_parameters(self) -> None:
        require_one_of(self, "scores", ("marginal", "mulan"))

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Fit one classifier to the labelsets.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
        """
        X, Y = self._prepare(X, Y)
        self._powerset = Powerset(Y, FitCache(make_base(self.base), X))
        self.labelsets_ = self._powerset.labelsets
        self.model_ = self._powerset.model
        return self

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        probabilities = self._powerset.probabilities(X)
        labels = self._powerset.labels(probabilities)
        if self.scores == "marginal":
            return self._powerset.marginals(probabilities), labels
        best = probabilities.max(axis=1, keepdims=True)
        return np.where(labels == 1, best, 1 - best), labels


class Powerset:
    """The labelsets that some labels have in training, and a classifier that tells them apart.

    Parameters
    ----------
    Y : (n, s) array of 0 and 1
    fits : FitCache

    Attributes
    ----------
    labelsets : (C, s) int array
        As in `LabelPowerset`.
    model
        The classifier. Sets of labels that divide the rows alike share one, because the order of
        the labelsets does not depend on that of the labels.
    """

    def __init__(self, Y: Ints, fits: FitCache) -> None:
        found, first, codes = np.unique(
            Y.astype(np.uint8), axis=0, return_index=True, return_inverse=True
        )
        order = np.lexsort((first, found.sum(axis=1)))
        self.labelsets = found[order].astype(np.int64)
        self.model = fits(np.argsort(order)[codes.ravel()])

    def probabilities(self, X: Matrix) -> Floats:
        """Return the probability of every labelset, (m, C)."""
        return class_probabilities(self.model, X, len(self.labelsets))

    def marginals(self, probabilities: Floats) -> Floats:
        """Return every label's total probability over the labelsets that hold it, (m, s)."""
        return np.minimum(probabilities @ self.labelsets, 1)

    def labels(self, probabilities: Floats) -> Ints:
        """Return the most likely labelset of every row, the last one of several, (m, s)."""
        winner = probabilities.shape[1] - 1 - np.argmax(probabilities[:, ::-1], axis=1)
        return np.asarray(self.labelsets[winner])
