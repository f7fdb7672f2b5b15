"""Losses of a task as functions of its scores: their values, subgradients and proximal steps."""

from __future__ import annotations

from collections.abc import Callable

from mlbench.solvers.arrays import Floats, Ints

Oracle = Callable[[Floats, Floats, Ints], tuple[Floats, Floats, Floats]]
"""(scores, y, offsets) to (values, c, delta): ``values[i] = delta[i] - s_i . c_i`` is the loss of
task i, and no smaller than that of any other plane."""
