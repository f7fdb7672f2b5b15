"""Labels: the truth values of columns, and which of them are unknown."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from mlbench.data.table import Attribute, Cells, stacked_known
from mlbench.errors import DataError
from mlbench.number_text import row_from_one
from mlbench.solvers.arrays import Flags, Floats, Ints

_PAIRS = (
    ("0", "1"),
    ("no", "yes"),
    ("false", "true"),
    ("n", "y"),
    ("f", "t"),
    ("-1", "1"),
    ("-1", "+1"),
)
_WHOLE = re.compile(r"(?<=[0-9])\.0*$")


def truth_values(values: Sequence[str]) -> Ints | None:
    """Return the truth value (0 or 1) of each value of a binary attribute, or None.

    The order of the values does not matter: {1,0} gives [1, 0]. The recognized pairs are 0/1,
    no/yes, false/true, n/y, f/t and -1/+1, in lower or upper case; 1.0 is 1.
    """
    lower = [_WHOLE.sub("", value.strip().lower()) for value in values]
    for pair in _PAIRS:
        if set(lower) <= set(pair):
            return np.array([pair.index(value) for value in lower], dtype=np.int64)
    return None


class Labels(NamedTuple):
    """Labels that were read."""

    names: tuple[str, ...]
    Y: Ints
    """(n, k) int64, 0 or 1; an unknown label is 0."""
    known: Flags | None = None
    """(n, k) bool, or None if all are known."""


def labels_from(cells: Cells, attributes: Sequence[Attribute], source: str) -> Labels:
    """Return labels from the k columns of `cells`, coded by `truth_values`.

    A missing cell is an unknown label.

    Raises
    ------
    DataError
        If a label has a value that is neither true nor false.
    """
    dense: Floats = cells.toarray() if issparse(cells) else cells
    known = ~np.isnan(dense)
    Y = np.zeros(dense.shape, dtype=np.int64)
    for j, attribute in enumerate(attributes):
        column = dense[known[:, j], j]
        if attribute.kind == "nominal":
            truth = truth_values(attribute.values)
            if truth is None:
                shown = ", ".join(attribute.values[:8])
                raise DataError(
                    f"{source}: label {attribute.name!r} has the values {{{shown}}}; a label must "
                    "have two: {0,1}, {no,yes}, {false,true} or {-1,+1}"
                )
            Y[known[:, j], j] = truth[column.astype(np.int64)]
        elif attribute.kind == "numeric" and ((column == 0) | (column == 1)).all():
            Y[known[:, j], j] = column
        else:
            raise DataError(
                f"{source}: label {attribute.name!r} is {attribute.kind} and holds more than "
                "0 and 1; a label must be {0,1}"
            )
    names = tuple(attribute.name for attribute in attributes)
    return Labels(names, Y, None if known.all() else known)


def labels_side_by_side(blocks: Sequence[Labels]) -> Labels:
    """Return the labels of several blocks of columns of the same rows."""
    names = tuple(name for block in blocks for name in block.names)
    known = stacked_known([(block.Y, block.known) for block in blocks], axis=1)
    return Labels(names, np.hstack([block.Y for block in blocks]), known)


def unknown_labels_note(
    known: Flags | None, names: Sequence[str], rows: Ints | None = None
) -> tuple[str, ...]:
    """Return how many labels of rows are unknown, as a note; none if all are known.

    Parameters
    ----------
    known : (n, k) bool array or None
    names
        Of the k labels.
    rows : (n,) int array, optional
        The numbers of the rows, from 0; by default as they stand.
    """
    if known is None or known.all():
        return ()
    unknown = known.size - np.count_nonzero(known)
    row, label = divmod(int(known.argmin()), known.shape[1])
    number = row if rows is None else int(rows[row])
    return (
        f"{unknown} of {known.size} labels ({unknown / known.size:.2%}) "
        f"{'is' if unknown == 1 else 'are'} unknown{'' if unknown == 1 else ', first'}: "
        f"{names[label]!r} in {row_from_one(number)}.",
    )
