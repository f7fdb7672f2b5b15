"""Whether two methods have the same scores, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass
from typing import TypeVar

from mlbench.metrics import METRICS
from mlbench.results.results import Results
from mlbench.store import Summary

ROUNDING = 1e-12
"""Scores that differ by no more are the same."""

MetricScores = Mapping[str, float | None]
"""By metric; None where it is undefined."""
T = TypeVar("T", bound=Hashable)
GoodCells = Mapping[tuple[str, int], Summary]
"""The cells of one method that are ok, by data set and split."""


@dataclass(frozen=True, order=True)
class LargestGap:
    """In what two cells differ most."""

    size: float
    """Infinite if only one of them is defined."""
    metric: str

    @property
    def is_rounding(self) -> bool:
        """Whether the scores are the same but for rounding."""
        return self.size <= ROUNDING

    @property
    def is_fraction(self) -> bool:
        """Whether it is of a metric that may be printed in percent."""
        return self.metric in METRICS and METRICS[self.metric].is_fraction

    def __str__(self) -> str:
        """Return ``0.53 points of Macro F1``."""
        name = METRICS[self.metric].title if self.metric in METRICS else self.metric
        if math.isinf(self.size):
            return f"{name}, which one of them lacks"
        return (
            f"{100 * self.size:.2g} points of {name}"
            if self.is_fraction
            else f"{self.size:.2g} in {name}"
        )


def largest_gap(
    there: MetricScores, here: MetricScores, metrics: Set[str] | None = None
) -> LargestGap | None:
    """Return in what two cells differ most; None if they have no metric in common.

    If a metric between 0 and 1 differs, it is one of these, since others have other units.
    With `metrics`, others do not count.
    """
    common = there.keys() & here.keys()
    if metrics is not None:
        common &= metrics
    gaps = [LargestGap(_size(there[name], here[name]), name) for name in common]
    fractions = [gap for gap in gaps if not gap.is_rounding and gap.is_fraction]
    return max(fractions or gaps, default=None)


def cells_of(results: Results) -> dict[str, dict[tuple[str, int], Summary]]:
    """Return the cells that are ok, by method and then by data set and split."""
    found: dict[str, dict[tuple[str, int], Summary]] = {}
    for cell in results.cells:
        row = results.rows.get(cell.key)
        if row is not None and row.is_ok:
            found.setdefault(cell.method, {})[cell.dataset, cell.split] = row
    return found


def gaps_between(there: GoodCells, here: GoodCells) -> list[LargestGap]:
    """Return, for each cell that both methods have, the metric in which they differ most."""
    common = [place for place in there if place in here]
    found = (largest_gap(there[place].metrics, here[place].metrics) for place in common)
    return [gap for gap in found if gap is not None]


def have_same_scores(there: Mapping[T, Summary], here: Mapping[T, Summary]) -> bool:
    """Return whether two methods agree, but for rounding, on all cells that both have.

    In the metrics that both have: one of probabilities is undefined for a method without them.
    """
    common = [place for place in there if place in here]
    had = [
        {
            name
            for cell in cells.values()
            for name, score in cell.metrics.items()
            if score is not None
        }
        for cells in (there, here)
    ]
    gaps = [
        largest_gap(there[place].metrics, here[place].metrics, had[0] & had[1]) for place in common
    ]
    known = [gap for gap in gaps if gap is not None]
    return bool(known) and all(gap.is_rounding for gap in known)


def _size(a: float | None, b: float | None) -> float:
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    return abs(a - b)
