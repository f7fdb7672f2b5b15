"""How parameters were chosen: by which metric, by how many scores, and on which rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from mlbench.audit.distances import (
    distance,
    family,
    is_cut_otherwise,
    title_of,
    with_which_threshold,
)
from mlbench.audit.facts import ComparedMethod, Facts
from mlbench.audit.handicaps import Handicap, departs, handicaps
from mlbench.audit.pairs import Pair
from mlbench.audit.threat import Alarm, Severity
from mlbench.metrics import get_metric

LEAST_SEARCHES = 2
"""Of fewer, a search with little to choose by may be chance."""

ROUNDING = 1e-9
"""A cost of no more is none."""

MANY_TIMES = 10
"""Candidates of one method over those of another that are worth a note."""


def tuning_metric(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods that were tuned by a metric further from the one that is compared.

    Beside a rival whose parameters nothing chose, only where a test decides and the folds say that
    this cost half of the lead or more.
    """
    for case in handicaps(pair):
        behind, other = (_chosen_by(each, pair) for each in (case.handicapped, case.other))
        if behind is None or case.other.is_floor:
            continue
        of_other = distance(other, pair.metric.name) if other else 0
        distances = (distance(behind, pair.metric.name), of_other)
        if distances[0] <= distances[1]:
            continue
        if case.handicapped.equals_but_for(case.other, "scoring"):
            continue
        lost = _given_away(case.handicapped, pair.metric.name, facts)
        if other is None and not (
            pair.is_decided and lost is not None and lost >= pair.lead_to_explain / 2
        ):
            continue
        if lost is not None and lost < max(pair.lead_to_explain / 10, ROUNDING):
            continue
        is_across = distances[0] - distances[1] == 3 and (lost is None or lost >= pair.lead / 2)
        is_across &= lost is None or not is_cut_otherwise(case.handicapped, pair.metric.name)
        departing = departs(case, "scoring", facts)
        advice = (
            f"Remove `scoring:` of {departing}, so that the metric of the protocol chooses."
            if departing
            else f"Tune {{handicapped}} by {pair.metric.name}{' as well' if other else ''}; "
            "`scoring: each` shows for each metric the model tuned by it."
        )
        claim = (
            f"{title_of(other)} chose the parameters of {{other}}, {title_of(behind)} those of "
            "{handicapped}"
            if other
            else f"{title_of(behind)} chose the parameters of {{handicapped}}"
        )
        if lost is not None:
            claim += (
                f", which costs it {facts.amount(pair.metric.name, lost)} in its own tuning folds"
                f"{with_which_threshold(case.handicapped, pair.metric.name)}"
            )
        is_note = (
            pair.is_tiny
            or (pair.is_large and (lost or 0.0) < pair.lead_to_explain / 2)
            or case.handicapped.loss == family(behind)
            or (lost is None and _judges_labels_by_scores(pair, behind))
        )
        yield case.alarm(
            "note" if is_note else "invalidates" if is_across else "weakens",
            claim,
            advice,
            subject=(pair.metric.name, case.other.name)
            if departing == "{other}"  # one cause and one remedy, whoever the rival
            else (pair.metric.name, behind, other, lost is not None and case.handicapped.name),
            metric=pair.metric.name,
            size=lost or 0.0,
            numbers={} if lost is None else {"given_away": lost},
        )


def _chosen_by(method: ComparedMethod, pair: Pair) -> str | None:
    """Return the metric that chose a method's parameters for the one compared; None if none did."""
    return method.scoring(pair.metric.name) if method.is_tuned else None


def _judges_labels_by_scores(pair: Pair, scoring: str) -> bool:
    """Return whether a metric of labels is compared, and one of scores chose the parameters.

    What that costs is mostly in where scores are cut, which other checks judge.
    """
    of_labels = get_metric(pair.metric.name).needs == "labels"
    return of_labels and distance(scoring, pair.metric.name) == 3


def _given_away(method: ComparedMethod, metric: str, facts: Facts) -> float | None:
    """Return what the choice by another metric costs in the folds; None if it is not known."""
    found = [outcome.given_away.get(metric) for outcome in facts.outcomes(method)]
    known = [gain.mean for gain in found if gain is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(found) else None


def untuned_rival(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods at fixed settings beside tuned ones."""
    for case in handicaps(pair):
        at_fixed, tuned = case.handicapped, case.other
        if _chooses(at_fixed) or at_fixed.is_floor:
            continue
        if len(tuned.grid) < 2 and not tuned.own_search:
            continue
        if at_fixed.is_variant_of(tuned):
            continue
        if at_fixed.base is not None and at_fixed.base == tuned.base and not tuned.tunes_learner:
            continue
        is_alone = _is_alone(at_fixed, tuned, facts)
        n = len(tuned.grid)
        number = f"{n} " if n > 1 and not is_alone else ""
        has_one = len(at_fixed.grid) == 1
        how = "had a single candidate" if has_one else "ran at fixed settings"
        what = "more candidates" if has_one else "`tune:`"
        yield case.alarm(
            "note" if pair.is_large or pair.is_tiny else "weakens",
            f"{{handicapped}} {how}, while {{other}} chose among {number}candidates",
            f"Give {{handicapped}} {what}, or write that these are fixed settings.",
            subject=at_fixed.name  # one cause and one remedy, whoever the rival
            if is_alone
            else (tuned.name, n),
            size=n,
            numbers={"candidates": n} if n > 1 else {},
        )


def _is_alone(at_fixed: ComparedMethod, tuned: ComparedMethod, facts: Facts) -> bool:
    """Tell whether it is the only method at fixed settings, or one's own beside those of a base."""
    origins = facts.results.origins
    if origins.get(at_fixed.name) is None and origins.get(tuned.name) is not None:
        return True
    others = [each for each in facts.methods.values() if each.rows and not each.is_floor]
    fixed = {each.name for each in others if not _chooses(each)}
    return fixed == {at_fixed.name} and len({each.name for each in others} - fixed) > 1


def _chooses(method: ComparedMethod) -> bool:
    """Tell whether a method's parameters are chosen by data, be it by the method itself."""
    return method.is_tuned or bool(method.own_search)


def search_budget(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Note methods that were tuned over many times the candidates of a rival."""
    ahead, behind = len(pair.ahead.grid), len(pair.behind.grid)
    if behind < 2 or ahead < MANY_TIMES * behind or pair.ahead.use == pair.behind.use:
        return
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "note",
        f"{{ahead}} chose among {ahead} candidates, {{behind}} among {behind}",
        "Give both a similar budget, or state the budgets.",
        numbers={"candidates_ahead": ahead, "candidates_behind": behind},
    )


def undefined_tuning(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find searches that had no score to choose by, or too few."""
    for case in handicaps(pair):
        method = case.handicapped
        ends = [row for row in method.searches if row.tuning is not None]
        scoring = method.scoring(pair.metric.name)
        blind = sum(scoring in row.untuned_by for row in ends)
        is_first = bool(ends) and scoring in ends[0].tuned_by[:1]
        outcomes = facts.outcomes(method) if is_first else []  # they are of the first metric
        severity: Severity = "weakens" if len(ends) >= LEAST_SEARCHES else "note"
        few = sum(outcome.few_folds for outcome in outcomes)
        equal = sum(outcome.equal_means for outcome in outcomes)
        title = title_of(scoring or "")
        if blind:
            yield case.alarm(
                "invalidates",
                f"{blind} of {len(ends)} searches of {{handicapped}} had no defined {title} and "
                "took the first candidate",
                "Tune by a metric that is defined in every fold, such as Micro F1, or use fewer "
                "folds.",
                subject=(method.name, "blind"),
                numbers={"blind_searches": blind, "searches": len(ends)},
            )
        elif few:
            yield case.alarm(
                severity,
                f"{few} of {len(ends)} searches of {{handicapped}} chose by a mean over fewer than "
                "half of the folds, or over fewer folds than another candidate has",
                "Tune by a metric that is defined in every fold, or use fewer folds.",
                subject=(method.name, "few"),
                numbers={"poor_searches": few, "searches": len(ends)},
            )
        elif outcomes and equal >= len(ends) / 3:
            yield case.alarm(
                severity,
                f"in {equal} of {len(ends)} searches of {{handicapped}} all candidates had the "
                f"same {title}: the search could not choose",
                "Widen the grid, tune by a metric that tells the candidates apart, or leave a "
                "parameter out that has no effect.",
                subject=(method.name, "equal"),
                numbers={"equal_searches": equal, "searches": len(ends)},
            )


def shared_search(pair: Pair, facts: Facts) -> Iterable[Alarm]:
    """Find parameters that were chosen on rows which other splits test on."""
    if facts.splits(pair.dataset) < 2:
        return
    claim = (
        "parameters were chosen on the training part of one split, whose rows are in the test "
        "parts of others"
    )
    advice = "`scope: every-split` under `tuning:` avoids it."
    if pair.ahead.has_shared_search and pair.behind.has_shared_search:
        yield Handicap(pair, pair.behind, pair.ahead).alarm("note", claim, advice, subject="both")
    elif pair.ahead.has_shared_search:
        yield Handicap(pair, pair.behind, pair.ahead).alarm(
            "weakens", f"{claim}, for {{ahead}} but not for {{behind}}", advice, subject="one"
        )
