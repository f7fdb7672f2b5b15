"""A pair of CSV files with header lines: features in one, 0/1 labels in the other."""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mlbench.data.files import read_lines
from mlbench.data.label_columns import LabelsNotChosenError, columns_are
from mlbench.data.labels import Labels, labels_from
from mlbench.data.readers.format import Format, needed
from mlbench.data.readers.text_cells import (
    TextRows,
    check_column_names,
    decode_columns,
    nominal_option,
    read_rows,
)
from mlbench.data.table import Attribute, RawTable
from mlbench.errors import DataError

_PAIRS = (("X", "Y"), ("features", "labels"), ("x", "y"))


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``features`` and ``labels``: the same rows in the same order, with header lines.

    Options: ``delimiter`` (``,``) and ``nominal`` (the names of feature columns that hold
    categories).

    Raises
    ------
    DataError
        If a file is damaged, if the numbers of rows differ, or if a label is neither 0 nor 1.
    """
    delimiter = options.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise DataError(f"delimiter is {delimiter!r}; it must be one character")
    nominal = nominal_option(options.get("nominal", []))
    features = read_rows(needed(files, "features", "the CSV file of features"), delimiter, 1)
    labels = read_rows(needed(files, "labels", "the CSV file of labels"), delimiter, 1)
    if len(features.rows) != len(labels.rows):
        raise DataError(
            f"{features.path} has {len(features.rows)} rows, but {labels.path.name} has "
            f"{len(labels.rows)}; both must have the same rows in the same order"
        )
    attributes, cells = decode_columns(features, features.rows, _header(features), nominal)
    names = _header(labels)
    found = _labels(labels, names)
    return RawTable(attributes, cells, found.Y, found.names, found.known)


def _header(text: TextRows) -> list[str]:
    names = text.skipped[0] if text.skipped else []
    width = len(text.rows[0])
    if len(names) != width:
        raise DataError(
            f"{text.path}:1: the header has {len(names)} names, but the rows have {width} values"
        )
    if names[0] == "" and "" not in names[1:]:
        raise DataError(
            f"{text.path}:1: the first column has no name, like the index that pandas writes; "
            "write the file with `to_csv(..., index=False)`"
        )
    check_column_names(names, f"{text.path}:1")
    return names


def _labels(text: TextRows, names: list[str]) -> Labels:
    _, cells = decode_columns(text, text.rows, names, frozenset())
    wrong = ~np.isin(cells, (0.0, 1.0)) & ~np.isnan(cells)
    if wrong.any():
        i, j = (int(index[0]) for index in np.nonzero(wrong))
        raise DataError(
            f"{text.path}:{text.line_numbers[i]}: {text.rows[i][j][:60]!r} for label {names[j]!r}; "
            "a label must be 0 or 1, or `?` if it is unknown"
        )
    return labels_from(cells, [Attribute(name) for name in names], str(text.path))


def features_in(folder: Path) -> Path:
    """Return the features file of the pair in a folder.

    Raises
    ------
    DataError
        If the folder has no such pair.
    """
    for left, right in _PAIRS:
        if (folder / f"{left}.csv").is_file() and (folder / f"{right}.csv").is_file():
            return folder / f"{left}.csv"
    raise DataError(
        f"{folder}: this folder does not contain X.csv and Y.csv (or features.csv and labels.csv); "
        "give the path of a file"
    )


def _find(path: Path) -> dict[str, Path]:
    """Return a pair: ``X.csv`` and ``Y.csv``, ``a-features.csv`` and ``a-labels.csv``, ..."""
    wanted = []
    for left, right in _PAIRS:
        head, found, tail = path.name.rpartition(left)
        if found and not tail.lower().strip(".cvsgzb2"):
            wanted.append(path.with_name(head + right + tail))
    for candidate in wanted:
        if candidate.is_file():
            return {"features": path, "labels": candidate}
    names = " or ".join(candidate.name for candidate in wanted) or "Y.csv next to X.csv"
    columns = [name.strip() for name in next(csv.reader(read_lines(path)), [])]
    raise LabelsNotChosenError(
        f"{path}: no file with the labels next to it (looked for {names}). If they are "
        "columns of this file, choose them with `label_columns` (or `class_column`, if one column "
        f"contains the class); {columns_are(columns)}",
        columns,
    )


FORMAT = Format(
    read,
    options=frozenset({"delimiter", "nominal"}),
    suffixes=(".csv",),
    find=_find,
    role="features",
    labels_suffix=".csv",
)
