"""One line of a figure."""

from dataclasses import dataclass

import numpy as np

from mlbench.report.figures.quantity import Estimate


@dataclass(frozen=True)
class Curve:
    """One line."""

    name: str
    """A method, or the common name of a group of methods."""
    x: tuple[float, ...]
    """Ascending; empty for a method without the parameter, which is a horizontal line."""
    y: tuple[Estimate, ...]
    """One per x; a single one for a horizontal line."""
    number: int
    """Determines the style of the line."""
    methods: tuple[str, ...] = ()
    """Those of a group."""

    @property
    def slope(self) -> float:
        """Least-squares slope of log(mean) over log(x): the exponent of growth."""
        means = [each.mean for each in self.y]
        if len(self.x) < 2 or min(self.x) <= 0 or min(means) <= 0:
            return float("nan")
        return float(np.polyfit(np.log(self.x), np.log(means), 1)[0])
