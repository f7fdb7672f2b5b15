"""The output of a reader: the cells of a file, decoded but not yet encoded as features."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from mlbench.data.texts import Texts
from mlbench.errors import DataError
from mlbench.solvers.arrays import Flags, Floats, Ints

Cells: TypeAlias = Any
"""(n, d) float64 ndarray or csr_matrix."""


@dataclass(frozen=True)
class Attribute:
    """A column of a file.

    A numeric cell is its number, a nominal cell the position of its value in `values`, and a
    missing cell NaN. Text (strings, dates) is not kept here: its cells are 0, or NaN if missing.
    """

    name: str
    kind: Literal["numeric", "nominal", "text"] = "numeric"
    values: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class RawTable:
    """The stacked parts of a data set, with the published training part, if any, first."""

    attributes: tuple[Attribute, ...]
    """The features, d of them, before any one-hot encoding."""
    cells: Cells
    """(n, d) float64, ndarray or csr_matrix: see `Attribute`. In a sparse table an omitted cell is
    0, which is the first value of a nominal attribute, as in ARFF.
    """
    Y: Ints
    """(n, k) int64, 0 or 1."""
    label_names: tuple[str, ...]
    known: Flags | None = None
    """(n, k) bool: which labels are known, or None if all are. An unknown label is 0 in Y."""
    tasks: Ints | None = None
    task_names: tuple[str, ...] = ()
    texts: Texts | None = None
    """Columns that were chosen to be used as text; they are no attributes."""
    n_train: int | None = None
    """Number of rows of the published training part, or None if there are no such parts."""

    @property
    def n_columns(self) -> int:
        """Attributes and text columns."""
        return len(self.attributes) + len(self.text_columns)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The names of the columns that are used as text."""
        return () if self.texts is None else self.texts.names


def numeric_attributes(names: Sequence[str]) -> tuple[Attribute, ...]:
    """Return a numeric attribute for each name."""
    return tuple(Attribute(name) for name in names)


def numbered(prefix: str, count: int) -> tuple[str, ...]:
    """Return ``prefix1`` ... for columns without names."""
    return tuple(f"{prefix}{i}" for i in range(1, count + 1))


def without_attribute(table: RawTable, name: str) -> RawTable:
    """Return a table without one of its attributes."""
    kept = [j for j, attribute in enumerate(table.attributes) if attribute.name != name]
    attributes = tuple(table.attributes[j] for j in kept)
    return replace(table, attributes=attributes, cells=table.cells[:, kept])


def stack_parts(train: RawTable, test: RawTable, files: str) -> RawTable:
    """Stack a training and a test part that have the same columns.

    Raises
    ------
    DataError
        If the columns differ; the message starts with `files` and names the first difference.
    """
    ours, theirs = [a.name for a in train.attributes], [a.name for a in test.attributes]
    for kind, left, right in (
        ("attributes", ours, theirs),
        ("labels", list(train.label_names), list(test.label_names)),
    ):
        if len(left) != len(right):
            raise DataError(
                f"{files}: the training part has {len(left)} {kind}, the test part {len(right)}; "
                "both must have the same columns"
            )
        if left != right:
            i = next(
                i for i, pair in enumerate(zip(left, right, strict=True)) if len(set(pair)) > 1
            )
            raise DataError(
                f"{files}: number {i + 1} of the {kind} is {left[i]!r} in the training part, but "
                f"{right[i]!r} in the test part; both must have the same columns in the same order"
            )
    attributes, recoded = _common_values(train.attributes, test, files)
    sparse = issparse(train.cells) and issparse(recoded)
    both = [train.cells, recoded]
    cells = csr_matrix(vstack(both)) if sparse else np.vstack([_dense(part) for part in both])
    return replace(
        train,
        attributes=attributes,
        cells=cells,
        Y=np.vstack([train.Y, test.Y]),
        known=stacked_known([(train.Y, train.known), (test.Y, test.known)], axis=0),
        n_train=train.Y.shape[0],
    )


def stacked_known(parts: Sequence[tuple[Ints, Flags | None]], axis: Literal[0, 1]) -> Flags | None:
    """Return which labels are known in stacked parts, given as Y and `RawTable.known`."""
    if all(known is None for _, known in parts):
        return None
    flags = [np.ones(Y.shape, dtype=bool) if known is None else known for Y, known in parts]
    return np.concatenate(flags, axis=axis)


def _dense(cells: Cells) -> Floats:
    dense: Floats = cells.toarray() if issparse(cells) else cells
    return dense


def _common_values(
    ours: tuple[Attribute, ...], test: RawTable, files: str
) -> tuple[tuple[Attribute, ...], Cells]:
    """Merge the values of each nominal attribute of both parts, and recode the test part."""
    differing = [j for j, (a, b) in enumerate(zip(ours, test.attributes, strict=True)) if a != b]
    if not differing:
        return ours, test.cells
    attributes = list(ours)
    cells = test.cells.tolil() if issparse(test.cells) else test.cells.copy()
    for j in differing:
        mine, theirs = ours[j], test.attributes[j]
        if mine.kind != theirs.kind:
            raise DataError(
                f"{files}: attribute {mine.name!r} is {mine.kind} in the training part and "
                f"{theirs.kind} in the test part; it must be the same in both"
            )
        values = tuple(dict.fromkeys([*mine.values, *theirs.values]))
        attributes[j] = replace(mine, values=values)
        position = np.array([values.index(value) for value in theirs.values], dtype=np.float64)
        column = cells[:, [j]].toarray()[:, 0] if issparse(cells) else cells[:, j]
        known = ~np.isnan(column)
        column[known] = position[column[known].astype(np.int64)]
        cells[:, j] = column[:, None] if issparse(cells) else column
    return tuple(attributes), csr_matrix(cells) if issparse(cells) else cells
