"""UCI text files: one row of numbers per sample, with the class in one column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from mlbench.data.files import finite_number
from mlbench.data.frames import sorted_values
from mlbench.data.readers.format import Format, part_paths, read_parts, whole_number
from mlbench.data.readers.text_cells import (
    TextRows,
    decode_columns,
    is_missing,
    nominal_option,
    read_rows,
)
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

    for text in texts.values() if "header_lines" not in options else ():
        _refuse_header(text, place)

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


def _refuse_header(text: TextRows, place: int) -> None:
    """Refuse a first row that reads as the names of columns."""
    first, *others = text.rows
    if others and (_has_names(first, others, place) or _has_positions(first, others, place)):
        raise DataError(
            f"{text.path}:{text.line_numbers[0]}: the first line reads as a header "
            f"({', '.join(first)[:60]}); set `header_lines: 1` if it is one, and `header_lines: 0` "
            "if it is a row"
        )


def _has_names(first: Sequence[str], others: Sequence[Sequence[str]], place: int) -> bool:
    """Tell whether a text stands above a column of numbers."""
    features = [j for j in range(len(first)) if j != place % len(first)]
    return any(
        not _may_be_number(first[j]) and all(_may_be_number(row[j]) for row in others)
        for j in features
    )


def _has_positions(first: Sequence[str], others: Sequence[Sequence[str]], place: int) -> bool:
    """Tell whether whole numbers in a row, such as years, stand above the features.

    The class above all others must then be one that no row has.
    """
    features = [cell for j, cell in enumerate(first) if j != place % len(first)]
    if first[place] in {row[place] for row in others} or not all(map(str.isdecimal, features)):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(features)}
    return steps == {1} and (
        len(features) > 2 or int(features[0]) > max(_numbers(others), default=0)
    )


def _may_be_number(cell: str) -> bool:
    return is_missing(cell) or finite_number(cell) is not None


def _numbers(rows: Iterable[Sequence[str]]) -> Iterator[float]:
    for row in rows:
        yield from (number for cell in row if (number := finite_number(cell)) is not None)


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
