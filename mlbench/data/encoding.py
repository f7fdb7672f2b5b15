"""Encoding decoded cells as features and labels."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix, hstack, issparse

from mlbench.data.dataset import Dataset
from mlbench.data.labels import truth_values, unknown_labels_note
from mlbench.data.table import Attribute, Cells, RawTable
from mlbench.errors import DataError
from mlbench.solvers.arrays import Floats
from mlbench.spelling import did_you_mean

_ID_NAME = re.compile(
    r"(^|[^A-Za-z])(id|idx|index|key|uid|row|rowid|record|instance)$|I[Dd]$", re.I
)
TEXT = "text or dates"
"""Why columns of short texts are left out."""
_IGNORED = "listed under `ignore`"
_ROW_ID = "a different value in every row, like a row id; `row_ids: keep` keeps it"
_MAX_NAMES = 5
_ENOUGH_ROWS = 20
_MAX_CELLS = 1_000_000_000


@dataclass(frozen=True)
class Encoding:
    """How to treat attributes that cannot be used unchanged."""

    missing: Literal["refuse", "keep"] = "refuse"
    """``refuse`` (the default): a missing value is an error. ``keep``: it stays NaN, to be imputed
    by a preprocessing step that is fitted on training parts only. Imputing here would use the test
    parts.
    """
    row_ids: Literal["refuse", "keep"] = "refuse"
    """``refuse`` (the default): an attribute that numbers the rows is not used as a feature."""
    ignore: tuple[str, ...] = field(default=())
    """Names of attributes not to use as features."""
    numeric: tuple[str, ...] = field(default=())
    """Names of nominal attributes whose values are numbers, each to be used as one number."""


def encode(table: RawTable, encoding: Encoding, name: str) -> Dataset:
    """Encode a table as a data set.

    A numeric attribute becomes one feature. A nominal one whose values are true and false (see
    `truth_values`) becomes one 0/1 feature, any other nominal one a 0/1 feature ``attribute=value``
    for each listed value. A missing nominal cell that is kept is NaN in all its features. Text and
    row ids are left out, and named. Sparse tables stay sparse.

    Raises
    ------
    DataError
        If there are missing values and `encoding` refuses them, if an attribute that is to be
        numeric has a value that is no number, or if no feature is left.
    """
    if encoding.numeric:
        table = _with_numbers(table, encoding.numeric, name)
    if table.known is not None and not table.known.any():
        raise DataError(f"{name}: every label of every row is missing; nothing can be learned")
    used, left_out = _usable(table, encoding, name)
    if not used and table.texts is None:
        raise DataError(
            f"{name}: no attribute is left to use as a feature"
            + (f"; left out {left_out}" if left_out else "")
        )
    attributes = [table.attributes[j] for j in used]
    cells = table.cells if len(used) == len(table.attributes) else table.cells[:, used]
    if encoding.missing == "refuse":
        _refuse_missing(cells, attributes, name)
    width = sum(width_of(attribute) for attribute in attributes)
    if not issparse(cells) and width * cells.shape[0] > _MAX_CELLS:
        widest = max(attributes, key=width_of)
        raise DataError(
            f"{name}: one-hot encoding gives {width} features for {cells.shape[0]} rows, too many "
            f"for memory; {widest.name!r} alone has {len(widest.values)} values: "
            f"leave it out with `ignore: [{widest.name}]`"
        )
    X = _encode_sparse(cells, attributes) if issparse(cells) else _encode_dense(cells, attributes)
    return Dataset(
        name=name,
        X=X,
        Y=table.Y,
        label_names=table.label_names,
        feature_names=tuple(f for attribute in attributes for f in _feature_names(attribute)),
        tasks=table.tasks,
        task_names=table.task_names,
        published_train=None if table.n_train is None else np.arange(table.n_train),
        notes=(
            *unknown_labels_note(table.known, table.label_names),
            *_empty_features_note(cells, attributes),
        ),
        known=table.known,
        left_out=left_out,
        attributes=tuple(attributes) if any(each.kind == "nominal" for each in attributes) else (),
        texts=table.texts,
    )


def _with_numbers(table: RawTable, names: Sequence[str], source: str) -> RawTable:
    """Return a table in which the nominal attributes of these names are numeric."""
    columns = {attribute.name: j for j, attribute in enumerate(table.attributes)}
    attributes = list(table.attributes)
    cells = table.cells.tolil(copy=True) if issparse(table.cells) else table.cells.copy()
    for name in names:
        if name not in columns:
            what = f"no attribute named {name!r}{did_you_mean(name, columns)}"
            if name in table.label_names:
                what = f"{name!r} is a label; name another column"
            elif name in table.text_columns:
                what = f"{name!r} is also in text; keep one of them"
            raise DataError(f"{source}: numeric: {what}", "numeric")
        attribute = attributes[j := columns[name]]
        if attribute.kind == "numeric":
            continue
        numbers = _numbers(attribute, source)
        positions = cells[:, [j]].toarray()[:, 0] if issparse(cells) else cells[:, j]
        known = ~np.isnan(positions)
        column = np.full(positions.size, np.nan)
        column[known] = numbers[positions[known].astype(np.int64)]
        cells[:, j] = column[:, None] if issparse(cells) else column
        attributes[j] = Attribute(name)
    cells = cells.tocsr() if issparse(cells) else cells
    return replace(table, attributes=tuple(attributes), cells=cells)


def _numbers(attribute: Attribute, source: str) -> Floats:
    """Return the number that each value of a nominal attribute is."""
    try:
        numbers = np.array([float(value) for value in attribute.values])
    except ValueError:
        numbers = np.array([np.nan])
    if attribute.kind == "text" or not np.isfinite(numbers).all():
        shown = ", ".join(attribute.values[:8]) or "text"
        raise DataError(
            f"{source}: numeric: the values of {attribute.name!r} are {shown}; "
            "only categories that are written as numbers can be numeric",
            "numeric",
        )
    return numbers


def _empty_features_note(cells: Cells, attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """Return which features have no value in any row, as a note."""
    if issparse(cells):
        return ()
    is_empty = np.isnan(cells).all(axis=0)
    empty = [each.name for each, none in zip(attributes, is_empty, strict=True) if none]
    return (f"{_listed(empty)} has no value in any row.",) if empty else ()


def _usable(table: RawTable, encoding: Encoding, name: str) -> tuple[list[int], str]:
    """Return the columns to use, and in words how many others there are, which, and why."""
    known = [attribute.name for attribute in table.attributes]
    for unknown in set(encoding.ignore) - set(known):
        texts = () if table.texts is None else table.texts.names
        use = "a label" if unknown in table.label_names else "text" if unknown in texts else ""
        raise DataError(
            f"{name}: ignore: {unknown!r} is {use}, and only features can be ignored"
            if use
            else f"{name}: ignore: no feature named {unknown!r}{did_you_mean(unknown, known)}",
            "ignore",
        )
    ids = set(_row_ids(table)) if encoding.row_ids == "refuse" else set()
    used: list[int] = []
    others: dict[str, list[str]] = {_IGNORED: [], TEXT: [], _ROW_ID: []}
    for j, attribute in enumerate(table.attributes):
        if attribute.name in encoding.ignore:
            others[_IGNORED].append(attribute.name)
        elif attribute.kind == "text":
            others[TEXT].append(attribute.name)
        elif j in ids:
            others[_ROW_ID].append(attribute.name)
        else:
            used.append(j)
    words = "; ".join(f"{_listed(names)} ({why})" for why, names in others.items() if names)
    number = len(known) - len(used)
    columns = len(known) + (0 if table.texts is None else len(table.texts.names))
    return used, f"{number} of {columns} columns: {words}" if number else ""


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(map(repr, names[:_MAX_NAMES])) + more


def _row_ids(table: RawTable) -> list[int]:
    """Return the columns that look like row ids: all values differ within each part.

    A numeric column must also number the rows without gaps, or be named like an id. With few rows
    the name is always required, because the values may differ by chance.
    """
    n = table.Y.shape[0]
    # The rows of part p are bounds[p] to bounds[p + 1] - 1. Row ids may start again in each part.
    bounds = [0, n] if not table.n_train else [0, table.n_train, n]
    filled = np.diff(table.cells.tocsc().indptr) if issparse(table.cells) else None
    found = []
    for j, attribute in enumerate(table.attributes):
        named = _ID_NAME.search(attribute.name) is not None
        nominal = attribute.kind == "nominal"
        largest = max(np.diff(bounds))
        if (
            attribute.kind == "text"
            or n < (2 if named else _ENOUGH_ROWS)
            or (nominal and len(attribute.values) < largest)
            # Values differ within a part, so at most one of them is 0. A sparse column then stores
            # at least n minus the number of parts, len(bounds) - 1.
            or (filled is not None and filled[j] < n - len(bounds) + 1)
        ):
            continue
        column = table.cells[:, [j]].toarray()[:, 0] if filled is not None else table.cells[:, j]
        if np.isnan(column).any() or (not nominal and (column != np.floor(column)).any()):
            continue
        # m different whole numbers have no gaps if and only if max - min = m - 1.
        parts = [column[a:b] for a, b in pairwise(bounds) if b > a]
        if all(np.unique(part).size == part.size for part in parts) and (
            nominal or named or all(np.ptp(part) == part.size - 1 for part in parts)
        ):
            found.append(j)
    return found


def _refuse_missing(cells: Cells, attributes: Sequence[Attribute], name: str) -> None:
    if issparse(cells):
        counts = np.bincount(cells.indices[np.isnan(cells.data)], minlength=cells.shape[1])
    else:
        counts = np.isnan(cells).sum(axis=0)
    having = np.flatnonzero(counts)
    if having.size:
        worst = int(counts.argmax())
        values = "1 missing value" if counts[worst] == 1 else f"{counts[worst]} missing values"
        others = f" ({having.size} attributes have some)" if having.size > 1 else ""
        raise DataError(
            f"{name}: attribute {attributes[worst].name!r} has {values}{others}; "
            "keep them with `missing: keep` next to `use:` (in `mlbench data add`: `--set "
            "missing=keep`, in Python: missing='keep') and add the step `impute`, fitted on "
            f"training parts only, or leave the attribute out with `ignore: "
            f"[{attributes[worst].name}]`"
        )


def width_of(attribute: Attribute) -> int:
    """Return how many features an attribute is encoded as."""
    return len(attribute.values) if _is_one_hot(attribute) else 1


def _is_one_hot(attribute: Attribute) -> bool:
    return attribute.kind == "nominal" and truth_values(attribute.values) is None


def _feature_names(attribute: Attribute) -> list[str]:
    if not _is_one_hot(attribute):
        return [attribute.name]
    return [f"{attribute.name}={value}" for value in attribute.values]


def _is_unchanged(attribute: Attribute) -> bool:
    """Whether the cell is the feature: a number, or a position that equals the truth value."""
    if attribute.kind != "nominal":
        return True
    truth = truth_values(attribute.values)
    return truth is not None and bool((truth == np.arange(truth.size)).all())


def _encode_dense(cells: Floats, attributes: Sequence[Attribute]) -> Floats:
    if all(_is_unchanged(attribute) for attribute in attributes):
        return cells + 0.0  # turns -0 into 0, so that equal values have equal bytes
    X = np.empty((cells.shape[0], sum(width_of(attribute) for attribute in attributes)))
    # Attribute j fills the columns from the sum of the widths before it.
    start = 0
    for j, attribute in enumerate(attributes):
        stop = start + width_of(attribute)
        X[:, start:stop] = _encode_column(cells[:, j], attribute)
        start = stop
    return X + 0.0


def _encode_sparse(cells: csr_matrix, attributes: Sequence[Attribute]) -> csr_matrix:
    special = [j for j, attribute in enumerate(attributes) if not _is_unchanged(attribute)]
    columns = cells.tocsc() if special else cells
    blocks, start = [], 0
    # Columns between two special ones, start to j - 1, are copied as one block.
    for j in special:
        blocks += [columns[:, start:j]] if j > start else []
        column = columns[:, [j]].toarray()[:, 0]
        blocks.append(csc_matrix(_encode_column(column, attributes[j])))
        start = j + 1
    blocks += [columns[:, start:]] if start < len(attributes) else []
    X = csr_matrix(hstack(blocks, format="csr") if special else columns, dtype=np.float64)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _encode_column(column: Floats, attribute: Attribute) -> Floats:
    """Return the (n, width) features of one attribute."""
    if attribute.kind != "nominal":
        return column[:, None]
    truth = truth_values(attribute.values)
    # Row c of the table holds the features of code c: a unit vector, or the truth value.
    table = np.eye(len(attribute.values)) if truth is None else truth[:, None].astype(np.float64)
    # NaN cannot be an index: look up row 0 there, then overwrite it.
    missing = np.isnan(column)
    features: Floats = table[np.where(missing, 0, column).astype(np.int64)]
    features[missing] = np.nan
    return features
