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

    def after(self, n_iter: int, seconds: float) -> StoppingCriterion:
        """Return what is left after some iterations and seconds; at least one iteration."""
        left = None if self.max_seconds is None else max(self.max_seconds - seconds, 0.0)
        return StoppingCriterion(self.tol, max(self.max_iter - n_iter, 1), left)
