"""Parts of a plan: shards for independent jobs, and those of some methods and data sets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapreplace

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError
from mlbench.hashing import digest
from mlbench.plan.cells import Cell, Plan
from mlbench.plan.cost import CostModel
from mlbench.spelling import chosen


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
            If the text is not two whole numbers, the first between 1 and the second.
        """
        found = re.fullmatch(r"\s*([0-9]{1,6})\s*/\s*([0-9]{1,6})\s*", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise ConfigError(
                f"--shard {text}: write PART/PARTS; for 16 parts they are 1/16 to 16/16"
            )
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(frozen=True)
class PartOfRun:
    """The cells that a run is for; by default all."""

    shard: Shard = Shard(1, 1)
    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    """Names in tables; none stand for all."""

    @property
    def is_whole(self) -> bool:
        """Whether it is all cells of any plan."""
        return self == PartOfRun()

    def of(self, plan: Plan) -> list[Cell]:
        """Return its cells, in the plan's order. The shards are those of the whole plan.

        Raises
        ------
        MlbenchError
            If a name is not in the experiment.
        """
        names = [each.display for each in plan.experiment.datasets]
        datasets = {*chosen("data set", self.datasets, names, "experiment")}
        methods = {*chosen("method", self.methods, [*plan.experiment.methods], "experiment")}
        return [
            cell
            for cell in cells_of_shard(plan.cells, self.shard, plan.facts)
            if cell.dataset in datasets and cell.method in methods
        ]


def cells_of_shard(
    cells: Sequence[Cell], shard: Shard, facts: Mapping[str, DatasetFacts]
) -> list[Cell]:
    """Return the cells of one shard, in the plan's order.

    The division depends on the plan alone, so all jobs agree on it whenever they start. Cells
    that share a search stay together, so that no job waits for another. The cells of each method
    are divided separately: the largest first, each to the shard that has least of that method.
    So adding a method moves no cell of another. The first shard differs from method to method,
    so that no shard gets all the remainders.

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
        loads = [(0.0, offset) for offset in range(count)]  # a heap: the least loaded is first
        for unit in sorted(sizes, key=lambda unit: (-sizes[unit], unit)):
            load, offset = loads[0]
            home[unit] = (first + offset) % count
            heapreplace(loads, (load + sizes[unit], offset))
    return {key: home[unit] + 1 for key, unit in units.items()}


def _method(cell: Cell) -> str:
    """Return a name of the method with its search; it does not depend on data or threshold."""
    parts = ("method", "preprocess", "folds", "tuning")
    return digest({part: cell.identity[part] for part in parts})
