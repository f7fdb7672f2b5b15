"""What an executor tells while it works."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mlbench.plan import Cell


@dataclass(frozen=True)
class Started:
    """A cell was handed to a worker."""

    cell: Cell


@dataclass(frozen=True)
class Finished:
    """A cell's row is on the disk; ``status`` and ``message`` are those of the row."""

    cell: Cell
    status: str
    seconds: float
    message: str = ""


@dataclass(frozen=True)
class Unstored:
    """A cell was computed, but its row could not be written."""

    cell: Cell
    message: str


Event = Started | Finished | Unstored


class Executor(Protocol):
    """Maps the work over cells, and tells what happens as it happens."""

    def run(self, cells: Sequence[Cell]) -> Generator[Event]:
        """Run cells; closing the generator ends all work that it has started."""

    def last_call(self, seconds: float) -> None:
        """Start nothing new, and give running cells so many seconds to finish."""
