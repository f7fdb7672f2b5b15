"""The answer in a sentence: which method leads, by how much, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlbench.report.numbers import ScoreFormat, listed, p_in_words
from mlbench.report.settings import MetricColumn
from mlbench.report.tables.over_datasets import common_means
from mlbench.report.tables.pairwise_tests import Finding
from mlbench.report.tables.report_data import ReportData

MAX_NEARER = 3
"""Methods that a sentence names as nearer to the leader than the one it was tested against."""


@dataclass(frozen=True)
class Verdict:
    """The best method on one data set in one metric, and the nearest it was tested against."""

    dataset: str
    metric: str
    leader: str
    """The method with the best mean over the splits that all methods share."""
    rival: str
    """The best of the others that a test compares with the leader; empty if there is none."""
    difference: float
    """Mean score of the leader minus that of the rival, over the splits that both have."""
    low: float
    high: float
    """The corrected 95 % interval of the difference; NaN where there is none."""
    p_value: float
    """Of the test, corrected as the experiment asks; NaN without a test."""
    test: str
    is_decided: bool
    """Whether the test decides for the leader."""
    n_nearer: int
    """How many methods are nearer to the leader than the rival, and not tested against it."""
    sentence: str
    shared_splits: str = ""
    """``emotions: 7 of 10`` if fewer splits are shared than the experiment has."""


def verdicts(data: ReportData) -> list[Verdict]:
    """Return the verdict in each metric on each data set where two methods or more have scores."""
    found = []
    for metric in data.settings.judged_metrics:
        for dataset in data.datasets:
            means, fewer = _best_first(data, dataset, metric)
            if len(means) > 1:
                judged = _verdict(data, dataset, metric, means)
                found.append(replace(judged, shared_splits="; ".join(fewer)))
    return found


def _best_first(
    data: ReportData, dataset: str, metric: MetricColumn
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the means of the methods that have scores, over the splits that all of them share.

    And how many these are, if they are fewer than the experiment has.
    """
    scored = [name for name in data.methods if data.results.scores(dataset, name, metric.name)]
    if not scored:
        return {}, ()
    means = common_means(data.results, scored, [dataset], metric.name)
    if not means.rows:
        return {}, ()
    sign = -1 if metric.greater_is_better else 1
    by_mean = dict(zip(scored, means.rows[0], strict=True))
    ranked = sorted(scored, key=lambda name: sign * by_mean[name])
    return {name: by_mean[name] for name in ranked}, means.fewer


def _verdict(
    data: ReportData, dataset: str, metric: MetricColumn, means: dict[str, float]
) -> Verdict:
    leader, *others = means
    tested = {
        finding.against if finding.method == leader else finding.method: (comparison, finding)
        for comparison, findings in data.findings
        for finding in findings
        if (finding.dataset, finding.metric) == (dataset, metric.name)
        and leader in (finding.method, finding.against)
        and finding.is_tested
    }
    rivals = [name for name in others if name in tested]
    where = f"{dataset}, {metric.title}"
    if not rivals:
        nan = math.nan
        words = f"{where}: {leader} has the best mean; no test compares it with another method."
        return Verdict(dataset, metric.name, leader, "", nan, nan, nan, nan, "", False, 0, words)
    beaten = [name for name in rivals if _decides_for(leader, tested[name][1])]
    rival = next((name for name in rivals if name not in beaten), rivals[0])
    comparison, finding = tested[rival]
    difference, low, high = _lead(finding, leader)
    p = finding.adjusted[finding.headline]
    after = " after Holm" if comparison.is_corrected else ""
    facts = _facts(data.formats[metric.name], metric, (difference, low, high), p, after)
    nearer = [
        name
        for name in others[: others.index(rival)]
        if name not in tested and means[name] != means[rival]
    ]
    words = _judgment(leader, rival, rivals, beaten, nearer, facts)
    return Verdict(
        dataset=dataset,
        metric=metric.name,
        leader=leader,
        rival=rival,
        difference=difference,
        low=low,
        high=high,
        p_value=p,
        test=finding.headline,
        is_decided=rival in beaten,
        n_nearer=len(nearer),
        sentence=f"{where}: {words}.",
    )


def _judgment(
    leader: str,
    rival: str,
    rivals: Sequence[str],
    beaten: Sequence[str],
    nearer: Sequence[str],
    facts: tuple[str, str],
) -> str:
    gap, evidence = facts
    if rival not in beaten:
        words = f"cannot tell {leader} from {rival}, {gap} behind {evidence}"
        words += f"; {leader} is better than {listed([*beaten])}" if beaten else ""
    elif len(beaten) == 1:
        leads = "has the best mean" if nearer else "leads"
        words = f"{leader} {leads}; {rival} is {gap} behind {evidence}"
    else:
        words = (
            f"{leader} leads the {len(rivals)} others that it was tested against; the next, "
            f"{rival}, is {gap} behind {evidence}"
        )
    return (
        f"{words}; nearer, but not tested against it: {listed(nearer, MAX_NEARER)}"
        if nearer
        else words
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
) -> tuple[str, str]:
    """Return how far the rival is behind, and the evidence in brackets."""
    sign = 1 if metric.greater_is_better else -1
    gap, *ends = (sign * value for value in interval)
    low, high = sorted(ends)
    evidence = (
        [] if math.isnan(low) else [f"95 % interval {style.number(low)} to {style.number(high)}"]
    )
    evidence.append(f"p = {p_in_words(p)}{after}")
    points = " points" if style.factor != 1 else ""
    return f"{style.number(gap)}{points}", f"({', '.join(evidence)})"
