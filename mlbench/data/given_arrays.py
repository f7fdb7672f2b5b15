"""Arrays as people give them to a data set, in the forms that it keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from mlbench.errors import DataError
from mlbench.solvers.arrays import Flags, Floats, Ints

_KINDS = {"numbers": "biuf", "whole numbers": "iu", "truth values": "b", "0 and 1": "biuf"}


def given_features(X: Any, name: str) -> Floats | csr_matrix:
    """Return features as an array, or as a CSR matrix if they are sparse in any form."""
    if issparse(X):
        X = X if isinstance(X, csr_matrix) else csr_matrix(X)
        _plain(X.data, f"{name}: X", "numbers")
        return X
    if np.ma.is_masked(X):
        X = X.astype(np.float64).filled(np.nan)
    return _plain(X, f"{name}: X", "numbers")


def given_labels(Y: Any, known: Any, name: str) -> tuple[Ints, Flags | None]:
    """Return labels, and which are known; masked ones are not, and become 0."""
    if known is not None:
        known = _plain(known, f"{name}: known", "truth values")
    if issparse(Y):
        Y = Y.toarray()
    if np.ma.is_masked(Y):
        seen = ~np.ma.getmaskarray(Y)
        known = seen if known is None else known & seen
        Y = Y.filled(0)
    return _plain(Y, f"{name}: Y", "0 and 1"), known


def given_tasks(tasks: Any, name: str) -> Ints | None:
    """Return the task of each row."""
    return None if tasks is None else _plain(tasks, f"{name}: tasks", "whole numbers")


def given_rows(rows: Any, n_rows: int, name: str) -> Ints | None:
    """Return the numbers of the rows of a part, ascending; a mask of all rows is taken, too."""
    if rows is None:
        return None
    found = np.asarray(rows)
    if found.dtype == bool and found.shape == (n_rows,):
        found = np.flatnonzero(found)
    found = np.unique(_plain(found, f"{name}: published_train", "whole numbers"))
    if found.size and not 0 <= found[0] <= found[-1] < n_rows:
        wrong = found[0] if found[0] < 0 else found[-1]
        raise DataError(f"{name}: published_train has row {wrong}; rows are 0 to {n_rows - 1}")
    return found


def given_names(names: Any, kind: str, name: str) -> tuple[str, ...]:
    """Return names in a tuple."""
    if isinstance(names, str):
        raise DataError(f"{name}: {kind} must be a list of names, not the text {names!r}")
    return tuple(names)


def _plain(values: Any, what: str, kind: str) -> np.ndarray:
    try:
        found = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{what} is no array: {error}") from None
    if found.dtype.kind not in _KINDS[kind]:
        raise DataError(f"{what} must hold {kind}, not values of type {found.dtype}")
    return found
