"""The answer in a sentence: which method leads, by how much, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlbench.audit.threat import Place
from mlbench.comparisons.over_datasets import best_first
from mlbench.comparisons.pairwise_tests import Finding
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.number_text import ScoreFormat, listed, p_in_words
from mlbench.report.tables.effect_sizes import effect_heading
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.threats import (
    THREATENING,
    in_brackets,
    numbers_in_brackets,
    numbers_of,
    with_numbers,
)
from mlbench.statistics import ALPHA
from mlbench.statistics.pairs import differences

COULD_HAVE_SHOWN = "could have shown"
MAX_OPEN = 3
"""Methods not told apart from the leader, besides the first, that a verdict names."""
MAX_NEARER = 3
"""Methods that a sentence names as nearer to the leader than the one it was tested against."""


@dataclass(frozen=True)
class Verdict:
    """The best method on one data set in one metric, and the nearest it was tested against."""

    dataset: str
    metric: str
    leader: str
    """The method with the best mean over the splits that all methods share."""
    rival: str = ""
    """The best of the others that a test compares with the leader; empty if there is none."""
    difference: float = math.nan
    """Mean score of the leader minus that of the rival, over the splits that both have."""
    low: float = math.nan
    high: float = math.nan
    """The corrected interval of the difference; NaN where there is none."""
    p_adjusted: float = math.nan
    """Of the test, corrected as the experiment asks; NaN without a test."""
    test: str = ""
    is_decided: bool = False
    """Whether the test decides for the leader."""
    n_nearer: int = 0
    """How many methods are nearer to the leader than the rival, and not tested against it."""
    sentence: str = ""
    shared_splits: str = ""
    """``emotions: 7 of 10`` if fewer splits are shared than the experiment has."""
    tied: str = ""
    """``BR and LP``: other methods with the mean of the leader, but for rounding."""
    alpha: float = ALPHA
    """The level of the test."""
    decided_by: tuple[tuple[str, float], ...] = ()
    """The tests with all rivals, and their levels."""
    threats: tuple[int, ...] = ()
    """The numbers of the threats to the lead over the next, tested or not."""

    def record(self) -> dict[str, Any]:
        """Return what is told of the leader and the rival."""
        left_out = ("decided_by", "threats")
        return {name: value for name, value in vars(self).items() if name not in left_out}


def verdicts(data: ReportData) -> list[Verdict]:
    """Return the verdict in each metric on each data set where two methods or more have scores."""
    found = []
    for metric in data.settings.judged_metrics:
        for dataset in data.datasets:
            means, fewer = best_first(data.results, data.methods, dataset, metric)
            if len(means) > 1:
                judged = _verdict(data, dataset, metric, means)
                found.append(replace(judged, shared_splits="; ".join(fewer)))
    return found


def _verdict(
    data: ReportData, dataset: str, metric: MetricColumn, means: dict[str, float]
) -> Verdict:
    best = sorted(_tied_for_best(means), key=data.methods.index)
    tests_of = {name: _tests_of(name, data, dataset, metric) for name in best}
    leader = next((name for name in best if tests_of[name]), best[0])
    tied = [name for name in best if name != leader]
    others = [name for name in means if name != leader]
    tested = tests_of[leader]
    rivals = [name for name in others if name in tested and name not in tied]
    rivals = rivals or [name for name in tied if name in tested]
    where = f"{dataset}, {metric.title}"

    def place_of(name: str) -> Place:
        return (dataset, metric.name, frozenset((leader, name)))

    behind = next((name for name in others if name not in tied), "")
    threats = tuple(
        number
        for severity in THREATENING
        for number in numbers_of(data.threats, place_of(behind), severity)
    )
    if not rivals:
        doubt = in_brackets(threats)
        words = f"{where}: {untested(leader, listed(tied), data.hides_methods)}{doubt}."
        return Verdict(
            dataset, metric.name, leader, sentence=words, tied=listed(tied), threats=threats
        )
    beaten = [name for name in rivals if _decides_for(leader, tested[name][1])]
    ahead = [name for name in rivals if _decides_for(name, tested[name][1])]
    rival = next((name for name in rivals if name not in beaten), rivals[0])
    rival = ahead[0] if ahead else rival
    comparison, finding = tested[rival]
    difference, low, high = _lead(finding, leader)
    p = finding.adjusted[finding.headline]
    after = " after Holm" if comparison.is_corrected else ""
    interval = (difference, low, high)
    style = data.formats[metric.name]

    place = place_of(rival)
    weak = numbers_in_brackets(data.threats, place, "weakens")
    gap, evidence = _facts(style, metric, interval, p, after, finding)
    nearer = [
        name
        for name in others[: others.index(rival)]
        if name not in tested and name not in tied and means[name] != means[rival]
    ]
    rules = {name: _rule(*tested[name]) for name in rivals}
    said = {
        name: (name if rule == rules[rival] else f"{name} ({rule})")
        + ("" if name in beaten else with_numbers("", data.threats, place_of(name)))
        for name, rule in rules.items()
    }
    facts = (gap, f"{evidence}{weak}")
    unfair = {
        name: invalid
        for name in beaten
        if name != rival
        if (invalid := numbers_in_brackets(data.threats, place_of(name), "invalidates"))
    }
    fair = [name for name in beaten if name not in unfair]
    left = [name for name in rivals if name not in unfair]
    hides = data.hides_methods
    doubted = [with_numbers(name, data.threats, place_of(name)) for name in nearer]
    words = _judgment(
        leader, tied, rival, left, len(rivals), fair, ahead, doubted, facts, said, hides
    )
    words += "" if evidence in words else weak
    is_decided = rival in beaten
    if not is_decided and not ahead:
        words = _with_resolution(words, finding, comparison.rope, style)
    concludes = is_decided or rival in ahead
    invalid = numbers_in_brackets(data.threats, place, "invalidates") if concludes else ""
    first = f"Not a controlled comparison{invalid}: " if invalid else ""
    if unfair:
        names = listed([name + invalid for name, invalid in unfair.items()])
        words += f"; {leader} is not comparable with {names}"
    sentence = f"{first}{where}: {words}."
    named = {
        name: with_numbers(name, data.threats, place_of(name)) for name in fair if name != rival
    }
    doubtful = [words for name, words in named.items() if words != name]
    return Verdict(
        dataset=dataset,
        metric=metric.name,
        leader=leader,
        rival=rival,
        difference=difference,
        low=low,
        high=high,
        p_adjusted=p,
        test=finding.headline,
        is_decided=is_decided and not tied,
        n_nearer=len(nearer),
        sentence=sentence + (f" In doubt: the lead over {listed(doubtful)}." if doubtful else ""),
        tied=listed(tied),
        alpha=finding.alpha,
        threats=threats,
        decided_by=tuple((tested[name][1].headline, tested[name][1].alpha) for name in rivals),
    )


def _tied_for_best(means: dict[str, float]) -> list[str]:
    """Return the methods whose mean is the first one, but for rounding."""
    values = list(means.values())
    gaps = differences(values, values[:1] * len(values)).values
    return [name for name, gap in zip(means, gaps, strict=True) if gap == 0]


def _tests_of(
    leader: str, data: ReportData, dataset: str, metric: MetricColumn
) -> dict[str, tuple[Comparison, Finding]]:
    """Return the findings that compare a method with others, by the name of the other.

    Where several entries of the experiment compare the same two, the more trustworthy test counts,
    of equal tests the one that is corrected for more comparisons, and then the lowest level.
    """
    found: dict[str, tuple[Comparison, Finding]] = {}
    for comparison, findings in data.findings:
        for finding in findings:
            if (
                (finding.dataset, finding.metric) == (dataset, metric.name)
                and leader in (finding.method, finding.against)
                and finding.is_tested
            ):
                other = finding.against if finding.method == leader else finding.method
                if other not in found or _trust(finding) > _trust(found[other][1]):
                    found[other] = (comparison, finding)
    return found


def _trust(finding: Finding) -> tuple[bool, bool, int, float]:
    test, number = finding.headline, finding.n_corrected.get(finding.headline, 1)
    return test == "jackknife_t", test == "corrected_t", number, -finding.alpha


def _rule(comparison: Comparison, finding: Finding) -> str:
    """Return the level of a test, and whether it is corrected for several methods."""
    return f"at {finding.alpha:g}" + ("" if comparison.is_corrected else ", not corrected")


def untested(leader: str, tied: str, hides_methods: bool) -> str:
    """Return who has the best mean, where no test compares it; `tied` may be empty."""
    of_all = "of the methods shown, " if hides_methods else ""
    another = "another of them" if hides_methods else "another method"
    if tied:
        return f"{of_all}{share_the_best(leader, tied)}; no test compares them with {another}"
    return f"{of_all}{leader} has the best mean; no test compares it with {another}"


def share_the_best(leader: str, tied: str) -> str:
    """Return which methods have the best mean, where several have it."""
    first = f"{leader}, " if " and " in tied else f"{leader} and "
    return f"{first}{tied} tie for the best mean"


def _judgment(
    leader: str,
    tied: Sequence[str],
    rival: str,
    rivals: Sequence[str],
    n_tested: int,
    beaten: Sequence[str],
    ahead: Sequence[str],
    nearer: Sequence[str],
    facts: tuple[str, str],
    said: Mapping[str, str],
    hides_methods: bool,
) -> str:
    gap, evidence = facts
    open_words = f"{leader} and {rival} cannot be told apart: {rival} is {gap} {evidence}"
    if ahead:  # on more splits than all share, over which the means are
        open_words = f"{leader} has the best mean, but {rival} is {gap} {evidence}"
    if more := [said[name] for name in ahead if name != rival]:
        are = "is" if len(more) == 1 else "are"
        open_words += f"; {listed(more)} {are} better than {leader}, too"
    if others := [said[name] for name in rivals if name not in (*beaten, *ahead, rival)]:
        are = "is" if len(others) == 1 else "are"
        open_words += f"; {listed(others, MAX_OPEN)} {are} not told apart from {leader}"
    if tied:
        words = share_the_best(leader, listed(tied))
        if rival in beaten:
            words += f"; {rival} is {gap} {leader} {evidence}"
        elif rival not in tied:
            words += f"; {open_words}"
    elif rival not in beaten:
        words = open_words
        words += (
            f"; {leader} is better than {listed([said[name] for name in beaten])}" if beaten else ""
        )
    elif len(beaten) == 1:
        leads = "has the best mean" if nearer else "leads"
        words = f"{leader} {leads}; {rival} is {gap} {evidence}"
    else:
        which = "are shown" if hides_methods else "it was tested against"
        of_all = "the" if len(rivals) == n_tested else f"{len(rivals)} of the"
        words = (
            f"{leader} leads {of_all} {n_tested} others that {which}; the next, {rival}, is {gap} "
            f"{evidence}"
        )
    if not nearer:
        return words
    are, were = ("is", "was") if len(nearer) == 1 else ("are", "were")
    names = listed(nearer, MAX_NEARER)
    return f"{words}; {names} {are} closer, but {were} not tested against the leader"


def _with_resolution(words: str, finding: Finding, rope: float, style: ScoreFormat) -> str:
    """Say of an open comparison what its splits could have shown, or that both are equal."""
    unit = " points" if style.factor != 1 else ""
    if finding.is_within(rope):
        margin = f"{rope * style.factor:g} point{'s' if rope * style.factor != 1 else ''}"
        equal = margin if unit else f"{rope:g}"
        return words.replace("cannot be told apart", f"are equal within {equal}", 1)
    if finding.headline != "corrected_t":  # it is what that test could have shown
        return words
    found = finding.resolution()
    if math.isnan(found.detectable) or abs(finding.difference.value) >= found.detectable:
        return words  # what one comparison could have shown, the correction for several took away
    return (
        f"{words}; {finding.scores.n} splits {COULD_HAVE_SHOWN} a difference of "
        f"{style.number(found.detectable)}{unit}, no number of such splits one below "
        f"{style.number(found.floor)}"
    )


def _decides_for(leader: str, finding: Finding) -> bool:
    return finding.decision() == (1 if finding.method == leader else -1)


def _lead(finding: Finding, leader: str) -> tuple[float, float, float]:
    """Return the leader's mean minus its rival's, and the ends of the interval of this difference.

    The interval of a difference the other way round has its ends exchanged and negated.
    """
    found = finding.difference
    if finding.method == leader:
        return found.value, found.low, found.high
    return -found.value, -found.high, -found.low


def _facts(
    style: ScoreFormat,
    metric: MetricColumn,
    interval: tuple[float, float, float],
    p: float,
    after: str,
    finding: Finding,
) -> tuple[str, str]:
    """Return how far the rival is behind, or ahead where both have more splits, and the evidence.

    The interval is of this distance.
    """
    sign = 1 if metric.greater_is_better else -1
    is_ahead = round(sign * interval[0], 12) < 0
    gap, *ends = ((-sign if is_ahead else sign) * value for value in interval)
    low, high = sorted(ends)
    where = f"ahead over the {finding.scores.n} splits that both have" if is_ahead else "behind"
    ends_in_words = f"{style.number(low)} to {style.number(high)}"
    evidence = (
        []
        if math.isnan(low)
        else [f"{effect_heading('difference', finding.alpha)} {ends_in_words}"]
    )
    evidence.append(f"p = {p_in_words(p)}{after}")
    points = " points" if style.factor != 1 else ""
    return f"{style.number(gap)}{points} {where}", f"({', '.join(evidence)})"
