"""Base classes of the methods that reduce many labels to problems for a single-label learner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.methods.base import MultiLabelMethod, RandomState
from mlbench.methods.memoize import LastResultCache
from mlbench.methods.problem_transformation.base_fits import FitCache
from mlbench.registry.base_learners import make_base
from mlbench.registry.factory import set_seed
from mlbench.solvers.arrays import Floats, Ints, Matrix

BaseLearner: TypeAlias = str | Mapping[str, Any] | BaseEstimator


@dataclass(eq=False, repr=False)
class BaseLearnerMethod(MultiLabelMethod):
    """Base class of the methods that fit a single-label learner ``base``.

    Parameters
    ----------
    base : str or estimator, default="logistic"
        The classifier: a short name (logistic, ridge, linear_svc, svc, tree, forest,
        gradient_boosting, naive_bayes, multinomial_nb, weka_naive_bayes, knn), a dotted name,
        ``file.py:Class``, or an estimator. Its parameters are set as ``base__C``; in an experiment
        ``C`` is enough.
    """

    base: BaseLearner = "logistic"

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a base given by name is built first if its own parameters are set."""
        if isinstance(params.get("base", self.base), str) and any("__" in name for name in params):
            params["base"] = make_base(params.get("base", self.base))
        super().set_params(**params)
        return self


class ProblemTransformationMethod(BaseLearnerMethod):
    """Base class of the methods whose labels do not follow from their scores.

    A subclass calls `_prepare` in ``fit`` and implements `_scores_and_labels`. Both come from one
    prediction, which is cached; there is no ``predict_from_scores``. A label with a single class
    in training scores 0 or 1.

    Attributes
    ----------
    n_fits_ : int
        How many times the base was fitted. Equal problems are fitted once; on a path, this
        counts the fits of the largest ensemble.
    constant_labels_ : int array
        The labels with a single class in training.
    """

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        """Return scores and labels, (m, k) each; those of constant labels are ignored."""
        raise NotImplementedError

    def predict(self, X: Matrix, tasks: Ints | None = None) -> Ints:
        """Predict the labels of every row.

        Returns
        -------
        (m, k) int array of 0 and 1
        """
        check_is_fitted(self)
        if self._flat:
            return super().predict(X, tasks)
        self._check_tasks(tasks, 0)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return self._latest_outputs(X)[1].copy()

    @property
    def predict_from_scores(self) -> NoReturn:
        """Missing: the labels of a row do not follow from its scores."""
        raise AttributeError(f"{type(self).__name__} cannot compute labels from scores alone")

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return self._latest_outputs(X)[0].copy()

    def _prepare(self, X: Matrix, Y: Ints) -> tuple[Matrix, Ints]:
        X, Y, _ = self._check_training(X, Y)
        self._constants = Y[0, self.constant_labels_]
        self._latest_outputs = LastResultCache(self._outputs)
        return X, Y

    def _outputs(self, X: Matrix) -> tuple[Floats, Ints]:
        scores, labels = self._scores_and_labels(X)
        scores[:, self.constant_labels_] = self._constants
        labels[:, self.constant_labels_] = self._constants
        return scores, labels


def draw_seed(random_state: RandomState) -> int:
    """Draw the number from which all random draws of a fit are derived."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def seeded_fit_cache(base: BaseLearner, X: Matrix, seed: int) -> FitCache:
    """Return a cache of fits; a ``random_state`` of the base that is None is derived from seed."""
    return FitCache(set_seed(clone(make_base(base)), seed), X)
