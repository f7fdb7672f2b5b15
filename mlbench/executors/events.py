"""Events that an executor yields while it runs cells."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mlbench.plan import Cell


@dataclass(frozen=True)
class Started:
    """A cell was assigned to a worker."""

    cell: Cell


@dataclass(frozen=True)
class Finished:
    """A cell's row is on disk; ``status`` and ``message`` are those of the row."""

    cell: Cell
    status: str
    seconds: float
    message: str = ""


@dataclass(frozen=True)
class WriteFailed:
    """A cell finished, but its row could not be written."""

    cell: Cell
    message: str


@dataclass(frozen=True)
class Waited:
    """The executor has waited for running cells; maybe none of them has ended."""


Event = Started | Finished | WriteFailed | Waited


class Executor(Protocol):
    """Runs cells and yields events as they happen."""

    def run(self, cells: Sequence[Cell]) -> Generator[Event]:
        """Run cells; closing the generator stops all work that it started."""

    def start_grace_period(self, seconds: float) -> None:
        """Start no more cells, and give the running ones this many seconds to finish."""
