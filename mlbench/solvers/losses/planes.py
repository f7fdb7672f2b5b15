"""The values of losses, given the planes that attain them."""

from __future__ import annotations

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled


@compiled
def plane_values(scores: Floats, offsets: Ints, c: Floats, delta: Floats) -> Floats:
    """Return ``delta[i] - s_i . c_i`` for every task: (k,)."""
    values = np.empty(len(delta))
    for i in range(len(delta)):
        total = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            total += scores[j] * c[j]
        values[i] = delta[i] - total
    return values
