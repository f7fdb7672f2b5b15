"""What scores average over, and whether they tell methods apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mlbench.audit.facts import AREA, TIES, ComparedMethod, Facts
from mlbench.audit.handicaps import Handicap
from mlbench.audit.pairs import Pair
from mlbench.audit.threat import Alarm
from mlbench.metrics import get_metric
from mlbench.results.same_scores import have_same_scores
from mlbench.store import Summary

ZERO = "sklearn"
"""The convention under which 0/0 counts as 0, so that every label counts."""

SKIPPED = {
    "macro_f1": "labels_skipped_f1",
    "macro_jaccard": "labels_skipped_f1",
    "macro_precision": "labels_skipped_precision",
}
"""The macro averages whose labels depend on what is predicted, and the count of those left out.

Recall and the metrics of scores leave out labels without positives, the same ones of all methods.
"""

POINT = 0.01

MORE_TIED = 0.05
"""How many more pairs the method behind ties than the other."""


def labels_left_out(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find averages over different labels, since some of one method are 0/0."""
    name = pair.metric.name
    if not (reading := over_all_labels(name)) or not _averages_differ(pair, SKIPPED[name]):
        return
    all_labels = pair.reread(reading, pair.metric.greater_is_better)
    if all_labels is None:
        return
    change = abs(pair.lead - all_labels.lead)
    shown = pair.reread(name, pair.metric.greater_is_better)
    is_lost = shown is not None and shown.is_significant and not all_labels.is_significant
    flips = pair.is_decided and (all_labels.lead < 0 or is_lost)
    if not flips and (change < POINT or all_labels.lead > pair.lead):
        return
    shared = pair.ahead.rows.keys() & pair.behind.rows.keys()
    over = [
        _labels_averaged([each.rows[split] for split in shared], SKIPPED[name])
        for each in (pair.ahead, pair.behind)
    ]
    claim = "{ahead} and {behind} are averaged over different labels"
    if not any(map(math.isnan, over)):
        n = next(iter(pair.ahead.rows.values())).counts["labels"]
        claim = (
            f"averaged over {over[0]:.1f} of {n} labels for {{ahead}} and {over[1]:.1f} for "
            "{behind}"
        )
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "invalidates" if flips else "weakens",
        f"{claim}; with 0/0 = 0 the lead of {facts.amount(name, pair.lead)} is "
        f"{facts.score(name, all_labels.lead)}",
        f"Report {name}@{ZERO} beside it.",
        subject=(name, pair.ahead.name, pair.behind.name),
        metric=name,
        size=change,
        numbers={"lead": pair.lead, "lead_over_all_labels": all_labels.lead},
    )


def over_all_labels(metric: str) -> str:
    """Return a macro average with 0/0 = 0; empty if all methods have the same labels in it."""
    return f"{metric}@{ZERO}" if metric in SKIPPED else ""


def _averages_differ(pair: Pair, count: str) -> bool:
    """Return whether the two leave out different numbers of labels, or may do so."""
    counts = [
        [row.counts.get(count) for row in each.rows.values()] for each in (pair.ahead, pair.behind)
    ]
    return counts[0] != counts[1] or None in counts[0]


def _labels_averaged(rows: Sequence[Summary], count: str) -> float:
    found = [row.counts["labels"] - row.counts[count] for row in rows if count in row.counts]
    return sum(found) / len(found) if found else math.nan


def tied_scores(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find leads in macro AUC that ties may explain.

    Tied pairs are often harder than a method's other pairs, so what would be left of the lead if
    they were ordered as well is rather the least.
    """
    untied = pair.on_untied()
    if pair.metric.name != AREA or untied is None or pair.behind.is_floor:
        return
    other, tied = pair.means(TIES)
    if tied < other + MORE_TIED or untied.lead >= pair.lead / 2:
        return
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "weakens" if pair.is_claimed else "note",
        f"{tied:.0%} of the pairs of {{behind}} have equal scores (of {{ahead}} {other:.0%}), and "
        "each counts as half right; if tied pairs were ordered as well as the others, the lead of "
        f"{{ahead}}, {facts.amount(AREA, pair.lead)}, would be {facts.score(AREA, untied.lead)}",
        "See which labels have constant scores, as of a model without weights; elsewhere, give "
        "finer scores than votes: of kNN, by more neighbors or by weights of their distance.",
        subject=pair.behind.name,
        metric=AREA,
        size=pair.lead - untied.lead,
        numbers={
            "tied_behind": tied,
            "tied_ahead": other,
            "lead": pair.lead,
            "lead_untied": untied.lead,
        },
    )


def ties_of(metric: str) -> str:
    """Return the share of ties, which explains macro AUC; empty for other metrics."""
    return TIES if metric == AREA else ""


ROUNDED, MANY_ROUNDED = "labels_ranked_by_rounding", 0.1
"""The count of labels whose scores differ only by rounding, and the share that is many."""


def rounded_scores(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods that rank the rows of many labels by rounding."""
    name = pair.metric.name
    if name not in (AREA, "macro_average_precision"):
        return
    for method, other in ((pair.ahead, pair.behind), (pair.behind, pair.ahead)):
        if (share := _share_rounded(method)) >= MANY_ROUNDED:
            yield Handicap(pair, method, other).alarm(
                "weakens" if method is pair.ahead else "note",
                f"on {share:.0%} of the labels the scores of {{handicapped}} differ only by "
                "rounding, which decides the order of their rows",
                "Let the method give such a label one score; see whether a smaller penalty does "
                "better.",
                subject=(method.name, name),
                metric=name,
                size=share,
                numbers={"share": share},
            )


def _share_rounded(method: ComparedMethod) -> float:
    """Return the share of such labels among those with an AUC; 0 where rows do not count them."""
    counts = [row.counts for row in method.rows.values() if ROUNDED in row.counts]
    scored = sum(each["labels_scored_auc"] for each in counts)
    return sum(each[ROUNDED] for each in counts) / scored if scored else 0.0


CONSTANT = "constant"
"""The convention of metrics of a method that predicts every label for every sample."""


def below_constant(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find leads over methods that are worse than a constant prediction."""
    behind, ahead = (_below(each, pair, facts) for each in (pair.behind, pair.ahead))
    if behind is None or pair.behind.is_floor:
        return
    name = pair.metric.name
    score, constant = behind
    what = "every label for every sample" if constant != CHANCE else "scores at random"
    who = "{behind}" if ahead is None else "{both}"
    scores = facts.score(name, score) if ahead is None else ""
    is_or_are = "is" if ahead is None else "are"
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "weakens" if ahead is None else "note",
        f"{who} {f'({scores}) ' if scores else ''}{is_or_are} below {what} "
        f"({facts.score(name, constant)})",
        "The lead of {ahead} over it says little."
        if ahead is None
        else "A lead among them says little.",
        subject=(name, pair.dataset, pair.behind.name if ahead is None else "both"),
        metric=name,
        size=constant - score,
        numbers={"score": score, "constant": constant},
    )


CHANCE = 0.5
"""The area under the curve of scores at random."""


def _below(method: ComparedMethod, pair: Pair, facts: Facts) -> tuple[float, float] | None:
    """Return the mean score and that of a constant, if the constant is better by a point.

    Any area below that of chance is wrong. What a constant scores on a split is the same for all
    methods, so those whose rows have it tell it of the others.
    """
    name = pair.metric.name
    score = method.mean(name)
    if name in ("macro_auc", "micro_auc"):
        return (score, CHANCE) if score < CHANCE else None
    found = facts.values_of_any(method.dataset, constant_of(name))
    known = [value for split in method.rows if (value := found.get(split)) is not None]
    constant = math.fsum(known) / len(known) if known else math.nan
    return (score, constant) if constant - score >= POINT else None


def constant_of(metric: str) -> str:
    """Return the score of a method that predicts every label; empty if the metric has none."""
    base = get_metric(metric.partition("@")[0])
    return f"{base.name}@{CONSTANT}" if CONSTANT in base.conventions else ""


def same_model(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Note methods whose every score is equal on every split."""
    if are_same(pair):
        first, second = sorted((pair.ahead.name, pair.behind.name))
        claim = f"{first} and {second} are the same model on every split"
        advice = "Leave one of them out."
        if _differ_elsewhere(first, second, facts):
            claim += ", and differ on other data sets"
            advice = "Say so: there, one is compared with itself."
        elif _are_ranked(first, second, facts):
            claim += "; in mean ranks they count as two"
        yield Handicap(pair, pair.behind, pair.ahead).alarm(
            "note",
            claim,
            advice,
            subject=frozenset({pair.ahead.name, pair.behind.name}),
        )


def _differ_elsewhere(first: str, second: str, facts: Facts) -> bool:
    """Tell whether there is a data set on which both have results, and not the same."""
    both = [
        [facts.methods.get((each, name)) for name in (first, second)] for each in facts.datasets
    ]
    return any(a and b and a.rows and b.rows and not _are_same(a, b) for a, b in both)


def _are_ranked(first: str, second: str, facts: Facts) -> bool:
    """Tell whether mean ranks are of both: each has results wherever some method has."""
    ran = {place for place, method in facts.methods.items() if method.rows}
    kept = {dataset for dataset, _ in ran}
    return len(kept) > 1 and all((name, m) in ran for name in kept for m in (first, second))


def are_same(pair: Pair) -> bool:
    """Return whether two methods agree, but for rounding, in all metrics that both have."""
    return _are_same(pair.ahead, pair.behind)


def _are_same(a: ComparedMethod, b: ComparedMethod) -> bool:
    return bool(a.rows) and a.rows.keys() == b.rows.keys() and have_same_scores(a.rows, b.rows)
