"""The order in which an executor starts cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlbench.plan import Cell


class CellQueue:
    """Cells that have not started, in the given order.

    A cell whose search another cell runs waits until that cell has finished.
    """

    def __init__(self, cells: Sequence[Cell] = ()) -> None:
        self._waiting = list(cells)
        self._unfinished = {cell.key for cell in cells}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def take(self) -> Cell | None:
        """Remove and return the first cell that can start, or None if there is none."""
        for index, cell in enumerate(self._waiting):
            if cell.after not in self._unfinished:
                return self._waiting.pop(index)
        return None

    def put_back(self, cell: Cell) -> None:
        """Make a cell that was lost the first one again."""
        self._waiting.insert(0, cell)

    def finish(self, cell: Cell) -> None:
        """Let the cells that wait for this one start."""
        self._unfinished.discard(cell.key)
