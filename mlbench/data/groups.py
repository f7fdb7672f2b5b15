"""Groups of rows that belong together, as numbers."""

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import DataError
from mlbench.solvers.arrays import Ints


def numbered_groups(groups: ArrayLike, source: str) -> Ints:
    """Return the number of the group of each row, in the order in which groups first occur.

    Raises
    ------
    DataError
        If there are several values for a row, or none.
    """
    values = np.asarray(groups)
    if values.ndim != 1:
        raise DataError(
            f"{source}: groups have the shape {values.shape}; one value a row is needed"
        )
    numbers: dict[object, int] = {}
    for row, value in enumerate(values.tolist()):
        if value is None or value != value or value == "":
            raise DataError(f"{source}: row {row + 1} has no group; each row needs one")
        numbers.setdefault(value, len(numbers))
    return np.array([numbers[value] for value in values.tolist()], dtype=np.int64)
