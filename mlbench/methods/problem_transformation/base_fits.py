"""Single-label problems on parts of one training set; each distinct one is fitted once."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, softmax
from sklearn.base import BaseEstimator, clone

from mlbench.errors import MethodError
from mlbench.solvers.arrays import Floats, Ints, Matrix


class ConstantClassifier:
    """The classifier for training rows of a single class: it predicts that class with certainty."""

    def __init__(self, code: int) -> None:
        self.code = code


class Growth(Protocol):
    """Features that grow; see :func:`.growing_features.growing_features`."""

    def features(self) -> Matrix:
        """Return those of now."""


class OwnFeatures(NamedTuple):
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

    Attributes
    ----------
    n_fits : int
        The number of fits.
    """

    def __init__(self, base: BaseEstimator, X: Matrix) -> None:
        self.n_fits = 0
        self._base = base
        self._X = X
        self._rows: Ints | None = None
        self._part: Matrix = X
        self._known: dict[bytes, BaseEstimator] = {}

    def __call__(
        self, codes: Ints, rows: Ints | None = None, own: OwnFeatures | None = None
    ) -> BaseEstimator:
        """Return the classifier of one problem.

        Parameters
        ----------
        codes : (r,) int array
            The class of each row, 0, 1, ... .
        rows : (r,) int array, optional
            The rows of X, possibly repeated; all by default.
        own : OwnFeatures, optional
            The features of the r rows, if they are not those of X.

        Returns
        -------
        classifier
            Fitted; a `ConstantClassifier` if there is a single class, or no row (class 0).
        """
        if not len(codes) or (codes == codes[0]).all():
            return ConstantClassifier(int(codes[0]) if len(codes) else 0)
        key = _key(codes.astype(np.int32), rows, own and own.known_as)
        if key not in self._known:
            features = own.growth.features() if own else self.select_rows(rows)
            self._known[key] = clone(self._base).fit(features, codes)
            self.n_fits += 1
        return self._known[key]

    def select_rows(self, rows: Ints | None) -> Matrix:
        """Return these rows of X, or all of them."""
        if rows is not self._rows:
            self._rows = rows
            self._part = self._X if rows is None else self._X[rows]
        return self._part


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
    name = type(model).__name__
    if not hasattr(model, "decision_function"):
        raise MethodError(
            f"base {name} has neither predict_proba nor decision_function, so it has no "
            "scores; choose another one, or wrap it in sklearn's CalibratedClassifierCV"
        )
    margins = np.asarray(model.decision_function(X), dtype=np.float64)
    if margins.ndim == 1:
        margins = np.column_stack([-margins, margins])
    if margins.shape[1] != n_classes:
        raise MethodError(
            f"base {name} gave {margins.shape[1]} margins for {n_classes} classes; one per class "
            'is needed (decision_function_shape="ovr" for an SVC)'
        )
    return np.asarray(softmax(log_expit(margins), axis=1))


def positive_probability(model: BaseEstimator, X: Matrix) -> Floats:
    """Return the probability of class 1 of a classifier of two classes, (m,)."""
    return class_probabilities(model, X, 2)[:, 1]


def _key(*parts: NDArray[Any] | None) -> bytes:
    content = blake2b(digest_size=16)
    for part in parts:
        content.update(f"{None if part is None else part.shape}".encode())
        if part is not None:
            content.update(np.ascontiguousarray(part).data)
    return content.digest()
