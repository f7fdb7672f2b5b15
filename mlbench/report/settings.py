"""What to report, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mlbench.options import LONG, AllPairs, Correction, EffectSize, OverDatasets, Test

ALPHA = 0.05
"""The level of tests; 1 - ALPHA is that of intervals."""


@dataclass(frozen=True)
class MetricColumn:
    """How a metric is headed and read."""

    name: str
    """Its key in the values."""
    title: str
    greater_is_better: bool = True
    is_fraction: bool = True
    """Whether it may be printed in percent."""
    is_quality: bool = True
    """Whether a verdict is given on it."""

    @property
    def heading(self) -> str:
        """The title, with an arrow where smaller is better."""
        return self.title if self.greater_is_better else f"{self.title} ↓"


@dataclass(frozen=True)
class Comparison:
    """One method tested against others on the same splits."""

    method: str
    """The method on one side of every test."""
    against: tuple[str, ...]
    """The methods on the other."""
    tests: tuple[Test, ...] = ("corrected_t", "wilcoxon")
    """Of ``t``, ``corrected_t``, ``two_sample_t``, ``wilcoxon``, ``wilcoxon_normal``. The corrected
    t-test is added beside the other t-tests wherever the sizes of the splits are known.
    """
    correction: Correction = "holm"
    """For the number of methods compared, within one data set and metric."""
    effects: tuple[EffectSize, ...] = ()
    """Of ``difference`` (its interval), ``rope``, ``cohen_d``, ``a12``, ``cliffs_delta``."""
    rope: float = 0.01
    """Half the width of the region of practical equivalence."""
    over_datasets: tuple[OverDatasets, ...] = ()
    """Of ``friedman`` (mean ranks, Friedman, all pairs) and ``win_tie_loss`` (its counts, and
    Wilcoxon's test over data sets).
    """
    all_pairs: AllPairs = "nemenyi"
    """How p-values of mean ranks are corrected for all pairs of methods."""
    layout: str = LONG
    """A table per metric with a row per data set and method, or a table per test with a row per
    method and a column per metric and data set.
    """


@dataclass(frozen=True)
class ReportSettings:
    """The tables of an experiment."""

    metrics: tuple[MetricColumn, ...]
    """In the order of the tables."""
    n_splits: int | Mapping[str, int]
    """Splits that the experiment has (by data set, if they differ), run or not."""
    methods: tuple[str, ...] | None = None
    datasets: tuple[str, ...] | None = None
    """Rows and columns in this order; by default those found in the results, in their order."""
    comparisons: tuple[Comparison, ...] = ()
    test_train_ratio: Mapping[str, float] = field(default_factory=dict)
    """By data set: size of a test part over that of a training part, for the corrected t-test."""
    percent: bool = False
    """Print fractions in percent."""
    decimals: int | None = None
    """Digits after the point; by default 2 in percent, 4 as fractions."""

    @property
    def judged_metrics(self) -> list[MetricColumn]:
        """The metrics on which a verdict is given."""
        return [metric for metric in self.metrics if metric.is_quality]
