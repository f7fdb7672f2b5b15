"""How parameters were chosen: by what, among which candidates, and on which rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mlbench.audit.domains import SIZES, WITHOUT_PARAMETERS, is_end_of_domain
from mlbench.audit.facts import Facts, MethodFacts
from mlbench.audit.handicaps import Handicap, handicaps
from mlbench.audit.pairs import Pair
from mlbench.audit.threat import Alarm
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric

LARGE_LEAD = 0.1
"""A lead that a grid or fixed settings hardly explain, in metrics between 0 and 1."""

FEW_VALUES, SHARE_OF_MANY, SHARE_OF_TWO = 3, 2 / 3, 9 / 10
"""A search ends at its edge in so many of the searches, by the number of values."""

MANY_TIMES = 10
"""Candidates of one method over those of another that are worth a note."""


def tuning_metric(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods that were tuned by a metric further from the one that is compared."""
    for case in handicaps(pair):
        behind, other = case.handicapped.scoring, case.other.scoring
        if behind is None or other is None:
            continue
        distances = (_distance(behind, pair.metric.name), _distance(other, pair.metric.name))
        if distances[0] <= distances[1]:
            continue
        if case.handicapped.equals_but_for(case.other, "scoring", "threshold"):
            continue
        lost = _given_away(case.handicapped, pair)
        if lost is not None and lost < pair.lead / 10:
            continue
        is_across = distances[0] == 3 and (lost is None or lost >= pair.lead / 2)
        advice = f"Add `scoring: {pair.metric.name}` to {{behind}} for this column."
        claim = f"{{ahead}} was tuned by {_title(other)}, {{behind}} by {_title(behind)}"
        if lost is not None:
            claim += (
                f", which costs it {facts.amount(pair.metric.name, lost)} in its own tuning folds"
            )
        yield case.alarm(
            "invalidates" if is_across else "weakens",
            claim,
            advice,
            subject=(pair.metric.name, behind, other, lost is not None and case.handicapped.name),
            metric=pair.metric.name,
            size=lost or 0.0,
            numbers={} if lost is None else {"given_away": lost},
        )


def _title(metric: str) -> str:
    try:
        return get_metric(metric).title
    except MlbenchError:
        return metric


@lru_cache
def _distance(scoring: str, metric: str) -> int:
    """Return 0 for one metric, 1 for one family, 2 for one kind of input, else 3."""
    if scoring.partition("@")[0] == metric.partition("@")[0]:
        return 0
    try:
        a, b = get_metric(scoring), get_metric(metric)
    except MlbenchError:
        return 2
    if _family(a.name) == _family(b.name):
        return 1
    return 2 if (a.needs == "labels") == (b.needs == "labels") else 3


def _family(metric: str) -> str:
    return metric.partition("@")[0].removeprefix("macro_").removeprefix("micro_").removeprefix(
        "example_"
    )


def _given_away(method: MethodFacts, pair: Pair) -> float | None:
    """Return what the choice by another metric costs in the folds; None if it is not known."""
    return None


@dataclass(frozen=True)
class Edge:
    """The end of a grid at which searches ended."""

    parameter: str
    value: float
    n_values: int
    is_largest: bool
    n_there: int
    n_searches: int


def grid_edge(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods whose search ended at the boundary of its grid."""
    for case in handicaps(pair):
        for edge in edges(case.handicapped, facts):
            slope = slope_at(case.handicapped, edge, facts)
            is_small = slope is not None and slope.is_small
            is_note = is_small or edge.parameter in SIZES or _is_large(pair)
            end = "largest" if edge.is_largest else "smallest"
            claim = (
                f"{{behind}} chose {edge.parameter} = {edge.value:g}, the "
                f"{end if edge.n_values > 2 else end.replace('st', 'r')} of {edge.n_values} values,"
                f" in {edge.n_there} of {edge.n_searches} searches"
            )
            if slope is not None and not is_small:
                gained = facts.amount(slope.metric, slope.gain)
                claim += f"; the last step still gained {gained} in the tuning folds"
            beyond = "beyond" if edge.is_largest else "below"
            yield case.alarm(
                "note" if is_note else "weakens",
                claim,
                f"Extend the grid {beyond} {edge.value:g}.",
                subject=(edge.parameter, edge.is_largest, edge.n_values, case.handicapped.name),
                size=edge.n_there / edge.n_searches,
                numbers={
                    "value": edge.value,
                    "searches_at_edge": edge.n_there,
                    "searches": edge.n_searches,
                    **({} if slope is None else {"last_step": slope.gain}),
                },
            )


def edges(method: MethodFacts, facts: Facts) -> Iterator[Edge]:
    """Yield the ends of grids at which most of the searches of a method ended."""
    everywhere = method.has_shared_search
    searches = _over_datasets(method, facts) if everywhere else [method]
    for parameter in method.grid[0] if method.grid else ():
        values = sorted({point[parameter] for point in method.grid if _is_number(point[parameter])})
        if len(values) < 2 or len(values) != len({str(p[parameter]) for p in method.grid}):
            continue
        chosen = [
            row.params.get(parameter)
            for each in searches
            for row in each.searches
            if row.params.get(parameter) in values
        ]
        if everywhere and len(chosen) < 3:
            continue
        for is_largest in (False, True):
            end = values[-1] if is_largest else values[0]
            n_there = Counter(chosen)[end]
            needed = SHARE_OF_MANY if len(values) >= FEW_VALUES else SHARE_OF_TWO
            name = parameter.rpartition("__")[2]
            n_features = facts.results.plan.datasets[method.dataset].n_features
            if (
                chosen
                and n_there >= needed * len(chosen)
                and not is_end_of_domain(name, values, is_largest, n_features)
            ):
                yield Edge(name, end, len(values), is_largest, n_there, len(chosen))


def _over_datasets(method: MethodFacts, facts: Facts) -> list[MethodFacts]:
    """Return the method on every data set where it searches the same grid."""
    return [
        each
        for each in facts.methods.values()
        if each.name == method.name and each.grid == method.grid
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_large(pair: Pair) -> bool:
    return pair.metric.is_fraction and pair.lead > LARGE_LEAD


@dataclass(frozen=True)
class Slope:
    """What the last step to the end of a grid gained in the tuning folds."""

    metric: str
    gain: float
    is_small: bool
    """Whether it may be chance, or is less than half a point."""


def slope_at(method: MethodFacts, edge: Edge, facts: Facts) -> Slope | None:
    """Return the slope at the end of a grid; None if the scores of the search are not known."""
    return None


def untuned_rival(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods at fixed settings beside tuned ones."""
    for case in handicaps(pair):
        at_fixed, tuned = case.handicapped, case.other
        if at_fixed.is_tuned or len(tuned.grid) < 2 or at_fixed.use in WITHOUT_PARAMETERS:
            continue
        if at_fixed.use == tuned.use:
            continue
        if at_fixed.base is not None and at_fixed.base == tuned.base:
            continue
        yield case.alarm(
            "note" if _is_large(pair) else "weakens",
            f"{{behind}} ran at fixed settings, {{ahead}} was tuned over {len(tuned.grid)} "
            "candidates",
            "Give the former `tune:`, or write that they are at their defaults.",
            subject=(tuned.name, len(tuned.grid)),
            numbers={"candidates": len(tuned.grid)},
        )


def search_budget(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Note methods that were tuned over many times the candidates of a rival."""
    ahead, behind = len(pair.ahead.grid), len(pair.behind.grid)
    if behind < 2 or ahead < MANY_TIMES * behind or pair.ahead.use == pair.behind.use:
        return
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "note",
        f"{{ahead}} was tuned over {ahead} candidates, {{behind}} over {behind}",
        "Give both a similar budget, or state the budgets.",
        numbers={"candidates_ahead": ahead, "candidates_behind": behind},
    )


def undefined_tuning(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find searches that had no score to choose by, or too few."""
    for case in handicaps(pair):
        method = case.handicapped
        ends = [row.tuning for row in method.searches if row.tuning is not None]
        blind = sum(each.undefined is not None and each.undefined.is_all for each in ends)
        few, equal = _poor_searches(method, facts)
        title = _title(method.scoring or "")
        if blind:
            yield case.alarm(
                "invalidates",
                f"{blind} of {len(ends)} searches of {{behind}} had no defined {title} and took "
                "the first candidate",
                "Tune by a metric that is defined in every fold, such as Micro F1, or use fewer "
                "folds.",
                subject=(method.name, "blind"),
                numbers={"blind_searches": blind, "searches": len(ends)},
            )
        elif few:
            yield case.alarm(
                "weakens",
                f"{few} of {len(ends)} searches of {{behind}} chose by a mean over fewer than half "
                "of the folds, or over fewer folds than another candidate has",
                "Tune by a metric that is defined in every fold, or use fewer folds.",
                subject=(method.name, "few"),
                numbers={"poor_searches": few, "searches": len(ends)},
            )
        elif ends and equal >= len(ends) / 3:
            yield case.alarm(
                "weakens",
                f"in {equal} of {len(ends)} searches of {{behind}} all candidates had the same "
                f"{title}: the search could not choose",
                "Widen the grid, or tune by a metric that tells the candidates apart.",
                subject=(method.name, "equal"),
                numbers={"equal_searches": equal, "searches": len(ends)},
            )


def _poor_searches(method: MethodFacts, facts: Facts) -> tuple[int, int]:
    """Return how many searches chose by few folds, and how many had equal means alone."""
    few = equal = 0
    for summary in method.searches:
        row = facts.whole(summary) if summary.tuning is not None else None
        if row is None or row.tuning is None or len(row.tuning.grid) < 2:
            continue
        defined = [[s for s in folds if s is not None] for folds in row.tuning.scores]
        counts = [len(folds) for folds in defined]
        n_folds = len(row.tuning.scores[0])
        chosen = counts[row.tuning.best]
        few += chosen < n_folds / 2 or chosen < max(counts)
        means = [math.fsum(folds) / len(folds) for folds in defined if folds]
        equal += len(means) == len(defined) and max(means) - min(means) <= 1e-12
    return few, equal


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
