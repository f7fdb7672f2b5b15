"""One comparison: from the paired scores of two methods to tests, effects and a decision.

The tests of an experiment, the verdict, the comparison of two results folders and the check
against a reference all go through :func:`compare`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from mlbench.options import CORRECTIONS, EFFECT_SIZES, TESTS
from mlbench.spelling import refuse_unknown
from mlbench.statistics.corrections import holm
from mlbench.statistics.effects import (
    Effect,
    a12,
    cliffs_delta,
    cohen_d,
    mean_difference,
    practical_equivalence,
)
from mlbench.statistics.jackknife import RowVariance, jackknife_difference, jackknife_t
from mlbench.statistics.paired_scores import PairedScores
from mlbench.statistics.pairs import differences
from mlbench.statistics.resolution import MAX_RATIO, POWER, UNKNOWN, Resolution, resolution
from mlbench.statistics.result import TestResult
from mlbench.statistics.t_tests import corrected_t, paired_t, two_sample_t
from mlbench.statistics.wilcoxon import wilcoxon

ALPHA = 0.05
"""The level of tests where none is stated; 1 minus the level is that of intervals."""

MIN_PAIRS = 2
OPTIMISTIC = ("t", "two_sample_t")
"""Tests that ignore that splits share rows."""
WITH_CORRECTED = (*OPTIMISTIC, "jackknife_t")
"""Tests beside which the corrected t-test is made wherever the sizes of the splits are known."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What the scores of a method say against those of another."""

    scores: PairedScores
    ratio: float | None
    """The size of a test part over that of a training part; None if it is not known."""
    greater_is_better: bool
    difference: Effect
    """The mean difference, with the interval of the jackknife or else the corrected t-test."""
    alpha: float = ALPHA
    """The level of the tests; 1 - alpha is that of the interval."""
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    """In the order asked for."""
    adjusted: Mapping[str, float] = field(default_factory=dict)
    """p-values corrected for the number of comparisons; the plain ones without correction."""
    n_corrected: Mapping[str, int] = field(default_factory=dict)
    """For each test, how many p-values they were corrected for; a test without p does not count."""
    effects: Mapping[str, Effect] = field(default_factory=dict)
    """``difference`` and ``cohen_d`` have the sign of the difference; ``rope``, ``a12`` and
    ``cliffs_delta`` say how often the first method is better.
    """

    @property
    def headline(self) -> str:
        """The test to believe: the jackknife or else the corrected t-test where there is one."""
        for name in ("jackknife_t", "corrected_t"):
            if name in self.tests:
                return name
        return next(iter(self.tests))

    @property
    def any_test(self) -> TestResult:
        """One of the results, for what they all share."""
        return self.tests[self.headline]

    @property
    def is_tested(self) -> bool:
        """Whether there were enough pairs to test anything."""
        return bool(self.tests) and self.scores.n >= MIN_PAIRS

    def decision(self, test: str | None = None) -> int:
        """Return 1 if the first method is significantly better, -1 if worse, else 0.

        The direction is that of the test: ranks may disagree with the sign of the mean
        difference. Without a test named, the headline decides.
        """
        name = test or self.headline
        direction = self.tests[name].direction
        return decided(self.adjusted[name], direction, self.greater_is_better, self.alpha)

    def resolution(self, power: float = POWER) -> Resolution:
        """Return which difference these splits, and any number of them, could have shown.

        In the unit of the metric, from the standard deviation of the differences. It is unknown
        if all differences are equal.
        """
        pairs = differences(self.scores.a, self.scores.b)
        if pairs.n < MIN_PAIRS or np.ptp(pairs.values) == 0:
            return UNKNOWN
        return resolution(pairs.std, pairs.n, self.ratio, alpha=self.alpha, power=power)

    def is_within(self, rope: float) -> bool:
        """Return whether the whole interval of the difference lies within -rope and rope.

        Then the two methods are equal for practical purposes, significant or not. Without an
        interval they are not known to be, but for equal scores on all of two splits or more.
        """
        if self.scores.n > 1 and list(self.scores.a) == list(self.scores.b):
            return True
        return -rope <= self.difference.low and self.difference.high <= rope


def compare(
    scores: PairedScores,
    tests: Sequence[str],
    ratio: float | None = None,
    *,
    greater_is_better: bool = True,
    effects: Sequence[str] = (),
    rope: float = 0.01,
    alpha: float = ALPHA,
    rows: RowVariance | None = None,
) -> Compared:
    """Compare a method with another one on the splits that both have.

    Parameters
    ----------
    scores : PairedScores
    tests : sequence of str
        Of :data:`mlbench.options.TESTS`.
    ratio : float, optional
        The size of a test part over that of a training part; without it there is no corrected
        t-test and no interval.
    greater_is_better : bool
    effects : sequence of str
        Of :data:`mlbench.options.EFFECT_SIZES`.
    rope : float
        Half the width of the region of practical equivalence.
    alpha : float
        The level of the tests.
    rows : RowVariance, optional
        Of the mean difference, from predictions. With it the jackknife t-test is made where test
        parts are more than `mlbench.statistics.resolution.MAX_RATIO` times as large as training
        parts.

    Returns
    -------
    Compared
        With plain p-values; :func:`corrected` corrects those of several findings.

    Raises
    ------
    mlbench.errors.MlbenchError
        If there is no such test or effect size.
    """
    tests, effects = ([each] if isinstance(each, str) else each for each in (tests, effects))
    for name in tests:
        refuse_unknown("there is no test", name, TESTS)
    for name in effects:
        refuse_unknown("there is no effect size", name, EFFECT_SIZES)
    rows = rows if ratio is not None and ratio > MAX_RATIO else None
    made = {name: _test(name, scores, ratio, rows) for name in _tests_to_make(tests, ratio, rows)}
    n_train = None if ratio is None else 1.0
    a, b = scores.a, scores.b
    difference = mean_difference(a, b, n_train, ratio, 1 - alpha)
    if "jackknife_t" in made and ratio is not None and rows is not None:
        difference = jackknife_difference(a, b, 1.0, ratio, rows, 1 - alpha)
    found = Compared(
        scores=scores,
        ratio=ratio,
        greater_is_better=greater_is_better,
        difference=difference,
        alpha=alpha,
        tests=made,
        adjusted={name: result.p_value for name, result in made.items()},
    )
    return replace(found, effects={name: _effect(name, found, rope) for name in effects})


C = TypeVar("C", bound=Compared)


def corrected(findings: Sequence[C], correction: str = "holm") -> list[C]:
    """Correct the p-values of each test for the number of findings.

    Parameters
    ----------
    findings : sequence of Compared
    correction : {"holm", "none"}
    """
    refuse_unknown("there is no correction", correction, CORRECTIONS)
    if correction != "holm":
        return list(findings)
    adjusted: list[dict[str, float]] = [{} for _ in findings]
    numbers: dict[str, int] = {}
    for name in dict.fromkeys(name for found in findings for name in found.tests):
        made = [i for i, found in enumerate(findings) if name in found.tests]
        values = holm([findings[i].tests[name].p_value for i in made])
        numbers[name] = int(np.sum(~np.isnan(values)))
        for i, p in zip(made, values, strict=True):
            adjusted[i][name] = float(p)
    return [
        replace(found, adjusted=p, n_corrected={name: numbers[name] for name in p})
        for found, p in zip(findings, adjusted, strict=True)
    ]


def decided(p: float, direction: int, greater_is_better: bool, alpha: float = ALPHA) -> int:
    """Return 1 if a test decides for the first method, -1 if against it, 0 if not at all."""
    if math.isnan(p) or p >= alpha:
        return 0
    return direction if greater_is_better else -direction


def _tests_to_make(
    tests: Sequence[str], ratio: float | None, rows: RowVariance | None
) -> list[str]:
    names: list[str] = []
    for name in tests:
        names += [name, "corrected_t"] if name in WITH_CORRECTED else [name]
    possible = {"corrected_t": ratio is not None, "jackknife_t": rows is not None}
    return [name for name in dict.fromkeys(names) if possible.get(name, True)]


def _test(
    name: str, scores: PairedScores, ratio: float | None, rows: RowVariance | None
) -> TestResult:
    a, b = scores.a, scores.b
    if name == "t":
        return paired_t(a, b)
    if name == "corrected_t" and ratio is not None:
        return corrected_t(a, b, n_train=1.0, n_test=ratio)
    if name == "jackknife_t" and ratio is not None and rows is not None:
        return jackknife_t(a, b, 1.0, ratio, rows)
    if name == "two_sample_t":
        return two_sample_t(a, b)
    return wilcoxon(a, b, "approx" if name == "wilcoxon_normal" else "auto")


def _effect(name: str, found: Compared, rope: float) -> Effect:
    a, b = found.scores.a, found.scores.b
    if name == "difference":
        return found.difference
    if name == "cohen_d":
        return cohen_d(a, b)
    better, worse = (a, b) if found.greater_is_better else (b, a)
    if name == "rope":
        n_train = None if found.ratio is None else 1.0
        return practical_equivalence(better, worse, n_train, found.ratio, rope)
    return a12(better, worse) if name == "a12" else cliffs_delta(better, worse)
