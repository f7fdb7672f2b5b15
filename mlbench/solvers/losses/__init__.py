"""Losses of a task as functions of its scores: their values, subgradients and proximal steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Oracle = Callable[[Floats, Floats, Ints], tuple[Floats, Floats, Floats]]
"""(scores, y, offsets) to (values, c, delta): ``values[i] = delta[i] - s_i . c_i`` is the loss of
task i, and no smaller than that of any other plane."""
