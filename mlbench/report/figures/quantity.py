"""What stands on a vertical axis, with its unit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlbench.errors import MlbenchError
from mlbench.report.figures.estimate import WORDS, Estimate, Spread, estimate, splits_behind
from mlbench.report.results import Results
from mlbench.report.settings import MetricColumn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = {
    "tune": "time to tune",
    "fit": "time to fit",
    "predict": "time to predict",
    "total": "time of a cell",
}


@dataclass(frozen=True)
class Quantity:
    """A score or a time.

    Attributes
    ----------
    name : str
        Its entry in the column ``metric``.
    label : str
        What the axis says, with the unit.
    factor : float
        From what is stored to what is drawn.
    greater_is_better : bool
    bounds : tuple of float, optional
        Between which it lies, as drawn.
    is_time : bool
        Times are drawn on logarithmic axes.
    spread : {"interval", "std", "range"}
        What bars and bands are.
    ratios : mapping of data set to float
        Test part over training part, for intervals that are corrected.
    """

    name: str
    label: str
    factor: float = 1.0
    greater_is_better: bool = True
    bounds: tuple[float, float] | None = None
    is_time: bool = False
    spread: Spread = "interval"
    ratios: Mapping[str, float] = field(default_factory=dict)

    def of(self, results: Results, dataset: str, method: str) -> Estimate | None:
        """Return the mean over the splits of one method on one data set, if there are any."""
        scores = results.scores(dataset, method, self.name)
        if not scores:
            return None
        values = [self.factor * value for value in scores.values()]
        return estimate(values, self.spread, self.ratios.get(dataset))

    def describe(self, estimates: Collection[Estimate], mark: str) -> str:
        """Return a sentence on means and on what a mark (bar, band) around them is."""
        splits = splits_behind(estimates)
        if max(each.n for each in estimates) < 2:
            return f"One value each: {splits}."
        words = WORDS[self.spread]
        if self.spread == "interval" and self.ratios:
            words += ", corrected for splits that share samples"
        return f"Mean over {splits}; {mark}: {words}."

    def frame(self, axes: Axes) -> None:
        """Label the vertical axis, and keep it within what is possible."""
        axes.set_ylabel(self.label)
        if self.bounds is not None:
            low, high = axes.get_ylim()
            axes.set_ylim(max(low, self.bounds[0]), min(high, self.bounds[1]))

    def check(self, results: Results) -> None:
        """Refuse results that do not hold it.

        Raises
        ------
        MlbenchError
        """
        if self.name not in results.metrics:
            raise MlbenchError(f"the results hold no value of {self.name!r}")


def score_of(
    metric: MetricColumn,
    percent: bool = True,
    spread: Spread = "interval",
    ratios: Mapping[str, float] | None = None,
) -> Quantity:
    """Return a metric as a quantity; fractions in percent, if so wanted."""
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


def seconds_of(step: str) -> Quantity:
    """Return the time of a step: tune, fit, predict or total."""
    return Quantity(
        f"seconds_{step}",
        f"{STEPS[step]} (s)",
        greater_is_better=False,
        is_time=True,
        spread="range",
    )
