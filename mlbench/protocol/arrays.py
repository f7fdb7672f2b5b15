"""The types that the protocol's functions share."""

from __future__ import annotations

from typing import NamedTuple

from mlbench.solvers.arrays import Flags, Ints, Matrix

Indices = Ints
"""Numbers of rows or samples."""
Point = dict[str, object]
"""Parameters of one candidate of a grid, by name."""


class Part(NamedTuple):
    """The training or the test part of a split."""

    X: Matrix
    """(n, d) array or CSR matrix."""
    Y: Ints
    """(n, k) int array of 0/1."""
    tasks: Ints | None
    """(n,) int array: the task of each sample. None without tasks."""
    rows: Indices
    """(n,) int array: the row of the data set that each sample comes from."""
    known: Flags | None = None
    """(n,) bool array of samples whose truth is known, or None if all are."""
    repeats_rows: bool = False
    """Whether each known label of a row is a sample; preparation then sees the row once."""

    def take(self, samples: Indices) -> Part:
        """Return some of the samples."""
        tasks, known = self.tasks, self.known
        return Part(
            self.X[samples],
            self.Y[samples],
            None if tasks is None else tasks[samples],
            self.rows[samples],
            None if known is None else known[samples],
            self.repeats_rows,
        )
