"""What the methods share that turn many labels into problems for a single-label classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.methods.base import MultiLabelMethod
from mlbench.methods.memoize import LastResultCache
from mlbench.methods.problem_transformation.base_fits import FitCache
from mlbench.registry.base_learners import make_base
from mlbench.registry.factory import set_seed
from mlbench.solvers.arrays import Floats, Ints, Matrix


class ProblemTransformationMethod(MultiLabelMethod):
    """Base of the methods over a single-label ``base``, whose labels stand beside the scores.

    A subclass calls `_prepare` in ``fit`` and writes `_both`. There is no
    ``predict_from_scores``, because a row's labels do not follow from its scores; both come
    from one prediction, which is remembered. A label of one class in training scores 0 or 1.
    """

    base: Any

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        """Return scores and labels, (m, k) each; those of labels of one class are ignored."""
        raise NotImplementedError

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a base that is known by name is made first if its own are set."""
        if isinstance(params.get("base", self.base), str) and any("__" in name for name in params):
            params["base"] = make_base(params.get("base", self.base))
        super().set_params(**params)
        return self

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
    def predict_from_scores(self) -> Any:
        """Not there: the labels of a row do not follow from its scores."""
        raise AttributeError(f"{type(self).__name__} has no labels that follow from scores alone")

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


def draw_seed(random_state: Any) -> int:
    """Return the number from which all random draws of a fit are derived."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def seeded_fit_cache(base: Any, X: Matrix, seed: int) -> FitCache:
    """Return the fits of a base whose ``random_state``, if left open, is the same for all."""
    return FitCache(set_seed(clone(make_base(base)), seed), X)
