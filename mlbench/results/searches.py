"""What a search says about its outcome: what another metric lost, and whether its grid was wide.

Gains are positive where the change would have been for the better, for losses as well.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlbench.metrics import get_metric
from mlbench.store import TuningRecord

DECIMALS = 9
"""Of gains and slopes."""
ROUNDING = 1e-12
"""Means that differ by less are equal."""

Folds = Sequence[float | None]
"""The scores of a candidate, one for each fold."""


class Gain(NamedTuple):
    """A difference of two means over folds, in the unit of the metric."""

    mean: float
    standard_error: float | None
    """Over the folds in which both candidates have a score; None with fewer than two."""


class GridEnd(NamedTuple):
    """A search that chose the smallest or the largest value of a parameter."""

    value: float
    is_largest: bool
    n_values: int
    """How many values were tried."""
    slope: float | None
    """By how much the best candidate at the end is ahead of the best one at the value next to it,
    in a metric of the search; None if one of them has no score.
    """


@dataclass(frozen=True)
class SearchOutcome:
    """What an exported folder keeps of a search; see :func:`outcome_of`."""

    given_away: Mapping[str, Gain] = field(default_factory=dict)
    """By each metric of the experiment but the one that decided: what the choice lost in it."""
    grid_ends: Mapping[str, GridEnd] = field(default_factory=dict)
    """By each parameter whose chosen value is at an end of those tried; ``C@macro_auc`` is that
    of another metric: of its own choice if it decided, too, or else its slope at the chosen one.
    """
    few_folds: bool = False
    """Whether the chosen candidate has a score in fewer than half of the folds, or in fewer than
    another candidate.
    """
    equal_means: bool = False
    """Whether all candidates have the same mean, so that the search could not choose."""


def outcome_of(search: TuningRecord) -> SearchOutcome:
    """Summarize a search."""
    lost = {metric: given_away(search, metric) for metric in search.also}
    ends = {parameter: grid_end(search, parameter) for parameter in search.grid[0]}
    for metric, scores in search.also.items():
        seen = search.by(metric)
        if seen is search:  # the metric did not decide, so the chosen candidate is the same
            seen = dataclasses.replace(search, metric=metric, scores=scores, also={})
        ends |= {f"{name}@{metric}": grid_end(seen, name) for name in search.grid[0]}
    defined = [sum(score is not None for score in folds) for folds in search.scores]
    means = [_mean(folds, 1.0) for folds in search.scores]
    return SearchOutcome(
        {metric: gain for metric, gain in lost.items() if gain is not None},
        {parameter: end for parameter, end in ends.items() if end is not None},
        few_folds=defined[search.best] < max(*defined, len(search.scores[0]) / 2),
        equal_means=len(means) > 1 and min(defined) > 0 and max(means) - min(means) <= ROUNDING,
    )


def fold_scores(search: TuningRecord, metric: str) -> Sequence[Folds] | None:
    """Return the scores by a metric of each candidate in each fold, or None if they are unknown.

    Parameters
    ----------
    search : TuningRecord
    metric : str
        A name as it stands in rows, such as ``macro_f1`` or ``macro_f1@sklearn``.
    """
    return search.scores if metric == search.metric else search.also.get(metric)


def given_away(search: TuningRecord, metric: str) -> Gain | None:
    """Return what the choice by one metric lost in another: best mean - mean of the chosen one.

    Returns
    -------
    Gain or None
        0 if the chosen candidate is best by this metric as well, and where this metric chose a
        candidate of its own; None if the scores are unknown, or undefined for the chosen one.
    """
    scores = fold_scores(search, metric)
    if scores is None:
        return None
    sign = _sign(metric)
    means = [_mean(folds, sign) for folds in scores]
    best = max(range(len(means)), key=means.__getitem__)
    chosen = search.best_by.get(metric, search.best)
    if not math.isfinite(means[chosen]):
        return None
    differences = [
        high - low
        for high, low in zip(scores[best], scores[chosen], strict=True)
        if high is not None and low is not None
    ]
    n = len(differences)
    error = float(np.std(differences, ddof=1)) / math.sqrt(n) if n > 1 else None
    return Gain(_rounded(means[best] - means[chosen]), None if error is None else _rounded(error))


def grid_end(search: TuningRecord, parameter: str) -> GridEnd | None:
    """Return at which end of a parameter's values the chosen one is, and the slope there.

    Returns
    -------
    GridEnd or None
        None if it is at no end, is no number, or was the only one.

    Raises
    ------
    KeyError
        If the grid has no such parameter.
    """
    found = [_number(point[parameter]) for point in search.grid]
    values = sorted({value for value in found if value is not None})
    chosen = found[search.best]
    if chosen is None or len(values) < 2 or chosen not in (values[0], values[-1]):
        return None
    is_largest = chosen == values[-1]
    sign = _sign(search.metric)

    def best_at(value: float) -> float:
        pairs = zip(found, search.scores, strict=True)
        return max(_mean(folds, sign) for each, folds in pairs if each == value)

    slope = best_at(chosen) - best_at(values[-2] if is_largest else values[1])
    return GridEnd(
        chosen, is_largest, len(values), _rounded(slope) if math.isfinite(slope) else None
    )


def _rounded(difference: float) -> float:
    """Return a difference of scores without the digits that are rounding alone."""
    return round(difference, DECIMALS)


def _sign(metric: str) -> float:
    return 1.0 if get_metric(metric).greater_is_better else -1.0


def _mean(folds: Folds, sign: float) -> float:
    """Return the mean of the defined scores, greater being better; -inf if there are none."""
    known = [score for score in folds if score is not None]
    return sign * math.fsum(known) / len(known) if known else -math.inf


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]
