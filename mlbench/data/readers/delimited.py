"""UCI text files: one row of numbers per sample, with the class in one column."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mlbench.data.frames import sorted_values
from mlbench.data.readers.format import Format, part_paths, read_parts, whole_number
from mlbench.data.readers.text_cells import TextRows, decode_columns, nominal_option, read_rows
from mlbench.data.table import RawTable, numbered
from mlbench.errors import DataError

_ENOUGH_ROWS = 20


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``train`` and ``test`` (or ``all``); each class becomes a label.

    Options: ``class_column`` (first or last; the default is last), ``header_lines`` (number of
    lines before the rows; the default is 0), ``delimiter`` (a character, or whitespace; the default
    is ``,``) and ``nominal`` (the names of columns with categories). The features are named by the
    last header line with one cell per feature, or one more for the class; without such a line they
    are x1 ... Classes are sorted as numbers if all are whole numbers, otherwise as text.

    Raises
    ------
    DataError
        If a file is damaged, or an option has an invalid value.
    """
    side = options.get("class_column", "last")
    delimiter = options.get("delimiter", ",")
    if side not in ("first", "last"):
        raise DataError(f"class_column is {side!r}; it must be first or last")
    if not isinstance(delimiter, str) or (len(delimiter) != 1 and delimiter != "whitespace"):
        raise DataError(f"delimiter is {delimiter!r}; it must be one character, or whitespace")
    header_lines = whole_number(options, "header_lines")
    nominal = nominal_option(options.get("nominal", []))
    place = 0 if side == "first" else -1
    texts = {path: read_rows(path, delimiter, header_lines) for path in part_paths(files)}
    classes = sorted_values({row[place] for text in texts.values() for row in text.rows})
    n = sum(len(text.rows) for text in texts.values())
    if n >= _ENOUGH_ROWS and 2 * len(classes) > n:
        raise DataError(
            f"{next(iter(texts))}: the {side} column has {len(classes)} different values in {n} "
            "rows, too many for classes; set class_column to the other side"
        )
    for text in texts.values():
        if len(text.rows[0]) < 2:
            raise DataError(
                f"{text.path}:{text.line_numbers[0]}: only one column; there must be features and "
                f"a class. Is the delimiter {delimiter!r}?"
            )
        for row, number in zip(text.rows, text.line_numbers, strict=True):
            if row[place] in ("", "?"):
                raise DataError(f"{text.path}:{number}: the class ({side} column) is missing")

    def read_part(path: Path) -> RawTable:
        text = texts[path]
        rows = [row[1:] if side == "first" else row[:-1] for row in text.rows]
        names = _feature_names(text, len(rows[0]), side)
        attributes, cells = decode_columns(text, rows, names, nominal)
        position = {name: i for i, name in enumerate(classes)}
        Y = np.zeros((len(rows), len(classes)), dtype=np.int64)
        Y[np.arange(len(rows)), [position[row[place]] for row in text.rows]] = 1
        return RawTable(attributes, cells, Y, classes)

    return read_parts(files, read_part)


def _feature_names(text: TextRows, d: int, side: str) -> tuple[str, ...]:
    for cells in reversed(text.skipped):
        if len(cells) == d + 1:
            cells = cells[1:] if side == "first" else cells[:-1]
        if len(cells) == d and len(set(cells)) == d and all(cells):
            return tuple(cells)
    return numbered("x", d)


FORMAT = Format(
    read,
    options=frozenset({"class_column", "header_lines", "delimiter", "nominal"}),
    suffixes=(".csv",),
    applies=lambda path, settings: "class_column" in settings,
    has_parts=True,
)
