"""How long a cell will take, learned from cells that have run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from statistics import median
from typing import NamedTuple

import numpy as np

from mlbench.dataset_facts import DatasetFacts
from mlbench.plan.cells import Cell
from mlbench.protocol.thresholds import uses_held_out_scores
from mlbench.store import Store, Summary

GROWTH = 0.7
"""A cell of twice the size takes 2 ** 0.7 times as long, beyond the sizes that have run.

Of the exponents 1, 0.7 and 0.5, it gave the best estimates of the committed results' times.
"""


class Group(NamedTuple):
    """Cells that take about the same time: those of other splits."""

    dataset: str
    method: str
    searches: bool
    """Whether they search for parameters; False too where another cell does it for them."""


class RemainingWork(NamedTuple):
    """The work that is left."""

    seconds: float
    guessed: tuple[str, ...]
    """Methods of which no cell has run; other methods and the data's size stand for them."""


class CostModel:
    """Estimates seconds per cell from cells of the same group, the same method, or another one.

    Parameters
    ----------
    facts : mapping
        Facts about each data set, by its name in tables.
    """

    def __init__(self, facts: Mapping[str, DatasetFacts]) -> None:
        self._facts = facts
        self._seen: dict[Hashable, dict[float, list[float]]] = defaultdict(dict)
        self._groups: dict[Group, Cell] = {}

    def learn(self, cells: Iterable[Cell], rows: Mapping[str, Summary]) -> None:
        """Take in the rows of cells that have run."""
        found: dict[Group, list[float]] = defaultdict(list)
        for cell in cells:
            row = rows.get(cell.key)
            if row is not None and "total" in row.seconds:
                found[self.group(cell)].append(row.seconds["total"])
        for group, seconds in found.items():
            self.observe(self._groups[group], *seconds)

    def learn_stale(self, cells: Iterable[Cell], store: Store) -> None:
        """Take in rows of other code or another grid, where a method has no others on some data."""
        cells = list(cells)
        new = {self.group(cell) for cell in cells} - self._seen.keys()
        if not new:
            return
        stale = store.keys() - {cell.key for cell in cells}
        for row in store.summaries(stale).rows.values():
            tuning = row.identity["tuning"]
            once = isinstance(tuning, dict) and tuning.get("scope") == "first-split"
            searched = tuning is not None and not (once and row.split)
            group = Group(row.dataset, row.method, searched)
            if group in new and "total" in row.seconds:
                self.observe(self._groups[group], row.seconds["total"])

    def observe(self, cell: Cell, *seconds: float) -> None:
        """Take in one cell, or several of its group."""
        size = self.size(cell)
        for level in self._levels(cell):
            self._seen[level].setdefault(size, []).extend(seconds)

    def group(self, cell: Cell) -> Group:
        """Return the group of a cell, and remember a cell of it."""
        group = Group(cell.dataset, cell.method, cell.tuning is not None and cell.after is None)
        self._groups.setdefault(group, cell)
        return group

    def seconds(self, cell: Cell) -> float | None:
        """Return the estimate, or None as long as nothing has run."""
        for level in self._levels(cell):
            if level in self._seen:
                return _at(self.size(cell), self._seen[level])
        return None

    def remaining(self, counts: Mapping[Group, int]) -> RemainingWork | None:
        """Estimate the work that is left; None as long as nothing has run.

        Parameters
        ----------
        counts : mapping of Group to int
            How many cells are left of each.
        """
        total, guessed = 0.0, dict[str, None]()
        for group, count in counts.items():
            seconds = self.seconds(self._groups[group])
            if count and seconds is None:
                return None
            total += count * (seconds or 0.0)
            if count and group.method not in self._seen:
                guessed[group.method] = None
        return RemainingWork(total, tuple(guessed))

    def size(self, cell: Cell) -> float:
        """Return a number that grows with training rows, columns, labels, grid and folds."""
        facts, folds = self._facts[cell.dataset], cell.folds or 0
        fits = 1 + (len(cell.tuning.grid) * folds if cell.tuning and cell.after is None else 0)
        fits += folds if uses_held_out_scores(cell.threshold) else 0
        rows = cell.splitter.training_rows(facts)
        return 1e-8 * rows * max(facts.n_features, 10) * facts.n_columns * fits

    def in_order(self, cells: Iterable[Cell]) -> list[Cell]:
        """Order cells so that estimates are soon known, and no long cell is left for the end.

        First comes a cell of each method on its smallest data, then one of each group, then
        the longest. Cells that wait for another one's search come after all that do not.
        """
        cells = list(cells)
        smallest: dict[str, Cell] = {}
        for cell in cells:
            there = smallest.get(cell.method)
            if cell.after is None and (there is None or self.size(cell) < self.size(there)):
                smallest[cell.method] = cell
        new = {
            self.group(cell): cell for cell in reversed(cells) if self.group(cell) not in self._seen
        }

        def place(cell: Cell) -> tuple[bool, int, float]:
            known = cell.method in self._seen
            stage = 0 if smallest.get(cell.method) is cell and not known else 1
            stage = 2 if stage and new.get(self.group(cell)) is not cell else stage
            return cell.after is not None, stage, -(self.seconds(cell) or self.size(cell))

        return sorted(cells, key=place)

    def _levels(self, cell: Cell) -> tuple[Hashable, ...]:
        """Name what a cell may be like, the nearest first."""
        return self.group(cell), cell.method, (cell.recipe.use,), ()


def _at(size: float, seen: Mapping[float, list[float]]) -> float:
    """Interpolate times over sizes, both as logarithms; beyond the ends they grow by `GROWTH`."""
    sizes = np.array(sorted(seen))
    seconds = np.array([max(median(seen[each]), 1e-3) for each in sizes])
    near = float(np.clip(size, sizes[0], sizes[-1]))
    between = np.exp(np.interp(np.log(near), np.log(sizes), np.log(seconds)))
    return float(between * (size / near) ** GROWTH)
