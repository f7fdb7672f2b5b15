"""What splitters need to know of a data set, whatever format it came in."""

from __future__ import annotations

from typing import Protocol

from mlbench.protocol.arrays import Indices
from mlbench.solvers.arrays import Flags, Ints, Matrix


class Data(Protocol):
    """A data set in memory."""

    @property
    def name(self) -> str:
        """One of the axes of all random draws."""

    @property
    def X(self) -> Matrix:  # noqa: N802 - a matrix
        """(n, d) features."""

    @property
    def Y(self) -> Ints:  # noqa: N802 - a matrix
        """(n, k) labels, 0 or 1."""

    @property
    def tasks(self) -> Ints | None:
        """(n,) task of each row, where each belongs to one."""

    @property
    def known(self) -> Flags | None:
        """(n, k) which labels are known, where some are not."""

    @property
    def published_train(self) -> Indices | None:
        """Rows of the published training part, where there is one."""
