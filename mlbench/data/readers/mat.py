"""Variables of MATLAB files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from mlbench.data.files import read_bytes
from mlbench.data.mat5 import Mat5Error, parse_mat5
from mlbench.errors import DataError
from mlbench.solvers.arrays import Ints


def read_variables(path: Path, names: tuple[str, ...]) -> list[Any]:
    """Return the named variables of a MATLAB 5 file; see `mlbench.data.mat5.parse_mat5`.

    Raises
    ------
    DataError
        If the file cannot be read, or a variable is missing.
    """
    content = read_bytes(path)
    try:
        variables, present = parse_mat5(content, names)
    except Mat5Error as error:
        raise DataError(f"{path}: not a readable MATLAB file: {error}") from error
    missing = [name for name in names if name not in variables]
    if missing:
        there = ", ".join(present) or "none"
        raise DataError(f"{path}: no variable {missing[0]!r}; the file has: {there}")
    return [variables[name] for name in names]


def features(value: Any, name: str, path: Path) -> csr_matrix:
    """Return an n x d variable as numbers.

    Raises
    ------
    DataError
        If it is not a table of finite numbers.
    """
    if not _is_table(value):
        raise DataError(f"{path}: {name} is not a table of numbers (n x d)")
    cells = csr_matrix(value, dtype=np.float64)
    if not np.isfinite(cells.data).all():
        raise DataError(f"{path}: {name} contains a value that is not a finite number")
    cells.sum_duplicates()
    cells.eliminate_zeros()
    return cells


def labels(value: Any, name: str, path: Path, rows: int) -> Ints:
    """Return (rows, k) 0/1 labels of a variable stored as k x rows of {0,1} or {-1,+1}.

    Raises
    ------
    DataError
        If it has another shape, or other values.
    """
    if not _is_table(value):
        raise DataError(f"{path}: {name} is not a table of numbers (labels x rows)")
    dense = np.asarray(value.toarray() if issparse(value) else value).astype(np.float64)
    if dense.shape[1] != rows:
        raise DataError(
            f"{path}: {name} is {dense.shape[0]} x {dense.shape[1]}; it must be labels x rows, and "
            f"there are {rows} rows"
        )
    kinds = set(np.unique(dense).tolist())
    if not (kinds <= {0.0, 1.0} or kinds <= {-1.0, 1.0}):
        shown = ", ".join(f"{kind:g}" for kind in sorted(kinds)[:6])
        raise DataError(f"{path}: {name} contains {shown}; labels must be 0 and 1, or -1 and 1")
    return np.ascontiguousarray((dense.T > 0).astype(np.int64))


def _is_table(value: Any) -> bool:
    if issparse(value):
        return True
    return isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "buif"
