"""The inverse of the data of the samples on the margin and the features in use, with updates.

Row e of the basis is y_e x_e on the features in use; its inverse has a row for each feature.
"""

from typing import NamedTuple

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled_sums

MIN_PIVOT = 1e-11
"""A pivot smaller than this, relative to its row or column, counts as 0."""


class Basis(NamedTuple):
    """The samples on the margin, the features in use, and the inverse of the data on both."""

    samples: Ints
    features: Ints
    inverse: Floats


@compiled_sums
def exchange(
    X: Floats,
    y: Floats,
    basis: Basis,
    size: int,
    leaving: int,
    blocking: int,
    joining: int,
    entering: int,
) -> int:
    """Change the basis and its inverse; return its size, or -1 if it would be singular.

    A sample leaves at place ``leaving`` or feature ``entering`` comes, and the feature at place
    ``blocking`` goes or sample ``joining`` comes.
    """
    # With the basis B, the row r of the joining sample and the column c of the entering feature:
    # by_row = r B^-1 and by_column = B^-1 c. Every case is an update of rank 1 of B^-1.
    samples, features, inverse = basis.samples, basis.features, basis.inverse
    by_row = np.zeros(size)
    by_column = np.zeros(size)
    if joining >= 0:
        for k in range(size):
            by_row += y[joining] * X[joining, features[k]] * inverse[k, :size]
    if entering >= 0:
        for k in range(size):
            for e in range(size):
                by_column[k] += inverse[k, e] * y[samples[e]] * X[samples[e], entering]
    if leaving >= 0 and joining >= 0:
        # A row of B is replaced: B^-1 - B^-1 e (by_row - e') / by_row_e, e being its place.
        pivot = by_row[leaving]
        if not abs(pivot) > MIN_PIVOT * np.abs(by_row).max():
            return -1
        by_row[leaving] -= 1.0
        for k in range(size):
            factor = inverse[k, leaving] / pivot
            inverse[k, :size] -= factor * by_row
        samples[leaving] = joining
        return size
    if entering >= 0 and blocking >= 0:
        # A column of B is replaced: B^-1 - (by_column - e) e'B^-1 / by_column_e.
        pivot = by_column[blocking]
        if not abs(pivot) > MIN_PIVOT * np.abs(by_column).max():
            return -1
        by_column[blocking] -= 1.0
        row = inverse[blocking, :size] / pivot
        for k in range(size):
            inverse[k, :size] -= by_column[k] * row
        features[blocking] = entering
        return size
    if leaving >= 0:
        # A row and a column of B go: the Schur complement of the pivot in B^-1 is left.
        pivot = inverse[blocking, leaving]
        if not abs(pivot) > MIN_PIVOT * np.abs(inverse[blocking, :size]).max():
            return -1
        row = inverse[blocking, :size] / pivot
        last = size - 1
        for k in range(size):
            if k != blocking:
                inverse[k, :size] -= inverse[k, leaving] * row
        inverse[blocking, :size] = inverse[last, :size]
        features[blocking] = features[last]
        for k in range(last):
            inverse[k, leaving] = inverse[k, last]
        samples[leaving] = samples[last]
        return last
    # B gets the row r and the column c. With s = r_c - r B^-1 c, the new inverse is
    # [[B^-1 + by_column by_row / s, -by_column / s], [-by_row / s, 1 / s]].
    corner = y[joining] * X[joining, entering]
    largest = abs(corner)
    for k in range(size):
        term = y[joining] * X[joining, features[k]] * by_column[k]
        largest = max(largest, abs(term))
        corner -= term
    if not abs(corner) > MIN_PIVOT * largest:
        return -1
    for k in range(size):
        factor = by_column[k] / corner
        inverse[k, :size] += factor * by_row
        inverse[k, size] = -factor
    inverse[size, :size] = -by_row / corner
    inverse[size, size] = 1.0 / corner
    features[size] = entering
    samples[size] = joining
    return size + 1


@compiled_sums
def invert(X: Floats, y: Floats, basis: Basis, size: int) -> bool:
    """Recompute the inverse; return whether it is finite."""
    samples, features = basis.samples, basis.features
    matrix = np.empty((size, size))
    for e in range(size):
        for k in range(size):
            matrix[e, k] = y[samples[e]] * X[samples[e], features[k]]
    fresh = np.linalg.inv(matrix)
    if not np.all(np.isfinite(fresh)):
        return False
    basis.inverse[:size, :size] = fresh
    return True
