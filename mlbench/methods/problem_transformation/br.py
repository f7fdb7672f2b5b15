"""Binary relevance."""

from collections.abc import Iterable, Iterator
from typing import Self

import numpy as np

from mlbench.methods.base import Grid
from mlbench.methods.base_learners import make_base
from mlbench.methods.path_method import PathMethodWithTasks
from mlbench.methods.problem_transformation.base_fits import (
    ConstantClassifier,
    FitCache,
    fit_caches,
)
from mlbench.methods.problem_transformation.base_learner_method import (
    BaseLearner,
    BaseLearnerMethod,
)
from mlbench.methods.problem_transformation.base_paths import path_kind
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps


class BinaryRelevance(PathMethodWithTasks, BaseLearnerMethod):
    """Binary relevance: one independent classifier per label.

    With tasks, every task has an independent classifier, fitted to its own rows. The score is the
    probability of the base if it has one, and its margin otherwise. A label is predicted if its
    probability is at least 1/2 or its margin is above 0.

    Attributes
    ----------
    estimators_ : list of length k (with tasks: one per task)
        The fitted classifiers; None for a label with a single class in training, whose score is
        the constant 0 or 1 (margins: -1 or 1).
    constant_labels_ : int array
        The labels (with tasks: the tasks) with a single class in training.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2010), Mining multi-label data. Data Mining and Knowledge
    Discovery Handbook, 667-685.
    """

    takes_bytes = True

    def __init__(self, base: BaseLearner = "logistic") -> None:
        self.base = base

    def _fit_groups(
        self, groups: Iterable[list[tuple[int, Self]]], X: Matrix, Y: Ints, tasks: Ints | None
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; a group shares the fits of its bases."""
        for group in groups:
            for _, model in group:
                checked, labels, of_task = model._check_training(X, Y, tasks)
            bases = [make_base(model.base) for _, model in group]
            n_labels = labels.shape[1]
            for (index, model), fits in zip(
                group, fit_caches(bases, checked, n_labels), strict=True
            ):
                model._learn(fits, labels, of_task)
                yield index, model

    def _learn(self, fits: FitCache, Y: Ints, tasks: Ints | None) -> None:
        self.probabilities_ = hasattr(make_base(self.base), "predict_proba")
        if tasks is None:
            fitted = fits.each(Y)
            self.constants_ = Y[0].astype(np.float64)
        else:
            parts = [np.flatnonzero(tasks == task) for task in range(self.n_tasks_)]
            fitted = [fits(Y[part, 0], part) for part in steps("task", parts)]
            self.constants_ = np.array([Y[part, 0].max(initial=0) for part in parts], dtype=float)
        self.estimators_ = [None if isinstance(m, ConstantClassifier) else m for m in fitted]
        if not self.probabilities_:
            self.constants_ = 2 * self.constants_ - 1

    @property
    def example_grid(self) -> Grid:  # type: ignore[override]
        """Values for the path of the base, or one empty point if it has none."""
        path = path_kind(make_base(self.base))
        return [{f"base__{path.parameter}": value} for value in path.examples] or [{}]

    @property
    def threshold(self) -> float:  # type: ignore[override]
        """1/2 for probabilities, 0 for margins."""
        return 0.5 if self.probabilities_ else 0.0

    def predict_from_scores(self, scores: Floats) -> Ints:
        """Return 1 if the probability is at least 1/2 or the margin is above 0."""
        positive = scores >= self.threshold if self.probabilities_ else scores > self.threshold
        return np.asarray(positive, dtype=np.int64)

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        if tasks is None:
            columns = [self._score_one(label, X) for label in range(len(self.estimators_))]
            return np.column_stack(columns)
        scores = np.empty((X.shape[0], 1))
        for task in np.unique(tasks):
            part = tasks == task
            scores[part, 0] = self._score_one(task, X[part])
        return scores

    def _score_one(self, index: int, X: Matrix) -> Floats:
        estimator = self.estimators_[index]
        if estimator is None:
            return np.full(X.shape[0], self.constants_[index])
        if self.probabilities_:
            return np.asarray(estimator.predict_proba(X)[:, 1], dtype=np.float64)
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
