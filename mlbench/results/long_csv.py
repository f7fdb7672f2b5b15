"""CSV files with a number on each line: data set, method, split, its name, and its value.

In exported folders some are wide: a line for each cell, and a column for each name.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TextIO

from mlbench.errors import StoreError
from mlbench.options import EXPORT_COLUMNS
from mlbench.results.scores import impossible
from mlbench.store.plain_values import Plain, exported_text

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", re.IGNORECASE)
SPLIT = re.compile(r"0|[1-9][0-9]{0,8}")
"""The number of a split, as files write it."""

_PLACE = ["dataset", "method", "split"]
_NOTHING = "-"
"""Stands in a wide file where a cell has no such number; an empty field is one without a value."""

CsvLine = tuple[str, str, int, str, str]
"""Data set, method, split, name and the text of the value."""


def write_csv(file: TextIO, heading: tuple[str, ...], lines: Iterable[tuple[Plain, ...]]) -> None:
    """Write lines of data set, method, split, more headings, and a value."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*_PLACE, *heading, "value"))
    writer.writerows((*place, exported_text(value)) for *place, value in lines)


def csv_text(heading: tuple[str, ...], lines: Iterable[tuple[Plain, ...]]) -> str:
    """Return what :func:`write_csv` writes."""
    file = io.StringIO()
    write_csv(file, heading, lines)
    return file.getvalue()


def wide_text(lines: Iterable[tuple[str, str, int, str, Plain]]) -> str:
    """Return lines of data set, method, split, and a value for each name."""
    cells: dict[tuple[str, str, int], dict[str, Plain]] = {}
    for dataset, method, split, name, value in lines:
        cells.setdefault((dataset, method, split), {})[name] = value
    names = sorted({name for values in cells.values() for name in values})
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*_PLACE, *names))
    writer.writerows(
        (*place, *(_wide_field(values, name) for name in names)) for place, values in cells.items()
    )
    return file.getvalue()


def _wide_field(values: Mapping[str, Plain], name: str) -> str:
    if name not in values:
        return _NOTHING
    text = exported_text(values[name])
    return json.dumps(text) if text == _NOTHING else text


def parse_lines(path: Path, text: str, what: str, may_be_wide: bool = False) -> Iterator[CsvLine]:
    """Yield the lines of a file.

    Parameters
    ----------
    path : Path
        Its name in messages.
    text : str
    what : str
        A key of `mlbench.options.EXPORT_COLUMNS`.
    may_be_wide : bool

    Raises
    ------
    StoreError
        If the file is damaged; the message names the line.
    """
    seen: dict[tuple[str, ...], int] = {}
    splits: dict[tuple[str, str], dict[str, set[str]]] = {}
    for number, place, value in _entries(path, text, what, may_be_wide):
        where = f"{path}:{number}"
        if not SPLIT.fullmatch(place[2]):
            raise StoreError(f"{where}: the split must be a number from 0, not {place[2]!r}")
        first = seen.setdefault(tuple(place), number)
        if first != number:
            raise StoreError(f"{where}: repeats line {first}: {', '.join(place)}")
        splits.setdefault((place[0], place[1]), {}).setdefault(place[3], set()).add(place[2])
        if what in ("scores", "seconds"):
            _check_number(where, what, place[3], value)
        yield place[0], place[1], int(place[2]), place[3], value
    for (dataset, method), of in splits.items() if what == "scores" else ():
        (metric, there), *others = of.items()
        for name, found in others:
            if found != there:
                lacking = min(found ^ there, key=int)
                raise StoreError(
                    f"{path}: {dataset}/{method}: {metric} and {name} are of different splits "
                    f"(one of them has no split {lacking}); export the folder again"
                )


def _entries(
    path: Path, text: str, what: str, may_be_wide: bool
) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of a line, the place and the name, and the value."""
    columns, *lines = parse_fields(path, text)
    long = [*_PLACE, EXPORT_COLUMNS[what], "value"]
    is_wide = may_be_wide and columns != long and columns[:3] == _PLACE
    if not is_wide and columns != long:
        raise StoreError(f"{path}:1: the columns must be {','.join(long)}")
    if len({*columns}) < len(columns):
        raise StoreError(f"{path}:1: there are two columns of one name")
    for number, line in enumerate(lines, 2):
        if len(line) != len(columns):
            raise StoreError(f"{path}:{number}: {len(line)} fields instead of {len(columns)}")
        if not is_wide:
            yield number, line[:-1], line[-1]
            continue
        for name, value in zip(columns[3:], line[3:], strict=True):
            if value != _NOTHING and (value or what != "seconds"):
                yield number, [*line[:3], name], value


def parse_fields(path: Path, text: str) -> list[list[str]]:
    """Return the fields of a file's lines; one empty line for an empty file.

    Raises
    ------
    StoreError
        If it is no CSV.
    """
    if text and not text.endswith("\n"):
        number = text.count("\n") + 1
        raise StoreError(f"{path}:{number}: the file was cut short: its last line has no end")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        return list(reader) or [[]]
    except csv.Error as error:
        raise StoreError(f"{path}:{reader.line_num}: cannot be read: {error}") from None


def _check_number(where: str, what: str, name: str, text: str) -> None:
    if text and not _NUMBER.fullmatch(text):
        raise StoreError(f"{where}: the value must be a number or empty, not {text[:40]!r}")
    value = float(text or "nan")
    if math.isinf(value):
        raise StoreError(f"{where}: the value must be finite, not {text[:40]!r}")
    if text and (problem := impossible(name, value)):
        raise StoreError(f"{where}: {problem}")
    if what == "seconds" and value < 0:
        raise StoreError(f"{where}: {name} cannot be negative, as {text[:40]!r} is")


def line_of(text: str, *fields: object) -> int:
    """Return the number of the line of a file that begins with some fields; 1 if none does."""
    wanted = [*map(str, fields)]
    lines = csv.reader(io.StringIO(text, newline=""))
    found = (number for number, line in enumerate(lines, 1) if line[: len(wanted)] == wanted)
    return next(found, 1)
