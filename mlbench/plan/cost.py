"""How long a cell will take, learned from cells that have run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from mlbench.dataset_facts import DatasetFacts
from mlbench.plan.cells import Cell
from mlbench.store import Row


class CostModel:
    """Estimates seconds per cell; exact in kind only where the same method ran on the same data.

    Parameters
    ----------
    facts : mapping
        Facts about each data set, by its name in tables.
    """

    def __init__(self, facts: Mapping[str, DatasetFacts]) -> None:
        self._facts = facts
        self._seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._ratios: dict[str, list[float]] = defaultdict(list)
        self._sizes: dict[tuple[str, str], float] = {}

    def learn(self, cells: Iterable[Cell], rows: Mapping[str, Row]) -> None:
        """Take in the rows of cells that have run."""
        for cell in cells:
            row = rows.get(cell.key)
            if row is not None and "total" in row.seconds:
                self.observe(cell, row.seconds["total"])

    def observe(self, cell: Cell, seconds: float) -> None:
        """Take in one cell."""
        self._seconds[cell.dataset, cell.method].append(seconds)
        self._ratios[cell.method].append(seconds / self.size(cell))

    def seconds(self, cell: Cell) -> float | None:
        """Return the estimate, or None as long as no cell of the method has run."""
        if same := self._seconds.get((cell.dataset, cell.method)):
            return median(same)
        if alike := self._ratios.get(cell.method):
            return median(alike) * self.size(cell)
        return None

    def guess(self, counts: Mapping[tuple[str, str], int]) -> float | None:
        """Return an estimate for the work that is left; None as long as nothing has run.

        Where no cell of a method has run, the sizes of its cells and the times of other methods
        must do.

        Parameters
        ----------
        counts : mapping of (data set, method) to int
            How many cells are left of each; one of each must have been sized before.
        """
        ratios = [ratio for each in self._ratios.values() for ratio in each]
        if not ratios:
            return None
        overall, total = median(ratios), 0.0
        for (dataset, method), count in counts.items():
            if same := self._seconds.get((dataset, method)):
                total += count * median(same)
            else:
                alike = self._ratios.get(method)
                ratio = median(alike) if alike else overall
                total += count * ratio * self._sizes[dataset, method]
        return total

    def size(self, cell: Cell) -> float:
        """Return a number that grows with the work: samples, columns, labels, grid and folds."""
        facts = self._facts[cell.dataset]
        fits = 1 + (len(cell.tuning.grid) * (cell.folds or 0) if cell.tuning else 0)
        size = 1e-8 * facts.n_samples * max(facts.n_features, 10) * facts.n_columns * fits
        self._sizes[cell.dataset, cell.method] = size
        return size

    def longest_first(self, cells: Iterable[Cell]) -> list[Cell]:
        """Order cells so that no long one is left for the end.

        Those that wait for another one's search come after all that do not.
        """
        return sorted(
            cells,
            key=lambda cell: (cell.after is not None, -(self.seconds(cell) or self.size(cell))),
        )

    def total(self, cells: Iterable[Cell]) -> float | None:
        """Return the estimate for all cells together, or None if some cannot be estimated."""
        each = [self.seconds(cell) for cell in cells]
        known = [seconds for seconds in each if seconds is not None]
        return sum(known) if len(known) == len(each) else None
