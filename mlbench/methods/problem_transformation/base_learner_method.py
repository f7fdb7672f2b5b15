"""Base classes of the methods that reduce many labels to problems for a single-label learner."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.methods.base import RandomState, grouped_by
from mlbench.methods.base_learners import check_scores, make_base
from mlbench.methods.memoize import LastResultCache
from mlbench.methods.parameters import set_seed
from mlbench.methods.path_method import PathMethod
from mlbench.methods.problem_transformation.base_fits import FitCache, fit_caches
from mlbench.methods.problem_transformation.base_paths import path_kind
from mlbench.solvers.arrays import Floats, Ints, Matrix

BaseLearner: TypeAlias = str | Mapping[str, Any] | BaseEstimator


@dataclass(eq=False, repr=False)
class BaseLearnerMethod(PathMethod):
    """Base class of the methods that fit a single-label learner ``base``.

    Parameters
    ----------
    base : str or estimator, default="logistic"
        The classifier: a short name (logistic, ridge, linear_svc, svc, tree, forest,
        gradient_boosting, naive_bayes, multinomial_nb, knn) or an estimator. In an experiment it
        is also a name that a package announces (weka_naive_bayes), a dotted name, or
        ``file.py:Class``. Its parameters are set as ``base__C``; in an experiment ``C`` is enough.
    """

    base: BaseLearner = "logistic"
    _takes_regressors: ClassVar[bool] = False

    def check_parameters(self) -> None:
        """Check the parameters, and that the base has scores."""
        super().check_parameters()
        base = make_base(self.base)
        if not (self._takes_regressors and is_regressor(base)):
            check_scores(base)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a base given by name is built first if its own parameters are set."""
        if isinstance(params.get("base", self.base), str) and any("__" in name for name in params):
            params["base"] = make_base(params.get("base", self.base))
        super().set_params(**params)
        return self

    _prediction_parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that change no fit of the base, or only how many there are."""

    _shared_parameters = ("_problem_parameters", "_path_parameters")

    @property
    def _problem_parameters(self) -> list[tuple[str, str]]:
        """The parameters besides the base that all models of a group have in common."""
        return _written(self.get_params(deep=False), {"base", *self._prediction_parameters})

    @property
    def _path_parameters(self) -> tuple[type, list[tuple[str, str]]]:
        """The base, but for the parameter of its path."""
        base = make_base(self.base)
        return type(base), _written(base.get_params(), {path_kind(base).parameter})

    @property
    def _base_parameters(self) -> list[tuple[str, str]]:
        return _written(make_base(self.base).get_params(), set())


class ProblemTransformationMethod(BaseLearnerMethod):
    """Base class of the methods whose labels do not follow from their scores.

    A subclass implements `_learn` and `_scores_and_labels`. Scores and labels come from one
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

    def _learn(self, fits: FitCache, Y: Ints, seed: int) -> Any:
        """Pose the single-label problems; all other randomness is derived from the seed."""
        raise NotImplementedError

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

    def _fit_group(
        self, group: list[tuple[int, Self]], X: Matrix, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; equal problems are fitted once, for all values of a base's path."""
        seed = draw_seed(getattr(self, "random_state", 0))
        by_base = sorted(grouped_by(group, ("_base_parameters",)), key=lambda alike: alike[0][0])
        bases = [alike[0][1]._seeded_base(seed) for alike in by_base]
        for alike, fits in zip(by_base, fit_caches(bases, X, Y.shape[1]), strict=True):
            yield from self._learn_alike(alike, fits, Y, seed)

    def _learn_alike(
        self, alike: list[tuple[int, Self]], fits: FitCache, Y: Ints, seed: int
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models, which have the same base, fitted."""
        for index, model in alike:
            model._learn(fits, Y, seed)
            yield index, model

    def _seeded_base(self, seed: int) -> BaseEstimator:
        """Return the base; a ``random_state`` of it that is None is derived from a method's own."""
        base = make_base(self.base)
        return set_seed(clone(base), seed) if hasattr(self, "random_state") else base

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


def _written(parameters: Mapping[str, Any], without: set[str]) -> list[tuple[str, str]]:
    return sorted((name, repr(parameters[name])) for name in parameters.keys() - without)
