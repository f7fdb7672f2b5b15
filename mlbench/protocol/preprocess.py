"""Preparation of features, fitted on the training part alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    StandardScaler,
)

from mlbench.errors import MethodError
from mlbench.protocol.arrays import Indices, Part
from mlbench.solvers.arrays import Matrix

if TYPE_CHECKING:
    from mlbench.data.frame_columns import FrameColumns
    from mlbench.data.texts import Texts


@dataclass(frozen=True, eq=False)
class Preparation:
    """What is fitted to a training part before a method sees it."""

    steps: Sequence[str] = ()
    """For all features but text; see `prepare`. ``dense`` makes texts dense, too."""
    texts: Texts | None = None
    """Text columns of the data set. What their vectorizer makes stands behind the features."""
    frame: FrameColumns | None = None
    """What makes data frames of both parts, in the place of all else."""

    def parts(self, train: Part, test: Part) -> tuple[Part, Part]:
        """Return both parts prepared."""
        if self.frame is not None:
            frames = (self.frame.frame(part.X, part.rows) for part in (train, test))
            return train._replace(X=next(frames)), test._replace(X=next(frames))
        if not self.steps and self.texts is None:
            return train, test
        if not train.repeats_rows:
            X_train, X_test = self._prepared(train, test)
        else:
            (once, places), (once_test, places_test) = _each_row_once(train), _each_row_once(test)
            X_train, X_test = self._prepared(train.take(once), test.take(once_test))
            X_train, X_test = X_train[places], X_test[places_test]
        return train._replace(X=X_train), test._replace(X=X_test)

    def _prepared(self, train: Part, test: Part) -> tuple[Matrix, Matrix]:
        X = train.X, test.X
        if train.X.shape[1]:  # a data set may have texts alone
            X = prepare(self.steps, *X)
        if self.texts is None:
            return X
        parts = zip(X, *self.texts.vectorized(train.rows, test.rows), strict=True)
        blocks = [sparse.csr_matrix(sparse.hstack(part)) for part in parts]
        if "dense" in self.steps:
            _refuse_too_large(sum(len(part.rows) for part in (train, test)), blocks[0].shape[1])
            blocks = [block.toarray() for block in blocks]
        return blocks[0], blocks[1]


def _each_row_once(part: Part) -> tuple[Indices, Indices]:
    """Return one sample of each row, and the index among these of each sample's row."""
    _, once, places = np.unique(part.rows, return_index=True, return_inverse=True)
    return once, places


def prepare(steps: Sequence[str], X_train: Matrix, X_test: Matrix) -> tuple[Matrix, Matrix]:
    """Fit the steps on the training features and apply them to both parts.

    Parameters
    ----------
    steps : sequence of str
        ``impute`` (means of the training part), ``standardize`` (zero mean and unit variance;
        sparse features are scaled but not centered, so that they stay sparse), ``minmax``
        (to [0, 1]; sparse features are divided by their largest absolute value), ``tfidf`` (term
        counts times log(n / df), of n training rows df with the term; a term that none or all of
        them have gets weight 0), ``tfidf-smooth`` (term counts times
        ``log((1 + n) / (1 + df)) + 1``, the default of scikit-learn's `TfidfTransformer`),
        ``unit-norm`` (rows of Euclidean length one), ``dense`` (sparse features become dense, and
        are so for the steps behind it). A constant feature is left as it is.
    X_train : (n, d) array or CSR matrix
    X_test : (m, d) array or CSR matrix

    Raises
    ------
    MemoryError
        There is not enough memory for dense features.
    """
    if not steps:
        return X_train, X_test
    transformers = []
    is_sparse = sparse.issparse(X_train)
    for step in steps:
        if step == "dense" and is_sparse:
            _refuse_too_large(X_train.shape[0] + X_test.shape[0], X_train.shape[1])
            is_sparse = False
        transformers.append((step, _transformer(step, is_sparse)))
    pipeline = Pipeline(transformers)
    prepared = pipeline.fit_transform(X_train), pipeline.transform(X_test)
    return tuple(X.tocsr() for X in prepared) if is_sparse else prepared


def _transformer(step: str, is_sparse: bool) -> BaseEstimator:
    if step == "impute":
        return SimpleImputer(strategy="mean", keep_empty_features=True)
    if step == "standardize":
        return StandardScaler(with_mean=not is_sparse)
    if step == "minmax":
        return MaxAbsScaler() if is_sparse else MinMaxScaler()
    if step in ("tfidf", "tfidf-smooth"):
        return _TermWeights(smooth=step == "tfidf-smooth")
    if step == "unit-norm":
        return Normalizer()
    if step == "dense":
        return FunctionTransformer(_dense, accept_sparse=True)
    raise MethodError(f"there is no preprocessing step {step!r}")


class _TermWeights(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Multiply term counts by the inverse document frequency of their term."""

    def __init__(self, smooth: bool) -> None:
        self.smooth = smooth

    def fit(self, X: Matrix, y: object = None) -> Self:
        n, frequency = X.shape[0], np.asarray((X != 0).sum(axis=0)).ravel()
        if self.smooth:
            self.weights_ = np.log((1 + n) / (1 + frequency)) + 1
        else:
            self.weights_ = np.log(n / np.where(frequency > 0, frequency, n))
        return self

    def transform(self, X: Matrix) -> Matrix:
        if sparse.issparse(X):
            return X @ sparse.diags_array(self.weights_)
        return X * self.weights_


def _dense(X: Matrix) -> Matrix:
    return X if isinstance(X, np.ndarray) else X.toarray()


def _refuse_too_large(n_rows: int, n_features: int) -> None:
    """Refuse features that would not fit into memory, which may take the process with them."""
    needed, free = n_rows * n_features * 8, _free_memory()
    if free is not None and needed > free:
        raise MemoryError(
            f"dense features take {needed / 1e9:.1f} GB ({n_rows} rows x {n_features} features x "
            f"8 bytes), and {free / 1e9:.1f} GB are free; leave the step 'dense' out and use "
            "methods that take sparse features, or fewer features"
        )


def _free_memory() -> int | None:
    """Return the bytes that can be had without swapping; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024 * int(found[0]) if found else None
