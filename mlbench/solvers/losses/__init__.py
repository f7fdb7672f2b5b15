"""Losses of a task as functions of its scores: their values, subgradients and proximal steps.

The scores (N,) of all tasks stand one after the other, and so do their labels y, -1 or 1; task i
has the entries ``offsets[i]:offsets[i + 1]``.
"""

from collections.abc import Callable

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled

Oracle = Callable[[Floats, Floats, Ints], tuple[Floats, Floats, Floats]]
"""(scores, y, offsets) to (values, c, delta): ``values[i] = delta[i] - s_i . c_i`` is the loss of
task i, and no smaller than that of any other plane; ``-c`` is a subgradient of the sum.

A mixture of the directions c of a task, with the same mixture of their delta, bounds its loss at
all scores s from below: by ``delta - s . c``."""


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
