"""Whether the test suits the splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mlbench.audit.facts import Facts
from mlbench.audit.handicaps import Handicap
from mlbench.audit.pairs import Pair
from mlbench.audit.threat import Alarm
from mlbench.comparisons.pairwise_tests import UNKNOWN_SIZES, Finding
from mlbench.number_text import counted, p_in_words
from mlbench.statistics import paired_t
from mlbench.statistics.compare import compare, corrected

LARGE_RATIO = 2.0
"""From this size of test parts over training parts on, the corrected t-test is too careful."""

VERY_SMALL = 0.001
MANY_RIVALS = 3

FEW_SPLITS = 3
"""Up to so many, other seeds often decide otherwise."""


def few_splits(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find decisions over very few splits."""
    if not pair.is_decided or pair.splits > FEW_SPLITS:
        return
    if pair.comparison not in facts.settings.comparisons:
        return
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "weakens",
        f"the test of {{ahead}} against {{behind}} is over {counted(pair.splits, 'split')}, and "
        "other seeds may decide otherwise",
        "Run the experiment to its end."
        if facts.splits(pair.dataset) > FEW_SPLITS
        else "Run five splits or more.",
        subject=("few-splits", pair.splits),
        numbers={"splits": pair.splits},
    )


def over_corrected(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find comparisons left open by a test that is too careful for the sizes of the splits."""
    if pair.is_decided or pair.ratio is None or pair.ratio <= LARGE_RATIO:
        return
    if pair.comparison not in facts.settings.comparisons:
        return
    scores = pair.finding.scores
    if scores.n < 2 or not pair.finding.is_tested:
        return
    differences = np.array(scores.a) - np.array(scores.b)
    if np.ptp(differences) == 0 or paired_t(scores.a, scores.b).p_value >= VERY_SMALL:
        return
    better = sum(differences > 0) if np.mean(differences) > 0 else sum(differences < 0)
    name = pair.metric.name
    unit = facts.amount(name, pair.lead).removeprefix(facts.score(name, pair.lead))
    p = pair.finding.adjusted[pair.finding.headline]
    after = " after Holm" if pair.comparison.is_corrected else ""
    spread = facts.score(name, float(differences.std(ddof=1)))
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "weakens",
        f"{{ahead}} is ahead of {{behind}} on {better} of {scores.n} splits, by "
        f"{facts.score(name, pair.lead)} ± {spread}{unit}, yet they cannot be told apart (p = "
        f"{p_in_words(p)}{after}): the test part "
        f"is {pair.ratio:.1f} times the training part, for which the corrected t-test is too "
        "careful",
        "Set `test:` under `splits:` to the size of the training part, or "
        + (
            "decide by the jackknife t-test, which `mlbench rescore` makes from kept predictions."
            if "jackknife_t" in pair.comparison.test
            else "keep predictions and use `test: jackknife_t`."
        ),
        subject="over-corrected",
        size=pair.lead,
        numbers={"ratio": pair.ratio, "lead": pair.lead},
    )


def optimistic_test(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find decisions by tests that ignore that splits overlap, or that others were made."""
    finding = pair.finding
    if not pair.is_decided or finding.scores.n < 2:
        return
    case = Handicap(pair, pair.behind, pair.ahead)
    headline = finding.headline
    if headline not in ("corrected_t", "jackknife_t"):
        p = None if pair.ratio is None else _corrected_p(pair, facts)
        is_undone = p is not None and not p < pair.finding.alpha
        known = (
            f"; {finding.uncorrected}"
            if p is None
            else f"; the corrected t-test has p = {p_in_words(p)}"
            + (" after Holm" if pair.comparison.is_corrected else "")
        )
        yield case.alarm(
            "invalidates" if is_undone else "weakens",
            f"{{ahead}} leads {{behind}} by a test that takes overlapping splits as independent"
            f"{known}",
            "Add corrected_t to `test:`."
            if finding.uncorrected == UNKNOWN_SIZES
            else "Take it as a description, or compare over data sets.",
            subject=(pair.metric.name, headline, is_undone),
            metric=pair.metric.name,
            numbers={} if p is None else {"p_corrected": p},
        )
    else:
        common, family = _family(pair, facts)
        own = finding.n_corrected.get(headline, 1)
        if len(family) < max(MANY_RIVALS, own + 1):
            return
        p = corrected(family)[family.index(finding)].adjusted[headline]
        if p >= finding.alpha:
            has_one_entry = len(family) == len(_alike(pair, facts))
            yield case.alarm(
                "weakens",
                f"{{ahead}} leads {{behind}} with a correction for {own} of {len(family)} "
                f"comparisons with {common}; Holm's p for all of them is {p_in_words(p)}"
                if own > 1
                else f"{{ahead}} leads {{behind}} without a correction for {len(family)} "
                f"comparisons; Holm's p = {p_in_words(p)}",
                "Write `correction: holm`."
                if has_one_entry
                else f"Write them as one entry of `tests:`, with `method: {common}`.",
                subject=(pair.metric.name, "holm"),
                metric=pair.metric.name,
                size=p,
                numbers={"p_holm": p},
            )


def _corrected_p(pair: Pair, facts: Facts) -> float:
    """Return the p-value of the corrected t-test, corrected as those of its comparison are."""
    alike = _alike(pair, facts) or [pair.finding]
    made = [compare(each.scores, ["corrected_t"], pair.ratio) for each in alike]
    retested = [
        replace(each, tests=anew.tests, adjusted=anew.adjusted)
        for each, anew in zip(alike, made, strict=True)
    ]
    found = corrected(retested, pair.comparison.correction)[alike.index(pair.finding)]
    return found.adjusted["corrected_t"]


def _alike(pair: Pair, facts: Facts) -> list[Finding]:
    """Return what the comparison of a pair finds of all its rivals on the same data and metric."""
    return [
        each
        for comparison, findings in facts.findings
        if comparison is pair.comparison
        for each in findings
        if (each.dataset, each.metric) == (pair.dataset, pair.metric.name)
    ]


def _with_test(finding: Finding, test: str, ratio: float | None) -> Finding:
    """Return what another test finds; the one that decided stands for it where it is unknown."""
    if test in finding.tests:
        return finding
    made = compare(finding.scores, [test], ratio).tests
    stands = made.get(test, finding.tests[finding.headline])
    return replace(finding, tests={**finding.tests, test: stands})


def _family(pair: Pair, facts: Facts) -> tuple[str, list[Finding]]:
    """Return one of the two methods, and all that the experiment tests it against as the other.

    On the same data and metric, over all entries, the larger of the two families, in which a
    comparison that several entries make counts once, with the test that decides for the pair. It
    is empty if no entry compares the pair, as where a verdict alone does.
    """
    own, test = _alike(pair, facts), pair.finding.headline
    families = []
    for common in (pair.ahead.name, pair.behind.name):
        family: dict[frozenset[str], Finding] = {}
        for each in [*own, *(each for _, findings in facts.findings if own for each in findings)]:
            names = frozenset({each.method, each.against})
            is_alike = (each.dataset, each.metric) == (pair.dataset, pair.metric.name)
            if is_alike and common in names and each.is_tested:
                family.setdefault(names, _with_test(each, test, pair.ratio))
        families.append((common, [*family.values()]))
    return max(families, key=lambda family: len(family[1]))
