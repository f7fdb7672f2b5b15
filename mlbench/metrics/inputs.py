"""Truth and predictions as people hold them: data frames, sparse matrices, unknown labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from mlbench.errors import MethodError


def aligned(given: Mapping[str, Any], tasks: Any) -> tuple[dict[str, Any], Any]:
    """Return arrays that belong together, and the tasks.

    Parameters
    ----------
    given : mapping of str to array, sparse matrix, data frame, masked array or None
        ``Y``, and what is compared with it, by the names of the parameters. Data frames are
        brought into the order of rows and columns that Y has.
    tasks : array of shape (m,) or None

    Returns
    -------
    arrays : dict of str to array or None
        Where labels are unknown (masked, or NaN), each known one is a sample of its own.
    tasks : array or None
        The labels, as tasks, where some are unknown.

    Raises
    ------
    mlbench.errors.MethodError
        If frames have other names than Y, or something else than Y is masked.
    """
    Y = given["Y"]
    arrays = {name: _array(name, each, Y) for name, each in given.items()}
    known = _known(Y, arrays["Y"])
    if known is None:
        return arrays, tasks
    if tasks is not None:
        raise MethodError("Y has unknown labels and there are tasks: leave these samples out")
    if not known.any():
        raise MethodError("every label of Y is unknown")
    shaped = {name: each for name, each in arrays.items() if each is not None}
    for name, each in shaped.items():
        if each.shape != known.shape:
            raise MethodError(f"{name} has the shape {each.shape}, and Y {known.shape}")
    taken = {name: each[known][:, None] for name, each in shaped.items()}
    return {**arrays, **taken}, np.nonzero(known)[1]


def _array(name: str, given: Any, Y: Any) -> Any:
    """Return a plain array; a data frame in the order of Y."""
    if given is None:
        return None
    if issparse(given):
        return given.toarray()
    if hasattr(given, "columns") and name == "Y":  # pandas' own missing values become NaN
        return (
            given.astype(float).to_numpy() if given.isna().to_numpy().any() else np.asarray(given)
        )
    if name != "Y" and np.ma.is_masked(given):
        raise MethodError(f"{name} is masked; only labels of Y may be unknown")
    if hasattr(given, "columns") and hasattr(Y, "columns") and given is not Y:
        for axis in ("index", "columns"):
            mine, theirs = getattr(given, axis), getattr(Y, axis)
            if not mine.is_unique or set(mine) != set(theirs):
                odd = sorted(map(str, set(mine) ^ set(theirs)))
                which = f": {odd[0]!r} is in one alone" if odd else ", each once"
                raise MethodError(f"{name} and Y must have the same names in their {axis}{which}")
        given = given.loc[Y.index, Y.columns]
    return np.ma.getdata(np.asanyarray(given))


def _known(Y: Any, values: Any) -> np.ndarray | None:
    """Return which labels are known, or None if all are."""
    known = ~np.ma.getmaskarray(Y) if np.ma.isMaskedArray(Y) else np.ones(values.shape, dtype=bool)
    if values.dtype.kind == "f":
        known &= ~np.isnan(values)
    return None if known.all() else known
