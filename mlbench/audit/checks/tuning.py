"""How parameters were chosen: by what, among which candidates, and on which rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mlbench.audit.domains import SIZES, is_end_of_domain
from mlbench.audit.facts import Facts, MethodFacts
from mlbench.audit.handicaps import Handicap, handicaps
from mlbench.audit.pairs import Pair
from mlbench.audit.threat import Alarm
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.store import Summary

LARGE_LEAD = 0.1
"""A lead that a grid or fixed settings hardly explain, in metrics between 0 and 1."""

FEW_VALUES, SHARE_OF_MANY, SHARE_OF_TWO = 3, 2 / 3, 9 / 10
"""A search ends at its edge in so many of the searches, by the number of values."""

LEAST_SEARCHES, LEAST_OF_SPLITS = 3, 2
"""Searches over data sets, where one serves all splits of each, and of the splits of one."""

LEAST_GAIN = 0.005
"""The gain or the lead that matters, in a metric between 0 and 1."""

MANY_TIMES = 10
"""Candidates of one method over those of another that are worth a note."""


def tuning_metric(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods that were tuned by a metric further from the one that is compared."""
    for case in handicaps(pair):
        behind, other = (each.scoring(pair.metric.name) for each in (case.handicapped, case.other))
        if behind is None or other is None:
            continue
        distances = (_distance(behind, pair.metric.name), _distance(other, pair.metric.name))
        if distances[0] <= distances[1]:
            continue
        if case.handicapped.equals_but_for(case.other, "scoring"):
            continue
        lost = _given_away(case.handicapped, pair.metric.name, facts)
        if lost is not None and lost < pair.lead / 10:
            continue
        is_across = distances[0] - distances[1] == 3 and (lost is None or lost >= pair.lead / 2)
        advice = (
            f"Tune {{handicapped}} by {pair.metric.name} as well; `scoring: each` shows for each "
            "metric the model tuned by it."
        )
        claim = (
            f"{_title(other)} chose the parameters of {{other}}, {_title(behind)} those of "
            "{handicapped}"
        )
        if lost is not None:
            claim += (
                f", which costs it {facts.amount(pair.metric.name, lost)} in its own tuning folds"
            )
        is_note = _is_tiny(pair) or (lost is None and _judges_labels_by_scores(pair, behind))
        yield case.alarm(
            "note" if is_note else "invalidates" if is_across else "weakens",
            claim,
            advice,
            subject=(pair.metric.name, behind, other, lost is not None and case.handicapped.name),
            metric=pair.metric.name,
            size=lost or 0.0,
            numbers={} if lost is None else {"given_away": lost},
        )


def _judges_labels_by_scores(pair: Pair, scoring: str) -> bool:
    """Return whether a metric of labels is compared, and one of scores chose the parameters.

    What that costs is mostly in where scores are cut, which other checks judge.
    """
    of_labels = get_metric(pair.metric.name).needs == "labels"
    return of_labels and _distance(scoring, pair.metric.name) == 3


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
    return (
        metric.partition("@")[0]
        .removeprefix("macro_")
        .removeprefix("micro_")
        .removeprefix("example_")
    )


def _given_away(method: MethodFacts, metric: str, facts: Facts) -> float | None:
    """Return what the choice by another metric costs in the folds; None if it is not known."""
    found = [outcome.given_away.get(metric) for outcome in facts.outcomes(method)]
    known = [gain.mean for gain in found if gain is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(found) else None


@dataclass(frozen=True)
class Edge:
    """The end of a grid at which most searches of a method ended."""

    parameter: str
    value: float
    n_values: int
    is_largest: bool
    n_there: int
    n_searches: int
    scoring: str
    """The metric that decided."""
    slopes: tuple[float, ...]
    """What the last step gained in the tuning folds, in each search where that is known."""

    @property
    def gain(self) -> float | None:
        """The mean of the slopes; None if there are none."""
        return math.fsum(self.slopes) / len(self.slopes) if self.slopes else None

    @property
    def is_flat(self) -> bool:
        """Whether the last step gained less than half a point, or no more than chance would."""
        if self.gain is None:
            return False
        n = len(self.slopes)
        error = float(np.std(self.slopes, ddof=1)) / math.sqrt(n) if n > 1 else 0.0
        return self.gain < LEAST_GAIN or self.gain < 2 * error


def grid_edge(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods whose search ended at the boundary of its grid."""
    for case in handicaps(pair):
        if case.handicapped.base is not None and case.handicapped.base == case.other.base:
            continue
        for edge in edges(case.handicapped, pair.metric.name, facts):
            is_note = (
                edge.is_flat
                or edge.parameter in SIZES
                or _is_large(pair)
                or _is_tiny(pair)
                or _distance(edge.scoring, pair.metric.name) == 3
                or any(
                    each.parameter == edge.parameter
                    for each in edges(case.other, pair.metric.name, facts)
                )
            )
            end = "largest" if edge.is_largest else "smallest"
            end = end if edge.n_values > 2 else end.removesuffix("st") + "r"
            claim = (
                f"{{handicapped}} chose {edge.parameter} = {edge.value:g}, the {end} of "
                f"{edge.n_values} values, in {edge.n_there} of {edge.n_searches} searches"
            )
            if edge.gain is not None and not edge.is_flat:
                gained = facts.amount(edge.scoring, edge.gain)
                claim += f"; the last step still gained {gained} in the tuning folds"
            beyond = "beyond" if edge.is_largest else "below"
            yield case.alarm(
                "note" if is_note else "weakens",
                claim,
                f"Extend the grid {beyond} {edge.value:g}.",
                subject=(edge.parameter, edge.value, edge.n_values),
                size=edge.gain or 0.0,
                numbers={
                    "value": edge.value,
                    "searches_at_edge": edge.n_there,
                    "searches": edge.n_searches,
                    **({} if edge.gain is None else {"last_step": edge.gain}),
                },
            )


def edges(method: MethodFacts, metric: str, facts: Facts) -> Iterator[Edge]:
    """Yield the ends of grids at which most searches of the model of a metric ended."""
    scoring = method.scoring(metric)
    if not method.grid or scoring is None:
        return
    searches = _over_datasets(method, facts) if method.has_shared_search else [method]
    rows = [(each, row) for each in searches for row in each.searches]
    n_features = facts.results.plan.datasets[method.dataset].n_features
    for parameter in method.grid[0]:
        all_values = {str(point[parameter]) for point in method.grid}
        values = sorted({point[parameter] for point in method.grid if _is_number(point[parameter])})
        if len(values) < 2 or len(values) != len(all_values):
            continue
        chosen = [each.chosen(row, metric).get(parameter) for each, row in rows]
        if len(chosen) < (LEAST_SEARCHES if method.has_shared_search else LEAST_OF_SPLITS):
            continue
        needed = SHARE_OF_MANY if len(values) >= FEW_VALUES else SHARE_OF_TWO
        name = parameter.rpartition("__")[2]
        for is_largest in (False, True):
            end = values[-1] if is_largest else values[0]
            there = [row for (_, row), value in zip(rows, chosen, strict=True) if value == end]
            if not any(row.dataset == method.dataset for row in there):
                continue
            if len(there) < needed * len(chosen) or is_end_of_domain(
                name, values, is_largest, n_features
            ):
                continue
            slopes = _slopes(there, parameter, scoring, facts)
            yield Edge(name, end, len(values), is_largest, len(there), len(chosen), scoring, slopes)


def _slopes(
    rows: Sequence[Summary], parameter: str, scoring: str, facts: Facts
) -> tuple[float, ...]:
    found = []
    for row in rows:
        outcome = facts.results.searches.get(row.key)
        ends = {} if outcome is None else outcome.grid_ends
        name = parameter if scoring == row.tuned_by[0] else f"{parameter}@{scoring}"
        if (end := ends.get(name)) is not None and end.slope is not None:
            found.append(end.slope)
    return tuple(found)


def _over_datasets(method: MethodFacts, facts: Facts) -> list[MethodFacts]:
    """Return the method on every data set where it searches the same grid."""
    return [
        each
        for each in facts.methods.values()
        if each.name == method.name and each.grid == method.grid
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_tiny(pair: Pair) -> bool:
    """Return whether the two are close, and no test decides."""
    return not pair.is_decided and pair.metric.is_fraction and pair.lead < LEAST_GAIN


def _is_large(pair: Pair) -> bool:
    return pair.metric.is_fraction and pair.lead > LARGE_LEAD


def untuned_rival(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods at fixed settings beside tuned ones."""
    for case in handicaps(pair):
        at_fixed, tuned = case.handicapped, case.other
        if at_fixed.is_tuned or len(tuned.grid) < 2 or at_fixed.is_floor:
            continue
        if at_fixed.use == tuned.use and at_fixed.learner == tuned.learner:
            continue
        if at_fixed.base is not None and at_fixed.base == tuned.base and not tuned.tunes_learner:
            continue
        yield case.alarm(
            "note" if _is_large(pair) else "weakens",
            f"{{handicapped}} ran at fixed settings, while {{other}} chose among {len(tuned.grid)} "
            "candidates",
            "Give {handicapped} `tune:`, or write that these are fixed settings.",
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
        blind = sum(_is_blind(row, scoring) for row in ends)
        is_first = bool(ends) and scoring in ends[0].tuned_by[:1]
        outcomes = facts.outcomes(method) if is_first else []  # they are of the first metric
        few = sum(outcome.few_folds for outcome in outcomes)
        equal = sum(outcome.equal_means for outcome in outcomes)
        title = _title(scoring or "")
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
                "weakens",
                f"{few} of {len(ends)} searches of {{handicapped}} chose by a mean over fewer than "
                "half of the folds, or over fewer folds than another candidate has",
                "Tune by a metric that is defined in every fold, or use fewer folds.",
                subject=(method.name, "few"),
                numbers={"poor_searches": few, "searches": len(ends)},
            )
        elif outcomes and equal >= len(ends) / 3:
            yield case.alarm(
                "weakens",
                f"in {equal} of {len(ends)} searches of {{handicapped}} all candidates had the "
                f"same {title}: the search could not choose",
                "Widen the grid, or tune by a metric that tells the candidates apart.",
                subject=(method.name, "equal"),
                numbers={"equal_searches": equal, "searches": len(ends)},
            )


def _is_blind(row: Summary, scoring: str | None) -> bool:
    """Return whether the metric by which a model was chosen had no score of any candidate.

    Where several metrics decide, the row's warning says which one had none.
    """
    undefined = row.tuning and row.tuning.undefined
    if not undefined or not undefined.is_all:
        return False
    return len(row.tuned_by) == 1 or any(f": {scoring} was undefined" in w for w in row.warnings)


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
