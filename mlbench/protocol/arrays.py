"""The types that the protocol's functions share."""

from __future__ import annotations

from typing import NamedTuple

from mlbench.solvers.arrays import Flags, Ints, Matrix

Indices = Ints
"""Numbers of rows or samples."""
Point = dict[str, object]
"""Parameters of one candidate of a grid, by name."""


class Part(NamedTuple):
    """The training or the test part of a split.

    Attributes
    ----------
    X : (n, d) array or CSR matrix
    Y : (n, k) int array of 0/1
    tasks : (n,) int array or None
        The task of each sample, where each belongs to one.
    rows : (n,) int array
        The rows of the data set behind the samples.
    known : (n,) bool array or None
        Whose truth is known, where that of some is not.
    """

    X: Matrix
    Y: Ints
    tasks: Ints | None
    rows: Indices
    known: Flags | None = None

    def take(self, samples: Indices) -> Part:
        """Return some of the samples."""
        tasks, known = self.tasks, self.known
        return Part(
            self.X[samples],
            self.Y[samples],
            None if tasks is None else tasks[samples],
            self.rows[samples],
            None if known is None else known[samples],
        )
