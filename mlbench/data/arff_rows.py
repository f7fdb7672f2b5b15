"""Parsing the rows of an ARFF file one by one: quotes, unusual layout, and error messages."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from mlbench.data.files import decode, finite_number
from mlbench.data.table import Attribute, Cells
from mlbench.errors import DataError
from mlbench.spelling import did_you_mean

QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
"""A text in quotes; one of the two groups is what stands between them."""

_BARE = r"[^,\s{}'\"]"
_DENSE = re.compile(rf"()\s*(?:{QUOTED}|({_BARE}*))\s*(,|$)")
_SPARSE = re.compile(rf"\s*(\d+)\s+(?:{QUOTED}|({_BARE}+))\s*(,|$)")
_ODD = re.compile(r"""[\s{}'"]""")
_ESCAPE = re.compile(r"\\(u(?!d[89a-f])[0-9a-f]{4}|.)", re.S | re.I)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}
_LONGEST_LIST = 12


def unescape(text: str) -> str:
    r"""Return a text from between quotes, with ``\'``, ``\n``, ``\u00e9`` ... replaced."""

    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) == 5 else _CONTROL.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text


def parse_rows_one_by_one(
    rows: Sequence[bytes], attributes: Sequence[Attribute], path: Path, lines_before: int
) -> Cells:
    """Return the cells of all rows; blank rows and comments are skipped.

    Parameters
    ----------
    rows
        The lines after the ``@data`` line.
    attributes
        One for each column.
    path, lines_before
        For messages.

    Raises
    ------
    DataError
        At the first invalid row.
    """
    codes = [{value: float(i) for i, value in enumerate(a.values)} for a in attributes]
    sparse: bool | None = None
    values: list[float] = []
    columns: list[int] = []
    row_starts = [0]
    for number, raw in enumerate(rows, start=lines_before + 1):
        line = decode(raw.strip(), path, number).strip()
        if not line or line.startswith("%"):
            continue
        place = f"{path}:{number}"
        if sparse is None:
            sparse = line.startswith("{")
        if line.startswith("{") != sparse:
            forms = ("sparse", "dense") if sparse else ("dense", "sparse")
            raise DataError(
                f"{place}: this row is {forms[1]}, but the first row is {forms[0]}; "
                "all rows must have the same form"
            )
        split = _split_sparse if sparse else _split_dense
        for j, text in split(line, len(attributes), place):
            values.append(_cell(text, attributes[j], codes[j], place))
            columns.append(j)
        row_starts.append(len(columns))
    if sparse is None:
        raise DataError(f"{path}:{number}: the rows contain only control characters")
    if not sparse:
        return np.array(values).reshape(-1, len(attributes))
    cells = csr_matrix((values, columns, row_starts), (len(row_starts) - 1, len(attributes)))
    cells.eliminate_zeros()
    return cells


def _split_dense(line: str, d: int, place: str) -> Iterator[tuple[int, str | None]]:
    """Return the column and the text of each cell; None is missing."""
    if _ODD.search(line):
        texts = [text for _, text in _cells(line, _DENSE, "value, value, ...", place)]
    else:
        texts = [None if text in ("?", "") else text for text in line.split(",")]
    if len(texts) != d:
        raise DataError(f"{place}: {len(texts)} values, but the header declares {d} attributes")
    return enumerate(texts)


def _split_sparse(line: str, d: int, place: str) -> list[tuple[int, str | None]]:
    """Return the same for the cells of a sparse row, in the order of the columns."""
    form = "{column value, column value, ...}"
    inside = line[1:-1] if line.endswith("}") else line
    cells = _cells(inside, _SPARSE, form, place) if inside.strip() else []
    found = {int(column): text for column, text in cells}
    if found and max(found) >= d:
        raise DataError(
            f"{place}: a column number beyond the last attribute; columns are numbered 0 to {d - 1}"
        )
    if len(found) < len(cells):
        raise DataError(f"{place}: a column number appears twice in the row")
    return sorted(found.items())


def _cells(line: str, cell: re.Pattern[str], form: str, place: str) -> list[tuple[str, str | None]]:
    """Return the column, if it is told, and the text of each cell of a row."""
    found = []
    position, comma = 0, ","
    while comma:
        match = cell.match(line, position)
        if match is None:
            raise DataError(
                f"{place}: cannot split the row into values ({line[position:][:60]!r}); write "
                f"{form}, and put values with spaces, commas or braces in quotes"
            )
        column, single, double, bare, comma = match.groups()
        quoted = single if single is not None else double
        text = unescape(quoted) if quoted is not None else None if bare in ("?", "") else bare
        found.append((column, text))
        position = match.end()
    return found


def _cell(text: str | None, attribute: Attribute, codes: dict[str, float], place: str) -> float:
    if text is None:
        return math.nan
    if attribute.kind == "text":
        return 0.0
    if attribute.kind == "nominal":
        code = codes.get(text)
        if code is None:
            listed = ", ".join(attribute.values[:_LONGEST_LIST])
            more = ", ..." if len(attribute.values) > _LONGEST_LIST else ""
            raise DataError(
                f"{place}: {text[:60]!r} is not a value of attribute {attribute.name!r}"
                f"{did_you_mean(text[:60], attribute.values[:1000])}; it must be one of "
                f"{listed}{more}, or ? if missing"
            )
        return code
    number = finite_number(text)
    if number is None:
        raise DataError(
            f"{place}: {text[:60]!r} is not a finite number, as attribute "
            f"{attribute.name!r} requires; write ? for a missing value"
        )
    return number
