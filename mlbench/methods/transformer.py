"""Base class of the methods that are transformers too."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.methods.base import MultiLabelMethod
from mlbench.solvers.arrays import Floats, Matrix


class TransformerMethod(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MultiLabelMethod):  # type: ignore[misc]
    """Base class of the methods that predict from features of their own.

    A subclass implements `_features`, and the property `_n_features_out`.
    """

    def _features(self, X: Matrix) -> Floats:
        """Return the (m, r) features of checked rows."""
        raise NotImplementedError

    def transform(self, X: Matrix) -> Floats:
        """Return the features of every row.

        Parameters
        ----------
        X : (m, d) array or CSR matrix

        Returns
        -------
        (m, r) array
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return self._features(X)
