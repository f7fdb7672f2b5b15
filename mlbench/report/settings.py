"""What to report, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mlbench.metrics import get_metric
from mlbench.options import LONG, AllPairs, Correction, EffectSize, OverDatasets, Test
from mlbench.results.results import Results

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
        comparisons=_merged(
            Comparison(
                method=wanted.method,
                against=tuple(
                    wanted.against or [name for name in methods if name != wanted.method]
                ),
                tests=tuple(wanted.test),
                correction=wanted.correction,
                effects=tuple(wanted.effect),
                rope=wanted.rope,
                over_datasets=tuple(wanted.over_datasets),
                all_pairs=wanted.all_pairs,
                layout=wanted.layout,
            )
            for wanted in experiment.tests
        ),
        test_train_ratio=results.test_train_ratios,
        percent=experiment.report.unit == "percent",
        decimals=experiment.report.decimals,
    )


def _merged(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Join comparisons that differ in their tests alone, whose tables would repeat each other."""
    tests: dict[Comparison, list[Test]] = {}
    for each in comparisons:
        tests.setdefault(replace(each, tests=()), []).extend(each.tests)
    return tuple(replace(each, tests=tuple(dict.fromkeys(asked))) for each, asked in tests.items())
