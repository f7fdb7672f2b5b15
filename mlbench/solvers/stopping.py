"""When an iterative solver stops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StoppingCriterion:
    """The relative gap to reach, and the limits on the way there."""

    tol: float
    """(objective - bound) / objective at which to stop."""
    max_iter: int
    max_seconds: float | None = None
