"""A quantity on an axis, with its unit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mlbench.errors import MlbenchError
from mlbench.report.figures.estimate import SPREAD_NAMES, Estimate, Spread, estimate, split_count
from mlbench.report.figures.names import wrapped
from mlbench.report.results import Results
from mlbench.report.settings import MetricColumn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABEL = 30
"""Characters of a line of an axis label."""

STEPS = {
    "tune": "time to tune",
    "fit": "time to fit",
    "predict": "time to predict",
    "total": "time of a cell",
}


@dataclass(frozen=True)
class Quantity:
    """A score or a time."""

    name: str
    """Its name in the column ``metric``."""
    label: str
    """The axis label, with the unit."""
    factor: float = 1.0
    """Multiplies stored values to give those drawn."""
    greater_is_better: bool = True
    bounds: tuple[float, float] | None = None
    """Smallest and largest possible value, as drawn."""
    is_time: bool = False
    """Whether it is a time, which is drawn on a logarithmic axis."""
    spread: Spread = "interval"
    """What error bars and bands show."""
    ratios: Mapping[str, float] = field(default_factory=dict)
    """Test part over training part by data set, for corrected intervals."""

    def of(self, results: Results, dataset: str, method: str) -> Estimate | None:
        """Return the mean over splits of a method on a data set, or None without values."""
        scores = results.scores(dataset, method, self.name)
        if not scores:
            return None
        values = [self.factor * value for value in scores.values()]
        return estimate(values, self.spread, self.ratios.get(dataset))

    def describe(self, estimates: Collection[Estimate], mark: str) -> str:
        """Return a sentence that explains the means and the mark (bar, band) around them."""
        splits = split_count(estimates)
        if max(each.n for each in estimates) < 2:
            return f"One value each: {splits}."
        words = SPREAD_NAMES[self.spread]
        if self.spread == "interval" and self.ratios:
            words += ", corrected for splits that share samples"
        return f"Mean over {splits}; {mark}: {words}."

    def frame(self, axes: Axes, name: Literal["x", "y"] = "y") -> None:
        """Label an axis, and limit it to possible values, with room for marks at its ends."""
        axes.set(**{f"{name}label": "\n".join(wrapped(self.label, _LABEL))})
        if self.bounds is not None:
            low, high = getattr(axes, f"get_{name}lim")()
            least, most = self.bounds
            room = 0.02 * (min(high, most) - max(low, least))
            axes.set(**{f"{name}lim": (max(low, least), min(high, most + room))})

    def check(self, results: Results) -> None:
        """Check that the results contain values of the quantity.

        Raises
        ------
        MlbenchError
            If they do not.
        """
        if self.name not in results.metrics:
            raise MlbenchError(f"the results contain no value of {self.name!r}")


def score_quantity(
    metric: MetricColumn,
    percent: bool = True,
    spread: Spread = "interval",
    ratios: Mapping[str, float] | None = None,
) -> Quantity:
    """Return a metric as a quantity, by default with fractions in percent."""
    factor = 100.0 if metric.is_fraction and percent else 1.0
    return Quantity(
        metric.name,
        f"{metric.heading} (%)" if factor > 1 else metric.heading,
        factor,
        metric.greater_is_better,
        bounds=(0.0, factor) if metric.is_fraction else None,
        spread=spread,
        ratios=ratios or {},
    )


def time_quantity(step: str) -> Quantity:
    """Return the time of a step (tune, fit, predict or total) as a quantity."""
    return Quantity(
        f"seconds_{step}",
        f"{STEPS[step]} (s)",
        greater_is_better=False,
        is_time=True,
        spread="range",
    )
