"""The input of tables: the results, what to show, and the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from mlbench.errors import MlbenchError
from mlbench.report.numbers import ScoreFormat, score_format
from mlbench.report.results import Results
from mlbench.report.settings import Comparison, ReportSettings
from mlbench.report.tables.pairwise_tests import Finding, compare
from mlbench.spelling import did_you_mean

Findings = list[tuple[Comparison, list[Finding]]]


@dataclass(frozen=True, eq=False)
class ReportData:
    """The results of an experiment, and what to show.

    Raises
    ------
    mlbench.errors.MlbenchError
        When the settings name a method that is not in the results.
    """

    results: Results
    settings: ReportSettings
    notes: tuple[str, ...] = ()
    """More notes for the tables of scores."""

    def __post_init__(self) -> None:
        for comparison in self.settings.comparisons:
            for name in (comparison.method, *comparison.against):
                if name not in self.methods:
                    hint = did_you_mean(name, self.methods)
                    raise MlbenchError(
                        f"a comparison names the method {name!r}, which is not in the results{hint}"
                    )

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods to show, in order."""
        return self.settings.methods or self.results.methods

    @property
    def datasets(self) -> tuple[str, ...]:
        """Data sets to show, in order."""
        return self.settings.datasets or self.results.datasets

    @cached_property
    def formats(self) -> Mapping[str, ScoreFormat]:
        """How the scores of each metric are printed."""
        return {
            metric.name: score_format(metric, self.settings.percent, self.settings.decimals)
            for metric in self.settings.metrics
        }

    @cached_property
    def findings(self) -> Findings:
        """The findings of each comparison, by metric and data set."""
        settings = self.settings
        return [
            (
                comparison,
                [
                    finding
                    for metric in settings.metrics
                    for dataset in self.datasets
                    for finding in compare(
                        self.results,
                        comparison,
                        dataset,
                        metric.name,
                        settings.test_train_ratio.get(dataset),
                        metric.greater_is_better,
                    )
                ],
            )
            for comparison in settings.comparisons
        ]
