"""How much memory the arrays of a cell take, known before anything runs."""

from __future__ import annotations

from typing import NamedTuple

from mlbench.dataset_facts import DatasetFacts
from mlbench.methods.large_arrays import LargeArray
from mlbench.plan.cells import Cell

_FEATURES = LargeArray("dense features", "n", "d", 2)
"""Both parts, and the copy of a method."""


class MemoryNeed(NamedTuple):
    """An estimate of what a cell needs beside its sparse data."""

    gigabytes: float
    basis: str
    """The arrays that it rests on, with their shapes."""


def memory_need(cell: Cell, facts: DatasetFacts) -> MemoryNeed:
    """Add up the arrays that the cell's method declares, and features that a step makes dense.

    Arrays whose size no method declares do not count, such as a model of the user.
    """
    d, training = facts.n_features, cell.splitter.training_rows(facts)
    dense = [(_FEATURES, facts.n_samples)] if "dense" in cell.steps else []
    arrays = [*dense, *((array, training) for array in cell.recipe.large_arrays)]
    total, words = 0.0, []
    for array, n in arrays:
        rows, columns = array.shape(n, d, facts.n_columns, facts.n_labelsets)
        if rows * columns == 0:
            continue
        total += 8e-9 * array.copies * rows * columns
        times = f"{array.copies} x " if array.copies > 1 else ""
        words.append(f"{times}{array.name} ({rows:,} x {columns:,})")
    return MemoryNeed(total, ", ".join(words))
