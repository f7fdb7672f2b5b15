"""Cells dealt out to jobs that know nothing of each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError
from mlbench.hashing import digest
from mlbench.plan.cells import Cell
from mlbench.plan.cost import CostModel


@dataclass(frozen=True)
class Shard:
    """Part ``number`` of ``count``, counted from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``3/16``.

        Raises
        ------
        ConfigError
            If it is not two whole numbers, the first from 1 to the second.
        """
        found = re.fullmatch(r"\s*([0-9]{1,6})\s*/\s*([0-9]{1,6})\s*", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise ConfigError(
                f"--shard {text}: give the number of the part and of all parts, from 1/16 to 16/16"
            )
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def cells_of_shard(
    cells: Sequence[Cell], shard: Shard, facts: Mapping[str, DatasetFacts]
) -> list[Cell]:
    """Return the cells of one shard, in the plan's order.

    All jobs come to the same division, whenever they start, for it depends on the plan alone and
    not on what has run. Cells that share a search stay together, so that none waits for another
    job. Each method is dealt out by itself, its largest cells first, each to the shard that has
    least of that method: a method that is added moves no cell of another. Which shard begins
    differs from method to method, so that none gets the remainders of all.

    Parameters
    ----------
    cells : sequence of Cell
        All cells of the plan.
    shard : Shard
    facts : mapping
        Facts about each data set, by its name in tables.
    """
    homes = shard_of_each(cells, shard.count, facts)
    return [cell for cell in cells if homes[cell.key] == shard.number]


def shard_of_each(
    cells: Sequence[Cell], count: int, facts: Mapping[str, DatasetFacts]
) -> dict[str, int]:
    """Return the number of the shard of each cell, counted from 1, by its key."""
    costs = CostModel(facts)
    methods: dict[str, dict[str, float]] = defaultdict(dict)
    units = {}
    for cell in cells:
        unit = cell.search or cell.key
        units[cell.key] = unit
        sizes = methods[_method(cell)]
        sizes[unit] = max(sizes.get(unit, 0.0), costs.size(cell))
    home: dict[str, int] = {}
    for method, sizes in methods.items():
        first = int(method[:8], 16) % count
        order = [(first + place) % count for place in range(count)]
        loads = dict.fromkeys(order, 0.0)
        for unit in sorted(sizes, key=lambda unit: (-sizes[unit], unit)):
            home[unit] = min(order, key=loads.__getitem__)
            loads[home[unit]] += sizes[unit]
    return {key: home[unit] + 1 for key, unit in units.items()}


def _method(cell: Cell) -> str:
    """Name a method by its search: the same on all data, and for all thresholds."""
    parts = ("method", "preprocess", "folds", "tuning")
    return digest({part: cell.identity[part] for part in parts})
