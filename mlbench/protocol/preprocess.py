"""Preparation of features, fitted on the training part alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from mlbench.errors import MethodError


def prepare(steps: Sequence[str], X_train: Any, X_test: Any) -> tuple[Any, Any]:
    """Fit the steps on the training features and apply them to both parts.

    Parameters
    ----------
    steps : sequence of str
        ``impute`` (means of the training part), ``standardize`` (zero mean and unit variance;
        sparse features are scaled but not centred, so that they stay sparse), ``minmax``
        (to [0, 1]; sparse features are divided by their largest absolute value),
        ``unit-norm`` (rows of Euclidean length one). A constant feature is left as it is.
    X_train : (n, d) array or CSR matrix
    X_test : (m, d) array or CSR matrix
    """
    if not steps:
        return X_train, X_test
    is_sparse = sparse.issparse(X_train)
    pipeline = Pipeline([(step, _transformer(step, is_sparse)) for step in steps])
    prepared = pipeline.fit_transform(X_train), pipeline.transform(X_test)
    return tuple(X.tocsr() for X in prepared) if is_sparse else prepared


def _transformer(step: str, is_sparse: bool) -> Any:
    if step == "impute":
        return SimpleImputer(strategy="mean", keep_empty_features=True)
    if step == "standardize":
        return StandardScaler(with_mean=not is_sparse)
    if step == "minmax":
        return MaxAbsScaler() if is_sparse else MinMaxScaler()
    if step == "unit-norm":
        return Normalizer()
    raise MethodError(f"there is no preprocessing step {step!r}")
