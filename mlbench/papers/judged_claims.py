"""Judge the claims of a paper by controlled comparisons.

A comparison of two methods on a data set is controlled if no check of the audit objects to how it
was tuned, cut or averaged. Only controlled ones count. Each is won, lost or open by the corrected
t-test, with Holm's correction over all of the claim; Wilcoxon's test looks at the mean differences,
one for each distinct data set.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property

from mlbench.audit import Facts
from mlbench.audit.checks import Check, checks_named
from mlbench.audit.checks.datasets import sources_of
from mlbench.audit.pairs import Pair, pair_of
from mlbench.comparisons.pairwise_tests import Finding
from mlbench.config.comparison import Comparison
from mlbench.papers.claims import Claim
from mlbench.results.results import Results
from mlbench.spelling import did_you_mean
from mlbench.statistics import ALPHA, corrected, decided, holm, wilcoxon

CONTROLS = ("tuning-metric", "threshold", "grid-edge", "labels-left-out", "failed-cells")
"""Checks of the audit whose threats make a comparison uncontrolled."""
MOST_LOST = 0.1
"""The largest share of lost comparisons with which a claim about most still holds."""
EQUIVALENCE_ALPHA = 0.1
"""Equivalence at 0.05 takes the interval of 90 %: two one-sided tests."""


class ClaimOutcome(StrEnum):
    """What comparisons say of a claim."""

    HOLDS = "holds"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not comparable"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class ClaimComparison:
    """The claimed method against a rival on a data set."""

    finding: Finding
    source: str
    """The data set without its size or share, so that several of one count once."""
    uncontrolled: tuple[str, ...]
    """The checks that object."""
    unjudged: tuple[str, ...] = ()
    """The checks that rows lack a number for, so that they could not object."""

    @property
    def lead(self) -> float:
        """The mean difference; positive if the claimed method is ahead."""
        a, b = self.finding.scores.a, self.finding.scores.b
        difference = (math.fsum(a) - math.fsum(b)) / self.finding.scores.n
        return difference if self.finding.greater_is_better else -difference

    @property
    def decision(self) -> int:
        """1 if it is won, -1 if it is lost, else 0; at 0.05, whatever the level of intervals."""
        if not self.is_tested:
            return 0
        p, direction = (
            self.finding.adjusted["corrected_t"],
            self.finding.tests["corrected_t"].direction,
        )
        return decided(p, direction, self.finding.greater_is_better, ALPHA)

    @property
    def is_tested(self) -> bool:
        """Whether there is a corrected t-test."""
        return self.finding.is_tested and "corrected_t" in self.finding.tests


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with the comparisons that judge it."""

    claim: Claim
    compared: tuple[ClaimComparison, ...]
    """All comparisons; p-values are corrected over those that are controlled."""
    missing: tuple[str, ...] = ()
    """Methods and data sets of the claim that did not run."""

    @cached_property
    def controlled(self) -> list[ClaimComparison]:
        """The comparisons that count."""
        return [each for each in self.compared if not each.uncontrolled]

    @property
    def not_counted(self) -> list[str]:
        """Methods and data sets that are compared, though in no comparison that counts."""
        named = [
            dict.fromkeys(
                name
                for each in comparisons
                for name in (each.finding.method, each.finding.against, each.finding.dataset)
            )
            for comparisons in (self.compared, self.controlled)
        ]
        return [name for name in named[0] if name not in named[1]]

    @property
    def objections(self) -> Counter[str]:
        """How many comparisons each check objects to."""
        return Counter(name for each in self.compared for name in each.uncontrolled)

    @property
    def unjudged(self) -> Counter[str]:
        """On how many of the comparisons that count a check could not be made."""
        return Counter(name for each in self.controlled for name in each.unjudged)

    @property
    def ahead(self) -> int:
        """In how many of the comparisons that count the claimed method is ahead."""
        return sum(each.lead > 0 for each in self.controlled)

    @property
    def won(self) -> int:
        """How many of these it wins."""
        return sum(each.decision > 0 for each in self.controlled)

    @property
    def lost(self) -> int:
        """How many of these it loses."""
        return sum(each.decision < 0 for each in self.controlled)

    @cached_property
    def p_over_datasets(self) -> float:
        """Of Wilcoxon's test on the mean lead on each distinct data set; NaN of fewer than two."""
        return self._over_datasets[0]

    @property
    def outcome(self) -> ClaimOutcome:
        """What the comparisons say."""
        if self.claim.not_judged:
            return ClaimOutcome.NOT_JUDGED
        if not self.controlled or 2 * len(self.controlled) < len(self.compared):
            return ClaimOutcome.NOT_COMPARABLE
        if self.claim.equal_within is not None:
            return self._equality(self.claim.equal_within)
        n, (p, direction) = len(self.controlled), self._over_datasets
        is_against = self._is_behind_one or (p < ALPHA and direction < 0)
        if self.claim.on == "all":
            few_lost, refuted = self.lost == 0, self.lost > 0
        else:
            few_lost, refuted = self.lost <= MOST_LOST * n, 2 * self.lost >= n
        if refuted or is_against:
            return ClaimOutcome.CONTRADICTED
        is_for = p < ALPHA and direction > 0 and few_lost and self._is_ahead_of_each
        if self.won == n or is_for:
            return ClaimOutcome.HOLDS
        return ClaimOutcome.UNDECIDED

    @cached_property
    def _by_rival(self) -> list[list[ClaimComparison]]:
        """The comparisons that count, by method and rival.

        A large lead over one rival does not make up for another one that is always ahead.
        """
        found: dict[tuple[str, str], list[ClaimComparison]] = {}
        for each in self.controlled:
            found.setdefault((each.finding.method, each.finding.against), []).append(each)
        return [*found.values()]

    @property
    def _is_ahead_of_each(self) -> bool:
        """Whether it is behind nowhere (a claim about all), or at most as often as ahead."""
        leads = [[each.lead for each in of] for of in self._by_rival]
        if self.claim.on == "all":
            return all(lead >= 0 for of in leads for lead in of)
        return all(sum(lead > 0 for lead in of) >= sum(lead < 0 for lead in of) for of in leads)

    @property
    def _is_behind_one(self) -> bool:
        """Whether Wilcoxon's test finds it behind a rival, after Holm's correction over these."""
        found = [_over_datasets(of) for of in self._by_rival]
        known = [(p, direction) for p, direction in found if not math.isnan(p)]
        adjusted = holm([p for p, _ in known]).tolist() if known else []
        return any(
            p < ALPHA and direction < 0 for p, (_, direction) in zip(adjusted, known, strict=True)
        )

    @cached_property
    def _over_datasets(self) -> tuple[float, int]:
        return _over_datasets(self.controlled)

    def _equality(self, margin: float) -> ClaimOutcome:
        inside = [each.finding.is_within(margin) for each in self.controlled]
        outside = [
            each.finding.difference.low > margin or each.finding.difference.high < -margin
            for each in self.controlled
        ]
        if any(outside):
            return ClaimOutcome.CONTRADICTED
        return ClaimOutcome.HOLDS if all(inside) else ClaimOutcome.UNDECIDED


def _over_datasets(comparisons: Sequence[ClaimComparison]) -> tuple[float, int]:
    """Return the p-value of Wilcoxon's test on the mean lead on each data set, and its sign."""
    leads: dict[str, list[float]] = {}
    for each in comparisons:
        leads.setdefault(each.source, []).append(each.lead)
    means = [math.fsum(values) / len(values) for values in leads.values()]
    if len(means) < 2:
        return math.nan, 0
    found = wilcoxon(means, [0.0] * len(means))
    return found.p_value, found.direction


def judge_claims(claims: Sequence[Claim], results: Sequence[Results]) -> list[JudgedClaim]:
    """Judge claims by the results of several folders.

    Parameters
    ----------
    claims : sequence of Claim
    results : sequence of Results
        In the order in which they count: a pair of methods on a data set is compared in the first
        that has both.
    """
    facts: dict[tuple[int, str], Facts] = {}
    return [_judged(claim, results, facts) for claim in claims]


def _judged(
    claim: Claim, results: Sequence[Results], facts: dict[tuple[int, str], Facts]
) -> JudgedClaim:
    if claim.not_judged:
        return JudgedClaim(claim, ())
    found: dict[tuple[str, str, str], ClaimComparison] = {}
    rows = [row for folder in results for row in folder.rows.values() if row.is_ok]
    methods, datasets_run = {row.method for row in rows}, {row.dataset for row in rows}
    planned = {name for folder in results for name in folder.methods}
    missing = [
        f"data set {name}{did_you_mean(name, datasets_run - {*claim.datasets})}"
        for name in claim.datasets
        if not any(_like(each, [name]) for each in datasets_run)
    ]
    for method, patterns in claim.pairs():
        for name in (method, *patterns):
            if not any(_like(each, [name]) for each in methods):
                missing.append(name + _hint(name, methods, planned))
        for i, folder in enumerate(results):
            ours = [name for name in folder.methods if _like(name, [method])]
            rivals = [name for name in folder.methods if _like(name, patterns)]
            datasets = [name for name in folder.datasets if _like(name, claim.datasets)]
            if not (ours and rivals and datasets):
                continue
            if claim.metric not in {m for row in folder.rows.values() for m in row.metrics}:
                continue
            here = facts.setdefault((i, claim.metric), Facts.of_results(folder, [claim.metric]))
            for name in ours:
                against = [rival for rival in rivals if rival != name]
                for dataset in datasets:
                    for each in _comparisons(here, claim, name, against, dataset):
                        key = (dataset, name, each.finding.against)
                        found.setdefault(key, each)
    compared = _corrected(list(found.values()))
    return JudgedClaim(claim, tuple(compared), tuple(dict.fromkeys(missing)))


def _comparisons(
    facts: Facts, claim: Claim, method: str, rivals: Sequence[str], dataset: str
) -> Iterator[ClaimComparison]:
    if not rivals:
        return
    comparison = Comparison(
        method=method,
        against=list(rivals),
        test=["corrected_t", "wilcoxon"],
        correction="none",
        alpha=ALPHA if claim.equal_within is None else EQUIVALENCE_ALPHA,
    )
    metric = facts.metrics[claim.metric]
    checks = checks_named(CONTROLS)
    for finding in facts.compare(comparison, dataset, metric):
        pair = pair_of(facts, comparison, finding)
        if pair is None:
            continue
        objecting = [
            name
            for name, check in checks.items()
            if check.of_pair is not None
            and any(alarm.severity != "note" for alarm in check.of_pair(pair, facts))
        ]
        unjudged = [name for name, check in checks.items() if _lacks_number(check, pair)]
        yield ClaimComparison(
            finding, sources_of(facts)[dataset], tuple(objecting), tuple(unjudged)
        )


def _lacks_number(check: Check, pair: Pair) -> bool:
    """Tell whether a check needs a number that the rows of one of the methods do not have."""
    needed = check.reading(pair.metric.name) if check.reading is not None else ""
    return bool(needed) and any(math.isnan(each.mean(needed)) for each in (pair.ahead, pair.behind))


def _corrected(compared: Sequence[ClaimComparison]) -> list[ClaimComparison]:
    """Correct the p-values of the comparisons that count for their number."""
    counting = [each for each in compared if not each.uncontrolled]
    findings = iter(corrected([each.finding for each in counting]))
    return [
        each if each.uncontrolled else replace(each, finding=next(findings)) for each in compared
    ]


def _hint(name: str, run: Iterable[str], planned: Iterable[str]) -> str:
    """Say what a name may mean that no method has; nothing of one that has yet to run."""
    return "" if any(_like(each, [name]) for each in planned) else did_you_mean(name, run)


def _like(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name.casefold(), each.casefold()) for each in patterns)
