"""A path: classifiers that differ in one parameter share the work of their fits."""

from collections.abc import Mapping, Sequence
from copy import copy
from math import inf
from numbers import Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, clone

from mlbench.solvers.arrays import Ints, Matrix


class BasePath:
    """Base learners that differ in one parameter, on the same features; here they share nothing.

    A subclass names the parameter and implements `fit`, so that each classifier is what an
    independent fit yields.

    Parameters
    ----------
    bases : sequence of estimators
        Unfitted.
    X : (n, d) array or CSR matrix
    """

    parameter: ClassVar[str] = ""
    values: ClassVar[Any] = Real
    least: ClassVar[float] = 0.0
    examples: ClassVar[tuple[float, ...]] = ()
    """Values of the parameter, for checks."""

    others: ClassVar[Mapping[str, tuple[object, ...]]] = {}
    """The values of other parameters that the path covers."""

    takes_sparse: ClassVar[bool] = True
    takes_chains: ClassVar[bool] = True
    """Whether it saves work where the models' features differ in prediction."""

    def __init__(self, bases: Sequence[BaseEstimator], X: Matrix) -> None:
        self.bases = bases
        self.X = X

    @classmethod
    def covers(cls, base: object) -> bool:
        """Return whether the path covers the parameters of a base learner."""
        value: Any = getattr(base, cls.parameter, None)
        if not isinstance(value, cls.values) or isinstance(value, bool):
            return False
        known = all(getattr(base, name) in values for name, values in cls.others.items())
        return bool(known and cls.least <= value < inf)

    def fit(self, codes: Ints) -> list[BaseEstimator]:
        """Return the classifier of each base learner for the classes of the rows."""
        return [self._alone(base, codes) for base in self.bases]

    def _alone(self, base: BaseEstimator, codes: Ints) -> BaseEstimator:
        return clone(base).fit(self.X, codes)

    def _like(self, fitted: BaseEstimator, base: BaseEstimator) -> BaseEstimator:
        """Return a copy of a fitted classifier with the parameter of a base learner."""
        model = copy(fitted)
        setattr(model, self.parameter, getattr(base, self.parameter))
        return model
