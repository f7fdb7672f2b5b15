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
    """(n,) int array or None: the task of each sample, where each belongs to one."""
    rows: Indices
    """(n,) int array: the rows of the data set behind the samples."""
    known: Flags | None = None
    """(n,) bool array or None: whose truth is known, where that of some is not."""
    repeats_rows: bool = False
    """Whether a row is there once for each of its known labels; preparation sees it once."""

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
