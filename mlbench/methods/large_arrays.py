"""The large arrays of a fit: declared by a method, so that plans tell how much memory it needs."""

from __future__ import annotations

from typing import NamedTuple


class LargeArray(NamedTuple):
    """Arrays of float64 that a fit holds at once, beside the data."""

    name: str
    rows: str
    columns: str
    """``n`` for the training rows, ``d`` for the features, ``m`` for the smaller of both."""
    copies: int = 1

    def shape(self, n: int, d: int) -> tuple[int, int]:
        """Return the shape for n training rows and d features."""
        sizes = {"n": n, "d": d, "m": min(n, d)}
        return sizes[self.rows], sizes[self.columns]


EIGENBASIS = (
    LargeArray("Gram matrix", "m", "m", 2),
    LargeArray("left singular vectors", "n", "m"),
)
SINGULAR_VECTORS = (*EIGENBASIS, LargeArray("right singular vectors", "d", "m", 2))
GRAM_INVERSE = (LargeArray("Gram matrix", "m", "m", 4),)
KERNEL_MATRIX = (LargeArray("kernel matrix", "n", "n", 4),)
