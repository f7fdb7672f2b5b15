"""Rows of text cells, decoded as numbers or as positions among the values that occur."""

import csv
import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlbench.data.files import finite_number, read_lines
from mlbench.data.table import Attribute
from mlbench.errors import DataError
from mlbench.solvers.arrays import Floats
from mlbench.spelling import did_you_mean

_MISSING = {"", "?", "na", "nan"}


@dataclass(frozen=True)
class TextRows:
    """The rows of a delimited text file, with their line numbers."""

    path: Path
    skipped: list[list[str]]
    rows: list[list[str]]
    line_numbers: list[int]


def read_rows(path: Path, delimiter: str, header_lines: int) -> TextRows:
    """Split a file into rows of stripped cells; blank lines are skipped.

    Parameters
    ----------
    delimiter
        A character, or ``whitespace`` for any run of spaces and TABs.
    header_lines
        Number of lines before the rows, including blank ones.

    Raises
    ------
    DataError
        If the file cannot be read, has no rows, or has rows of different lengths.
    """
    skipped: list[list[str]] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        cells = _split(line, delimiter, f"{path}:{number}")
        if number <= header_lines:
            skipped.append(cells)
            continue
        if rows and len(cells) != len(rows[0]):
            raise DataError(
                f"{path}:{number}: {len(cells)} values, but line {numbers[0]} has {len(rows[0])}"
            )
        rows.append(cells)
        numbers.append(number)
    if not rows:
        raise DataError(f"{path}: no rows")
    return TextRows(path, skipped, rows, numbers)


def _split(line: str, delimiter: str, place: str) -> list[str]:
    if delimiter == "whitespace":
        return line.split()
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    try:
        cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise DataError(
            f"{place}: {error}; quotes must be closed on the same line, and a quote inside quotes "
            "must be doubled"
        ) from error
    return [cell.strip() for cell in cells]


def decode_columns(
    text: TextRows, rows: Sequence[Sequence[str]], names: Sequence[str], nominal: Collection[str]
) -> tuple[tuple[Attribute, ...], Floats]:
    """Return the attributes and the cells of rows of text.

    A missing cell (empty, ``?``, ``NA`` or ``nan``) becomes NaN. The values of a `nominal` column
    are those that occur, sorted.

    Raises
    ------
    DataError
        If a cell of another column is not a finite number, or if a name in `nominal` is unknown.
    """
    for name in nominal:
        if name not in names:
            raise DataError(
                f"{text.path}: nominal: no column named {name!r}{did_you_mean(name, names)}"
            )
    attributes, cells = [], np.empty((len(rows), len(names)))
    for j, name in enumerate(names):
        column = [row[j] for row in rows]
        if name in nominal:
            values = sorted({cell for cell in column if not is_missing(cell)})
            attributes.append(Attribute(name, "nominal", tuple(values)))
            position = {value: float(i) for i, value in enumerate(values)}
            cells[:, j] = [position.get(cell, math.nan) for cell in column]
        else:
            attributes.append(Attribute(name))
            cells[:, j] = [
                _number(cell, name, text.path, number)
                for cell, number in zip(column, text.line_numbers, strict=True)
            ]
    return tuple(attributes), cells


def is_missing(cell: str) -> bool:
    """Tell whether a cell stands for a missing value."""
    return cell.lower() in _MISSING


def _number(cell: str, column: str, path: Path, line_number: int) -> float:
    if is_missing(cell):
        return math.nan
    number = finite_number(cell)
    if number is None:
        raise DataError(
            f"{path}:{line_number}: {cell[:60]!r} is not a finite number; "
            + (
                "numbers are written with a decimal point"
                if finite_number(cell.replace(",", ".", 1)) is not None
                else f"if the column {column!r} contains categories, set the option "
                f"`nominal: [{column}]`"
            )
        )
    return number


def check_column_names(names: Sequence[str], place: str, remedy: str = "") -> None:
    """Check the names in a header.

    Parameters
    ----------
    place, remedy
        Start and end of a message.

    Raises
    ------
    DataError
        If one is empty, two are equal, or all look like data.
    """
    wrong = [f"column {i} has no name" for i, name in enumerate(names, start=1) if not name]
    wrong += [f"two columns are named {name!r}" for name, n in Counter(names).items() if n > 1]
    if wrong:
        raise DataError(
            f"{place}: {wrong[0]}; every column needs a unique name in the header{remedy}"
        )
    if all(map(_is_number, names)) and not all(name.isdecimal() for name in names):
        raise DataError(
            f"{place}: the first line contains numbers; it must contain the column names{remedy}"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def nominal_option(options: object) -> frozenset[str]:
    """Return the names in the option ``nominal``.

    Raises
    ------
    DataError
        If it is not a list of names.
    """
    if not isinstance(options, list | tuple) or not all(isinstance(name, str) for name in options):
        raise DataError(f"nominal is {options!r}; it must be a list of column names")
    return frozenset(options)
