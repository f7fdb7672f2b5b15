"""Whether grids were wide enough: searches that ended at their edge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.audit.distances import (
    distance,
    is_cut_otherwise,
    known,
    title_of,
    with_which_threshold,
)
from mlbench.audit.domains import SIZES, is_end_of_domain
from mlbench.audit.facts import ComparedMethod, Facts
from mlbench.audit.handicaps import handicaps
from mlbench.audit.pairs import LEAST_GAIN, Pair
from mlbench.audit.threat import Alarm
from mlbench.config.grids import Distribution
from mlbench.store import Summary

FEW_VALUES, SHARE_OF_MANY, SHARE_OF_TWO = 3, 2 / 3, 9 / 10
"""A search ends at its edge in so many of the searches, by the number of values."""

LEAST_SEARCHES, LEAST_OF_SPLITS = 3, 2
"""Searches over data sets, where one serves all splits of each, and of the splits of one."""


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
    compared: tuple[float, ...] = ()
    """What it gained there in the metric that is compared, where another one decided."""

    @property
    def gain(self) -> float | None:
        """The mean of the slopes; None if there are none."""
        return _mean(self.slopes)

    @property
    def is_flat(self) -> bool:
        """Whether the last step gained less than half a point, or no more than chance would."""
        return self.gain is not None and not _rises(self.slopes)


def _mean(slopes: Sequence[float]) -> float | None:
    return math.fsum(slopes) / len(slopes) if slopes else None


def _rises(slopes: Sequence[float]) -> bool:
    """Return whether a step gained half a point or more, and more than chance would."""
    gain, n = _mean(slopes), len(slopes)
    if gain is None:
        return False
    error = float(np.std(slopes, ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    return gain >= LEAST_GAIN and gain >= 2 * error


def grid_edge(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods whose search ended at the boundary of its grid."""
    for case in handicaps(pair):
        is_one_base = case.handicapped.base is not None and case.handicapped.base == case.other.base
        for edge in edges(case.handicapped, pair.metric.name, facts):
            if is_one_base and not _reaches_beyond(case.other, edge):
                continue
            is_note = (
                edge.is_flat
                or is_cut_otherwise(case.handicapped, edge.scoring)
                or edge.parameter in SIZES
                or (pair.is_large and (edge.gain or 0.0) < pair.lead_to_explain / 2)
                or pair.is_tiny
                or (
                    distance(edge.scoring, pair.metric.name) == 3
                    and not (pair.metric.is_fraction and _rises(edge.compared))
                )
                or _is_a_trade(pair, edge.scoring)
                or any(
                    each.parameter == edge.parameter
                    for each in edges(case.other, pair.metric.name, facts)
                )
            )
            end = "largest" if edge.is_largest else "smallest"
            end = end if edge.n_values > 2 else end.removesuffix("st") + "r"
            is_drawn = _is_drawn(case.handicapped, edge.parameter, facts)
            claim = (
                f"{{handicapped}} chose {edge.parameter} = {edge.value:g}, the {end} of "
                f"{edge.n_values} {'drawn ' * is_drawn}values, in {edge.n_there} of "
                f"{edge.n_searches} searches"
            )
            if edge.gain is not None and not edge.is_flat:
                gained = facts.amount(edge.scoring, edge.gain)
                of = "" if edge.scoring == pair.metric.name else f" of {title_of(edge.scoring)}"
                claim += f"; in those, the last step still gained {gained}{of} in the tuning folds"
                claim += with_which_threshold(case.handicapped, edge.scoring)
            if (gained_too := _mean(edge.compared)) is not None and _rises(edge.compared):
                gained = facts.amount(pair.metric.name, gained_too)
                claim += f" (and {gained} of {title_of(pair.metric.name)})"
            beyond = "beyond" if edge.is_largest else "below"
            advice = f"Extend the grid {beyond} {edge.value:g}."
            if edge.is_largest and edge.value == 1 and case.handicapped.is_own:
                advice += f" If {edge.parameter} ends at 1, accept this with the key `parameters`."
            yield case.alarm(
                "note" if is_note else "weakens",
                claim,
                f"Draw more values {beyond} {edge.value:g}." if is_drawn else advice,
                subject=(edge.parameter, edge.value, edge.n_values),
                parameter=edge.parameter,
                size=edge.gain or 0.0,
                numbers={
                    "value": edge.value,
                    "searches_at_edge": edge.n_there,
                    "searches": edge.n_searches,
                    **({} if edge.gain is None else {"last_step": edge.gain}),
                },
            )


def _reaches_beyond(method: ComparedMethod, edge: Edge) -> bool:
    """Return whether the grid of a method has values of the parameter beyond the end of another."""
    values = (
        value
        for point in method.grid
        for name, value in point.items()
        if name.rpartition("__")[2] == edge.parameter and _is_number(value)
    )
    return any(value > edge.value if edge.is_largest else value < edge.value for value in values)


def _is_drawn(method: ComparedMethod, parameter: str, facts: Facts) -> bool:
    """Return whether the values of a parameter were drawn at random from a range."""
    stated = facts.results.plan.experiment.methods[method.name].tune.get(parameter)
    return isinstance(stated, Distribution)


def _is_a_trade(pair: Pair, scoring: str) -> bool:
    """Return whether the method behind is ahead in the metric that chose its parameters.

    Then it is behind by what was asked of its search, which a wider grid does not change.
    """
    if (metric := known(scoring)) is None:
        return False
    by_own = pair.reread(scoring, metric.greater_is_better)
    return by_own is not None and by_own.lead < 0


def edges(method: ComparedMethod, metric: str, facts: Facts) -> Iterator[Edge]:
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
            ended = [pair for pair, value in zip(rows, chosen, strict=True) if value == end]
            there = [row for _, row in ended]
            if not any(each.dataset == method.dataset for each, _ in ended):
                continue
            if len(there) < needed * len(chosen) or is_end_of_domain(
                name, values, is_largest, n_features
            ):
                continue
            yield Edge(
                parameter=name,
                value=end,
                n_values=len(values),
                is_largest=is_largest,
                n_there=len(there),
                n_searches=len(chosen),
                scoring=scoring,
                slopes=_slopes(there, parameter, scoring, facts),
                compared=() if scoring == metric else _slopes(there, parameter, metric, facts),
            )


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


def _over_datasets(method: ComparedMethod, facts: Facts) -> list[ComparedMethod]:
    """Return the method on every data set where it searches the same grid."""
    return [
        each
        for each in facts.methods.values()
        if each.name == method.name and each.grid == method.grid
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
