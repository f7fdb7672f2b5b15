"""CSV files with a number on each line: data set, method, split, its name, and its value."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from mlbench.errors import StoreError
from mlbench.metrics import METRICS
from mlbench.options import EXPORT_COLUMNS
from mlbench.store.plain_values import Plain, exported_text

_ROUNDING = 1e-9
_WHOLE = re.compile(r"-?[0-9]+")

Line = tuple[str, str, int, str, str]
"""Data set, method, split, name and the text of the value."""


def write_csv(file: TextIO, heading: tuple[str, ...], lines: Iterable[tuple[Plain, ...]]) -> None:
    """Write lines of data set, method, split, more headings, and a value."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("dataset", "method", "split", *heading, "value"))
    writer.writerows((*place, exported_text(value)) for *place, value in lines)


def csv_text(heading: tuple[str, ...], lines: Iterable[tuple[Plain, ...]]) -> str:
    """Return what :func:`write_csv` writes."""
    file = io.StringIO()
    write_csv(file, heading, lines)
    return file.getvalue()


def read_lines(path: Path, what: str) -> Iterator[Line]:
    """Yield the lines of a file.

    Parameters
    ----------
    path : Path
    what : str
        A key of `mlbench.options.EXPORT_COLUMNS`.

    Raises
    ------
    StoreError
        If the file is damaged; the message names the line.
    """
    wanted = ["dataset", "method", "split", EXPORT_COLUMNS[what], "value"]
    seen: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(read_fields(path), 1):
        where = f"{path}:{number}"
        if number == 1:
            if line != wanted:
                raise StoreError(f"{where}: the columns must be {','.join(wanted)}")
            continue
        if len(line) != len(wanted):
            raise StoreError(f"{where}: {len(line)} fields instead of {len(wanted)}")
        *place, text = line
        if not place[2].isdecimal():
            raise StoreError(f"{where}: the split must be a number from 0, not {place[2]!r}")
        first = seen.setdefault(tuple(place), number)
        if first != number:
            raise StoreError(f"{where}: repeats line {first}: {', '.join(place)}")
        if what in ("scores", "seconds"):
            _check_number(where, place[3], text)
        yield place[0], place[1], int(place[2]), place[3], text


def read_fields(path: Path) -> list[list[str]]:
    """Return the fields of a file's lines; one empty line for an empty file.

    Raises
    ------
    StoreError
        If the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file)) or [[]]
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: not a text file in UTF-8 ({error.reason})") from None
    except (OSError, csv.Error) as error:
        raise StoreError(f"{path}: cannot be read: {error}") from None


def parsed(text: str) -> Plain:
    """Return the value of an exported field: the inverse of `exported_text`, as far as it goes.

    Nothing tells a text that looks like a number, a truth value or nothing from one.
    """
    if text in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        pass
    if text[0] in "[{":
        try:
            found: Plain = json.loads(text)
            return found
        except ValueError:
            pass
    return text


def _check_number(where: str, name: str, text: str) -> None:
    try:
        value = float(text or "nan")
    except ValueError:
        raise StoreError(f"{where}: the value must be a number or empty, not {text!r}") from None
    if math.isinf(value):
        raise StoreError(f"{where}: the value must be finite, not {text!r}")
    metric = METRICS.get(name.partition("@")[0])
    low, high = metric.range if metric else (-math.inf, math.inf)
    if value < low - _ROUNDING or value > high + _ROUNDING:
        raise StoreError(f"{where}: {name} is between {low:g} and {high:g}, not {text}")
