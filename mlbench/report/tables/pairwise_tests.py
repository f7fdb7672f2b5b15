"""Tests of one method against others, data set by data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from mlbench.report.settings import ALPHA, Comparison, MetricColumn
from mlbench.results.scores import Scores
from mlbench.statistics import (
    Effect,
    TestResult,
    a12,
    cliffs_delta,
    cohen_d,
    corrected_t,
    holm,
    mean_difference,
    paired_t,
    practical_equivalence,
    two_sample_t,
    wilcoxon,
)

TITLES = {
    "t": "t-test",
    "corrected_t": "corrected t-test",
    "two_sample_t": "two-sample t-test",
    "wilcoxon": "Wilcoxon",
    "wilcoxon_normal": "Wilcoxon, normal",
}
MIN_PAIRS = 2
OPTIMISTIC = ("t", "two_sample_t")


@dataclass(frozen=True)
class Finding:
    """The tests of a method against another, on one data set in one metric."""

    dataset: str
    metric: str
    method: str
    against: str
    n_splits: int
    """Splits that the experiment has; the tests use those where both have a score."""
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    """In the order of the table."""
    adjusted: Mapping[str, float] = field(default_factory=dict)
    """p-values corrected for the number of methods compared; the plain ones without correction."""
    effects: Mapping[str, Effect] = field(default_factory=dict)
    """``difference`` and ``cohen_d`` have the sign of the difference; ``a12`` and ``cliffs_delta``
    say how often the method is better.
    """

    @property
    def headline(self) -> str:
        """The test to believe: the corrected t-test where there is one."""
        return "corrected_t" if "corrected_t" in self.tests else next(iter(self.tests))

    @property
    def any_test(self) -> TestResult:
        """One of the results, for what they all share."""
        return self.tests[self.headline]

    @property
    def is_tested(self) -> bool:
        """Whether there were enough pairs to test anything."""
        return self.any_test.n >= MIN_PAIRS


def compare(
    results: Scores,
    comparison: Comparison,
    dataset: str,
    metric: str,
    ratio: float | None,
    greater_is_better: bool = True,
) -> list[Finding]:
    """Test a method against each of the others on one data set.

    `ratio` is the size of a test part over that of a training part; without it there is no
    corrected t-test.
    """
    names = _tests_to_make(comparison, ratio)
    if not names:
        return []
    others = [name for name in dict.fromkeys(comparison.against) if name != comparison.method]
    made: list[dict[str, TestResult]] = []
    effects: list[dict[str, Effect]] = []
    for other in others:
        a, b = paired_scores(results, dataset, metric, comparison.method, other)
        made.append({name: _test(name, a, b, ratio) for name in names})
        effects.append(
            {
                name: _effect(name, a, b, comparison, ratio, greater_is_better)
                for name in dict.fromkeys(comparison.effects)
            }
        )
    adjusted = {name: [tests[name].p_value for tests in made] for name in names}
    if comparison.correction == "holm":
        adjusted = {name: holm(p).tolist() for name, p in adjusted.items()}
    return [
        Finding(
            dataset=dataset,
            metric=metric,
            method=comparison.method,
            against=other,
            n_splits=results.n_splits(dataset),
            tests=tests,
            adjusted={name: adjusted[name][i] for name in names},
            effects=effects[i],
        )
        for i, (other, tests) in enumerate(zip(others, made, strict=True))
    ]


def paired_scores(
    results: Scores, dataset: str, metric: str, method: str, other: str
) -> tuple[list[float], list[float]]:
    """Return the scores of two methods on the splits where both are finite."""
    ours = results.scores(dataset, method, metric)
    theirs = results.scores(dataset, other, metric)
    shared = [
        s for s in ours if s in theirs and math.isfinite(ours[s]) and math.isfinite(theirs[s])
    ]
    return [ours[s] for s in shared], [theirs[s] for s in shared]


def has_pairs(results: Scores, comparison: Comparison, dataset: str, metric: str) -> bool:
    """Return whether the method and any of the others share enough splits for a test."""
    own = results.scores(dataset, comparison.method, metric)
    return any(
        len(own.keys() & results.scores(dataset, other, metric).keys()) >= MIN_PAIRS
        for other in comparison.against
        if other != comparison.method
    )


def _tests_to_make(comparison: Comparison, ratio: float | None) -> list[str]:
    names: list[str] = []
    for name in comparison.tests:
        names += [name, "corrected_t"] if name in OPTIMISTIC else [name]
    return [name for name in dict.fromkeys(names) if name != "corrected_t" or ratio is not None]


def _test(name: str, a: list[float], b: list[float], ratio: float | None) -> TestResult:
    if name == "t":
        return paired_t(a, b)
    if name == "corrected_t" and ratio is not None:
        return corrected_t(a, b, n_train=1.0, n_test=ratio)
    if name == "two_sample_t":
        return two_sample_t(a, b)
    return wilcoxon(a, b, "approx" if name == "wilcoxon_normal" else "auto")


def _effect(
    name: str,
    a: list[float],
    b: list[float],
    comparison: Comparison,
    ratio: float | None,
    greater_is_better: bool,
) -> Effect:
    n_train = None if ratio is None else 1.0
    if name == "difference":
        return mean_difference(a, b, n_train, ratio, 1 - ALPHA)
    if name == "cohen_d":
        return cohen_d(a, b)
    better, worse = (a, b) if greater_is_better else (b, a)
    if name == "rope":
        return practical_equivalence(better, worse, n_train, ratio, comparison.rope)
    return a12(better, worse) if name == "a12" else cliffs_delta(better, worse)


def verdict(finding: Finding, metric: MetricColumn, test: str | None = None) -> int:
    """Return 1 if the method is significantly better than the other, -1 if worse, else 0.

    The direction is that of the test: ranks may disagree with the sign of the mean difference.
    """
    name = test or finding.headline
    return decided(finding.adjusted[name], finding.tests[name].direction, metric)


def decided(p: float, direction: int, metric: MetricColumn) -> int:
    """Return 1 if a test decides for the method, -1 if against it, 0 if it does not decide."""
    if math.isnan(p) or p >= ALPHA:
        return 0
    return direction if metric.greater_is_better else -direction
