"""Single-label problems on parts of one training set; each distinct one is fitted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, softmax
from sklearn.base import BaseEstimator

from mlbench.errors import MethodError
from mlbench.methods.base_learners import no_scores
from mlbench.methods.problem_transformation.base_path import BasePath
from mlbench.methods.problem_transformation.base_paths import has_path, path_kind
from mlbench.methods.problem_transformation.linear_labels import (
    BLOCK,
    MANY,
    fit_together,
    shared_solver,
)
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps

Result = TypeVar("Result")


class ConstantClassifier:
    """The classifier for training rows of a single class: it predicts that class with certainty."""

    def __init__(self, code: int) -> None:
        self.code = code


class Growth(Protocol):
    """Features that grow; see :func:`.growing_features.growing_features`."""

    def features(self) -> Matrix:
        """Return the current features."""


class ProblemFeatures(NamedTuple):
    """The features of one problem, in place of the rows of X."""

    growth: Growth
    known_as: Ints
    """Tells them from the features of all other problems on the same rows."""


class FitCache:
    """Fit a base learner to problems that share X, each distinct problem once.

    Problems with equal rows, added features and classes get the same model, as they would if each
    were fitted separately by a base learner with a fixed ``random_state``.

    Parameters
    ----------
    base
        A scikit-learn classifier; it is cloned for every fit.
    X : (n, d) array or CSR matrix
    others : sequence of classifiers, optional
        Those that share the path of ``base``. They are fitted together with it.
    n_labels : int, default=0
        From `MANY` labels on, linear classifiers are those of `fit_together`.
    """

    def __init__(
        self,
        base: BaseEstimator,
        X: Matrix,
        others: Sequence[BaseEstimator] = (),
        n_labels: int = 0,
    ) -> None:
        self._bases = [base, *others]
        self._place = 0
        self._kind = path_kind(base) if others else BasePath
        self._solve = shared_solver(base) if n_labels >= MANY and not others else None
        self._X = X
        self._rows: Ints | None = None
        self._path = self._kind(self._bases, X)
        self._known: dict[bytes, list[BaseEstimator]] = {}
        self._found: dict[tuple[object, bytes], Any] = {}

    @property
    def n_fits(self) -> int:
        """The number of distinct problems."""
        return len(self._known)

    def at(self, place: int) -> FitCache:
        """Return the same cache for one of all classifiers."""
        other = copy(self)
        other._place = place
        return other

    def __call__(
        self, codes: Ints, rows: Ints | None = None, own: ProblemFeatures | None = None
    ) -> BaseEstimator:
        """Return the classifier of one problem.

        Parameters
        ----------
        codes : (r,) int array
            The class of each row, 0, 1, ... .
        rows : (r,) int array, optional
            The rows of X, possibly repeated; all by default.
        own : ProblemFeatures, optional
            The features of the r rows, if they are not those of X.

        Returns
        -------
        classifier
            Fitted; a `ConstantClassifier` if there is a single class, or no row (class 0).
        """
        if not len(codes) or (codes == codes[0]).all():
            return ConstantClassifier(int(codes[0]) if len(codes) else 0)
        key = _problem_key(codes, rows, own)
        if key not in self._known:
            path = self._path_on(rows, own)
            if self._solve and codes.max() == 1:
                self._known[key] = fit_together(self._bases[0], self._solve, path.X, [codes])
            else:
                self._known[key] = path.fit(codes.astype(np.int64, copy=False))
        return self._known[key][self._place]

    def each(self, Y: Ints) -> list[BaseEstimator]:
        """Return the classifier of every column of 0 and 1, on all rows."""
        if self._solve:
            new = {_problem_key(y): y for y in Y.T if (y != y[0]).any()}
            keys = [key for key in new if key not in self._known]
            X = self.select_rows(None)
            for at in steps("block of labels", range(0, len(keys), BLOCK)):
                block = keys[at : at + BLOCK]
                models = fit_together(self._bases[0], self._solve, X, [new[key] for key in block])
                self._known.update((key, [model]) for key, model in zip(block, models, strict=True))
        return [self(y) for y in steps("label", Y.T)]

    def once(self, find: Callable[[Ints], Result], Y: Ints) -> Result:
        """Return what a function finds in labels; it is asked once for all classifiers."""
        key = (find, _key(Y))
        if key not in self._found:
            self._found[key] = find(Y)
        return self._found[key]  # type: ignore[no-any-return]

    def select_rows(self, rows: Ints | None) -> Matrix:
        """Return these rows of X, or all of them."""
        if rows is not self._rows:
            self._rows = rows
            self._path = self._kind(self._bases, self._X if rows is None else self._X[rows])
        return self._path.X

    def _path_on(self, rows: Ints | None, own: ProblemFeatures | None) -> BasePath:
        if own:
            kind = self._kind if self._kind.takes_chains else BasePath
            return kind(self._bases, own.growth.features())
        self.select_rows(rows)
        return self._path


def fit_caches(bases: Sequence[BaseEstimator], X: Matrix, n_labels: int = 0) -> list[FitCache]:
    """Return a cache for each of several base learners that differ in the parameter of a path."""
    if not has_path(bases[0], X):
        return [FitCache(base, X, (), n_labels) for base in bases]
    together = FitCache(bases[0], X, bases[1:])
    return [together.at(place) for place in range(len(bases))]


def class_probabilities(model: BaseEstimator, X: Matrix, n_classes: int) -> Floats:
    """Return the class probabilities of a classifier.

    Parameters
    ----------
    model
        What `FitCache` returned.
    X : (m, d) array or CSR matrix
    n_classes

    Returns
    -------
    (m, n_classes) array
        The probabilities of the classifier. Margins pass through the logistic function, one class
        against the rest, and are normalized to sum 1; they are not calibrated.

    Raises
    ------
    MethodError
        The classifier has neither probabilities nor one margin per class.
    """
    if isinstance(model, ConstantClassifier):
        return np.tile(np.eye(n_classes)[model.code], (X.shape[0], 1))
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    if not hasattr(model, "decision_function"):
        raise MethodError(no_scores(model))
    margins = np.asarray(model.decision_function(X), dtype=np.float64)
    if margins.ndim == 1:
        margins = np.column_stack([-margins, margins])
    if margins.shape[1] != n_classes:
        raise MethodError(
            f"base {type(model).__name__} gave {margins.shape[1]} margins for {n_classes} "
            'classes; one per class is needed (decision_function_shape="ovr" for an SVC)'
        )
    return np.asarray(softmax(log_expit(margins), axis=1))


def positive_probability(model: BaseEstimator, X: Matrix) -> Floats:
    """Return the probability of class 1 of a classifier of two classes, (m,)."""
    return class_probabilities(model, X, 2)[:, 1]


def _problem_key(
    codes: Ints, rows: Ints | None = None, own: ProblemFeatures | None = None
) -> bytes:
    return _key(codes.astype(np.int32), rows, own and own.known_as)


def _key(*parts: NDArray[Any] | None) -> bytes:
    content = blake2b(digest_size=16)
    for part in parts:
        content.update(f"{None if part is None else part.shape}".encode())
        if part is not None:
            content.update(np.ascontiguousarray(part).data)
    return content.digest()
