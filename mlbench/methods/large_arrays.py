"""The large arrays of a fit: a method declares them, so that a plan can estimate memory."""

from typing import NamedTuple


class LargeArray(NamedTuple):
    """Arrays of float64 that a fit holds at once, in addition to the data."""

    name: str
    rows: str
    columns: str
    """``n`` for the training rows, ``d`` for the features, ``m`` for the smaller of both, ``t`` for
    the features where there are no more than rows, and else 0; ``k`` for the labels or tasks, ``c``
    for the distinct labelsets, ``b`` for the training rows that carry a basis function.
    """
    copies: int = 1
    """0 if it is computed in blocks, which takes time alone."""
    share: float = 1.0
    """The share of the columns that is held."""
    basis: int | None = None
    """How many training rows carry a basis function at most; None for all."""

    def is_quadratic(self, n: int, d: int) -> bool:
        """Tell whether it grows with the square of n training rows of d features."""
        return {self.rows, self.columns} <= ({"n", "m"} if n <= d else {"n"})

    def shape(self, n: int, d: int, k: int, c: int) -> tuple[int, int]:
        """Return the shape for n training rows, d features, k labels, and c labelsets."""
        sizes = {"n": n, "d": d, "m": min(n, d), "t": d if d <= n else 0, "k": k, "c": min(c, n)}
        sizes["b"] = n if self.basis is None else min(self.basis, n)
        return sizes[self.rows], round(self.share * sizes[self.columns])


EIGENBASIS = (
    LargeArray("Gram matrix", "m", "m", 2),
    LargeArray("left singular vectors", "n", "m"),
)
SINGULAR_VECTORS = (*EIGENBASIS, LargeArray("right singular vectors", "d", "m", 2))
GRAM_INVERSE = (LargeArray("Gram matrix", "m", "m", 4),)
DISTANCES = (LargeArray("distances", "n", "n", 0),)
KERNEL_MATRIX = (LargeArray("kernel matrix", "n", "n", 4),)
HESSIAN = (LargeArray("Hessian", "t", "t", 6),)
CUTS = (LargeArray("cuts", "k", "d", 325),)
"""A pool for 130 cuts of each label, while it grows by half."""

LABELSET_COEFFICIENTS = (LargeArray("coefficients of labelsets", "c", "d", 36),)
"""L-BFGS holds ten pairs of steps and gradients, twice over."""


def kernel_basis(n_basis: int | None) -> tuple[LargeArray, ...]:
    """Return the arrays of a fit in some kernel functions at training rows; None for all rows."""
    if n_basis is None:
        return KERNEL_MATRIX
    return (
        LargeArray("kernel matrix", "n", "b", 2, basis=n_basis),
        LargeArray("Gram matrix of the basis", "b", "b", 3, basis=n_basis),
    )
