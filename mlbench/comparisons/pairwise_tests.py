"""Tests of one method against others, data set by data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.comparisons.settings import ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.results.scores import Scores
from mlbench.statistics import Compared, PairedScores, compare, corrected
from mlbench.statistics.compare import MIN_PAIRS

TITLES = {
    "t": "t-test",
    "corrected_t": "corrected t-test",
    "two_sample_t": "two-sample t-test",
    "jackknife_t": "jackknife t-test",
    "wilcoxon": "Wilcoxon",
    "wilcoxon_normal": "Wilcoxon, normal",
}


def in_words(test: str) -> str:
    """Return what a sentence calls a test."""
    title = TITLES[test]
    return title if title.endswith("test") else f"{title.replace(', normal', '')} test"


UNKNOWN_SIZES = "the sizes of the splits are not known"


@dataclass(frozen=True, kw_only=True)
class Finding(Compared):
    """The comparison of a method with another, on one data set in one metric."""

    dataset: str
    metric: str
    method: str
    against: str
    n_splits: int
    """Splits that the experiment has; the tests use those where both have a score."""
    uncorrected: str = UNKNOWN_SIZES
    """Why there is no corrected t-test, if there is none."""


Findings = list[tuple[Comparison, list[Finding]]]


def find_all(results: Scores, settings: ReportSettings, datasets: Sequence[str]) -> Findings:
    """Return the findings of each comparison of an experiment, by metric and data set."""
    return [
        (
            comparison,
            [
                finding
                for metric in settings.judged_metrics
                for dataset in datasets
                for finding in compare_methods(
                    results,
                    comparison,
                    dataset,
                    metric.name,
                    settings.test_train_ratio.get(dataset),
                    metric.greater_is_better,
                    settings.uncorrected.get(dataset, ""),
                )
            ],
        )
        for comparison in settings.comparisons
    ]


def compare_methods(
    results: Scores,
    comparison: Comparison,
    dataset: str,
    metric: str,
    ratio: float | None,
    greater_is_better: bool = True,
    refused: str = "",
) -> list[Finding]:
    """Test a method against each of the others on one data set.

    `ratio` is the size of a test part over that of a training part; without it there is no
    corrected t-test. `refused` says why, where it would be wrong on these splits; if it was asked
    for, then no other test decides in its place.
    """
    if refused and "corrected_t" in comparison.test:
        return []
    found = []
    for other in comparison.others:
        scores = paired_scores(results, dataset, metric, comparison.method, other)
        pair = compare(
            scores,
            comparison.test,
            ratio,
            greater_is_better=greater_is_better,
            effects=comparison.effect,
            rope=comparison.rope,
            alpha=comparison.alpha,
            rows=results.row_variance(dataset, comparison.method, other, metric, scores.splits),
        )
        found.append(
            Finding(
                **vars(pair),
                dataset=dataset,
                metric=metric,
                method=comparison.method,
                against=other,
                n_splits=results.n_splits(dataset),
                uncorrected=refused or UNKNOWN_SIZES,
            )
        )
    return corrected([finding for finding in found if finding.tests], comparison.correction)


def paired_scores(
    results: Scores, dataset: str, metric: str, method: str, other: str
) -> PairedScores:
    """Return the scores of two methods on the splits where both have one."""
    return PairedScores.of(
        results.scores(dataset, method, metric), results.scores(dataset, other, metric)
    )


def without_pairs(
    results: Scores, comparison: Comparison, dataset: str, metric: str
) -> tuple[str, ...]:
    """Return those of the others that share too few splits with the method for a test."""
    return tuple(
        other
        for other in comparison.others
        if paired_scores(results, dataset, metric, comparison.method, other).n < MIN_PAIRS
    )
