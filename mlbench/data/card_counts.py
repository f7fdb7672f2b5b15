"""Comparing the counts on a card with the actual ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlbench.solvers.arrays import Ints

if TYPE_CHECKING:
    from mlbench.data.cards import Card

CARDINALITY_TOLERANCE = 1e-3


@dataclass(frozen=True)
class CountReport:
    """One count from the card, and the actual one."""

    quantity: str
    expected: float
    got: float

    @property
    def agrees(self) -> bool:
        """Whether both are equal; the cardinality on a card is rounded."""
        tolerance = CARDINALITY_TOLERANCE if self.quantity == "cardinality" else 0.0
        return abs(self.expected - self.got) <= tolerance


def counts_of(Y: Ints, n_attributes: int, n_tasks: int) -> dict[str, float]:
    """Return the counts that a card can state.

    Parameters
    ----------
    Y
        (n, k) labels.
    n_attributes
        Features before one-hot encoding.
    n_tasks
        0 for data without tasks.
    """
    return {
        "samples": Y.shape[0],
        "features": n_attributes,
        "labels": Y.shape[1],
        "tasks": n_tasks,
        "cardinality": float(Y.sum(axis=1).mean()),
    }


def compare_counts(card: Card, found: Mapping[str, float]) -> tuple[CountReport, ...]:
    """Compare the counts on a card with those found; counts not on the card are skipped."""
    expected = card.expect.model_dump(exclude_none=True)
    return tuple(CountReport(name, value, found[name]) for name, value in expected.items())
