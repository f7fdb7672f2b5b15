"""Events that an executor yields while it runs cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlbench.plan import Cell


@dataclass(frozen=True)
class Started:
    """A cell was assigned to a worker."""

    cell: Cell


@dataclass(frozen=True)
class Advanced:
    """A running cell has got further; ``at`` says how far: ``fold 3 of 5, label 2 of 14``."""

    cell: Cell
    at: str


@dataclass(frozen=True)
class Finished:
    """A cell's row is on disk; ``status`` and ``message`` are those of the row."""

    cell: Cell
    status: str
    seconds: float
    message: str = ""


@dataclass(frozen=True)
class Retried:
    """A cell was lost from outside, for the reason ``why``, and runs once more."""

    cell: Cell
    why: str


@dataclass(frozen=True)
class WriteFailed:
    """A cell finished, but its row could not be written."""

    cell: Cell
    message: str


@dataclass(frozen=True)
class Waited:
    """The executor has waited for running cells; maybe none of them has ended."""


Event = Started | Advanced | Finished | Retried | WriteFailed | Waited
