"""Estimates of the time and memory of cells.

Times are learned from cells that have run. Memory follows from the arrays that methods declare,
and so does whether time grows with the square of the rows.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from itertools import chain
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mlbench.dataset_facts import DatasetFacts
from mlbench.methods.large_arrays import LargeArray
from mlbench.plan.cells import Cell
from mlbench.plan.pending import past_times, seconds_of
from mlbench.protocol.thresholds import uses_held_out_scores
from mlbench.store import Store, Summary

GROWTH = 0.7
"""Beyond the sizes that have run, a cell of twice the size takes 2 ** 0.7 times as long.

Of the exponents 1, 0.7 and 0.5 this one estimated the committed results' times best.
"""

_FEATURES = LargeArray("dense features", "n", "d", 2)
"""The features of both parts, and a method's copy of them."""


class Group(NamedTuple):
    """Cells that differ in their split alone, and so take about the same time."""

    dataset: str
    method: str
    searches: bool
    """Whether the cells search for parameters themselves."""


class RemainingWork(NamedTuple):
    """An estimate of the work that is left."""

    seconds: float
    guessed: tuple[str, ...]
    """Methods without a finished cell; their times are estimated from other methods."""


class MemoryNeed(NamedTuple):
    """An estimate of the memory that a cell needs in addition to its sparse data."""

    gigabytes: float
    basis: str
    """The arrays that the estimate counts, with their shapes."""


class CostModel:
    """Estimate seconds per cell from cells of the same group, the same method, or any other.

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
        """Update the estimates from finished cells."""
        found: dict[Group, list[float]] = defaultdict(list)
        for cell in cells:
            row = rows.get(cell.key)
            if row is not None and (seconds := seconds_of(row)) is not None:
                found[self.group(cell)].append(seconds)
        for group, times in found.items():
            self.observe(self._groups[group], *times)

    def learn_stale(
        self, cells: Iterable[Cell], store: Store, takes_least: bool = True
    ) -> dict[tuple[str, str], bool]:
        """Use rows of older code or another grid for groups without a finished cell.

        Parameters
        ----------
        cells : iterable of Cell
        store : Store
        takes_least : bool
            Whether to use those that reached a limit where there are no others.

        Returns
        -------
        dict
            The data sets and methods of which all such rows reached a limit, and whether that of
            the cells is higher now.
        """
        cells = list(cells)
        new = {self.group(cell) for cell in cells} - self._seen.keys()
        least: dict[tuple[str, str], bool] = {}
        if not new:
            return least
        stale = store.keys() - {cell.key for cell in cells}
        found: dict[Group, list[Summary]] = defaultdict(list)
        for row in store.summaries(stale).rows.values():
            tuning = row.identity["tuning"]
            once = isinstance(tuning, dict) and tuning.get("scope") == "first-split"
            searched = tuning is not None and not (once and row.split)
            group = Group(row.dataset, row.method, searched)
            if group in new:
                found[group].append(row)
        for group, rows in found.items():
            times, cell = past_times(rows), self._groups[group]
            if times is None:
                continue
            limit = cell.limits.time
            if times.is_least:
                is_higher = limit is None or limit > max(times.seconds)
                least[group.dataset, group.method] = is_higher
            if takes_least or not times.is_least:
                self.observe(cell, *(min(each, limit or math.inf) for each in times.seconds))
        return least

    def observe(self, cell: Cell, *seconds: float) -> None:
        """Update the estimates from the seconds of a cell, or of several of its group."""
        size = self.size(cell)
        for level in self._levels(cell):
            self._seen[level].setdefault(size, []).extend(seconds)

    def group(self, cell: Cell) -> Group:
        """Return the group of a cell, and remember a cell of it."""
        group = Group(cell.dataset, cell.method, cell.tuning is not None and cell.after is None)
        self._groups.setdefault(group, cell)
        return group

    def has_run(self, cell: Cell) -> bool:
        """Tell whether the estimate rests on cells of the same group."""
        return self.group(cell) in self._seen

    def seconds(self, cell: Cell) -> float | None:
        """Return the estimate, at most the limit; None as long as nothing has run."""
        for level in self._levels(cell):
            if level in self._seen:
                return min(_at(self.size(cell), self._seen[level]), cell.limits.time or math.inf)
        return None

    def remaining(self, counts: Mapping[Group, int]) -> RemainingWork | None:
        """Estimate the work that is left; None as long as nothing has run.

        Parameters
        ----------
        counts : mapping of Group to int
            The number of cells left in each group.
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
        """Return the size of a cell: rows x features x labels x fits, up to a constant."""
        facts, folds = self._facts[cell.dataset], cell.folds or 0
        models = len(cell.tuning.metrics if cell.tuning else cell.chosen_by) or 1
        fits = models * (1 + (folds if uses_held_out_scores(cell.threshold) else 0))
        fits += len(cell.tuning.grid) * folds if cell.tuning and cell.after is None else 0
        rows = cell.splitter.training_rows(facts)
        return 1e-8 * rows * max(facts.n_features, 10) * facts.n_columns * fits

    def in_order(self, cells: Iterable[Cell]) -> list[Cell]:
        """Order cells so that estimates are known early and no long cell is left for the end.

        A cell of each method on its smallest data comes first, then one of each group, then the
        longest cells. Cells that wait for another cell's search come last.
        """
        cells = list(cells)
        smallest: dict[str, Cell] = {}
        for cell in cells:
            least = smallest.get(cell.method)
            if cell.after is None and (least is None or self.size(cell) < self.size(least)):
                smallest[cell.method] = cell
        new = {
            self.group(cell): cell for cell in reversed(cells) if self.group(cell) not in self._seen
        }

        def rank(cell: Cell) -> tuple[bool, int, float]:
            known = cell.method in self._seen
            stage = 0 if smallest.get(cell.method) is cell and not known else 1
            stage = 2 if stage and new.get(self.group(cell)) is not cell else stage
            return cell.after is not None, stage, -(self.seconds(cell) or self.size(cell))

        return sorted(cells, key=rank)

    def shortest_first(self, cells: Iterable[Cell], turn: int) -> list[Cell]:
        """Order cells by their estimates; groups of which none has finished come last, by turns.

        So a cell that is longer than the limit of its task keeps no other from running for ever.

        Parameters
        ----------
        cells : iterable of Cell
        turn : int
            How often the run was interrupted before.
        """
        cells = list(cells)
        unknown = [*dict.fromkeys(self.group(cell) for cell in cells if not self.has_run(cell))]
        places = {group: (i - turn) % len(unknown) for i, group in enumerate(unknown)}

        def rank(cell: Cell) -> tuple[bool, int, float]:
            place = places.get(self.group(cell), -1)
            return cell.after is not None, place, self.seconds(cell) or self.size(cell)

        return sorted(cells, key=rank)

    def _levels(self, cell: Cell) -> tuple[Hashable, ...]:
        """Return the sets of cells to compare a cell with, the most similar first."""
        return self.group(cell), cell.method, (cell.planned_method.use,), ()


def _at(size: float, seen: Mapping[float, list[float]]) -> float:
    """Interpolate log time over log size; beyond the ends, time grows as size ** `GROWTH`."""
    sizes = np.array(sorted(seen))
    seconds = np.array([max(fmean(seen[each]), 1e-3) for each in sizes])
    near = float(np.clip(size, sizes[0], sizes[-1]))
    between = np.exp(np.interp(np.log(near), np.log(sizes), np.log(seconds)))
    return float(between * (size / near) ** GROWTH)


def memory_need(cell: Cell, facts: DatasetFacts) -> MemoryNeed:
    """Sum the arrays that the cell's method declares, and the features that a step makes dense.

    Where they depend on a parameter that is searched, the largest need counts. Arrays that a method
    does not declare, such as those of a user's model, are not counted.
    """
    training = cell.splitter.training_rows(facts)
    dense = [(_FEATURES, facts.n_samples)] if "dense" in cell.steps else []
    needs = [
        _need([*dense, *((array, training) for array in arrays)], facts)
        for arrays in cell.planned_method.large_arrays or [()]
    ]
    return max(needs, key=lambda need: need.gigabytes)


def quadratic_rows(cell: Cell, facts: DatasetFacts) -> int:
    """Return the training rows of a cell whose time grows with their square, or 0 of others.

    It does if the method declares an array with a row and a column for each of them.
    """
    training = cell.splitter.training_rows(facts)
    arrays = chain.from_iterable(cell.planned_method.large_arrays)
    return training * any(each.is_quadratic(training, facts.n_features) for each in arrays)


def _need(arrays: Iterable[tuple[LargeArray, int]], facts: DatasetFacts) -> MemoryNeed:
    """Sum arrays, each with its number of rows."""
    total, words = 0.0, []
    for array, n in arrays:
        rows, columns = array.shape(n, facts.n_features, facts.n_columns, facts.n_labelsets)
        if array.copies * rows * columns == 0:
            continue
        total += 8e-9 * array.copies * rows * columns  # 8 bytes per float64
        times = f"{array.copies} x " if array.copies > 1 else ""
        words.append(f"{times}{array.name} ({rows:,} x {columns:,})")
    return MemoryNeed(total, ", ".join(words))
