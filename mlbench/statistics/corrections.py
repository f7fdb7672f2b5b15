"""Corrections for testing several hypotheses at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MlbenchError


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return Holm's step-down adjusted p-values, in the order given.

    Sorted ascending, the i-th of m becomes min(1, max over j <= i of (m - j + 1) p_j).
    Source: Holm, A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6 (1979).

    Parameters
    ----------
    p_values : array of shape (m,)
        NaN marks a test that could not be done; it stays NaN and does not count in m.

    Raises
    ------
    mlbench.errors.MlbenchError
        If a value is outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise MlbenchError(f"p-values must be a 1-D array, not of shape {p.shape}")
    known = np.flatnonzero(~np.isnan(p))
    if ((p[known] < 0) | (p[known] > 1)).any():
        raise MlbenchError("p-values must be between 0 and 1")
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted
