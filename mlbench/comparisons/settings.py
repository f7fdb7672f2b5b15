"""What is compared and shown, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mlbench.config.comparison import Comparison
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.number_text import ScoreFormat, score_format
from mlbench.options import AllPairs
from mlbench.results.results import Results
from mlbench.statistics import ALPHA


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
    """Whether methods are tested and ranked by it."""

    def check_quality(self) -> None:
        """Refuse to rank methods by a metric that describes them."""
        if not self.is_quality:
            raise MlbenchError(
                f"{self.name} describes methods, and ranks none; "
                f"`mlbench report RESULTS --metric {self.name}` shows it"
            )

    @property
    def heading(self) -> str:
        """The title, with an arrow where smaller is better."""
        return self.title if self.greater_is_better else f"{self.title} ↓"


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
    shown_methods: tuple[str, ...] | None = None
    shown_datasets: tuple[str, ...] | None = None
    """Those of them that tables show; by default all."""
    comparisons: tuple[Comparison, ...] = ()
    test_train_ratio: Mapping[str, float] = field(default_factory=dict)
    """By data set: size of a test part over that of a training part, for the corrected t-test."""
    uncorrected: Mapping[str, str] = field(default_factory=dict)
    """By data set: why the corrected t-test is refused on its splits."""
    percent: bool = False
    """Print fractions in percent."""
    transpose: bool = False
    """Exchange the rows and columns of tables of scores."""
    decimals: int | None = None
    """Digits after the point; by default 2 in percent, 4 as fractions."""

    @cached_property
    def formats(self) -> Mapping[str, ScoreFormat]:
        """How the scores of each metric are printed."""
        return {
            metric.name: score_format(metric.is_fraction, self.percent, self.decimals)
            for metric in self.metrics
        }

    @property
    def rank_rule(self) -> tuple[float, AllPairs]:
        """The level and the correction of the tests of mean ranks, as the experiment asks."""
        asked = (each for each in self.comparisons if "friedman" in each.over_datasets)
        first = next(asked, None)
        return (first.alpha, first.all_pairs) if first else (ALPHA, "nemenyi")

    @property
    def judged_metrics(self) -> list[MetricColumn]:
        """The metrics by which methods are tested and ranked."""
        return [metric for metric in self.metrics if metric.is_quality]


def report_settings(results: Results, metrics: Sequence[str] = ()) -> ReportSettings:
    """Return what to report, from the experiment.

    Parameters
    ----------
    results : Results
    metrics : sequence of str
        Shown instead of the experiment's own.
    """
    experiment, methods = results.plan.experiment, results.plan.methods
    shown = map(get_metric, metrics or experiment.report.metrics or experiment.metrics)
    return ReportSettings(
        metrics=tuple(
            MetricColumn(
                each.name, each.title, each.greater_is_better, each.is_fraction, each.is_quality
            )
            for each in shown
        ),
        n_splits=results.plan.n_splits,
        methods=methods,
        datasets=results.datasets,
        comparisons=_merged(wanted.resolved(methods) for wanted in experiment.tests),
        test_train_ratio=results.test_train_ratios,
        uncorrected={
            name: facts.uncorrected
            for name, facts in results.plan.datasets.items()
            if facts.uncorrected
        },
        percent=experiment.report.unit == "percent",
        decimals=experiment.report.decimals,
    )


def _merged(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Join comparisons that differ in their tests alone, whose tables would repeat each other."""
    merged: dict[str, Comparison] = {}
    for each in comparisons:
        alike = each.model_dump_json(exclude={"test"})
        before = merged[alike].test if alike in merged else []
        tests = list(dict.fromkeys([*before, *each.test]))
        merged[alike] = each.model_copy(update={"test": tests})
    return tuple(merged.values())
