r"""Parsing the rows of an ARFF file one by one: quotes, unusual layout, and error messages.

liac-arff only splits rows into strings here. It does not parse the header, because it keeps the
backslash of ``\'`` in names and can take exponential time on an unclosed brace. It does not parse
values either, because it does not report which value is wrong.
"""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import arff
import numpy as np
from scipy.sparse import csr_matrix

from mlbench.data.files import decode, finite_number
from mlbench.data.table import Attribute, Cells
from mlbench.errors import DataError
from mlbench.solvers.arrays import Floats
from mlbench.spelling import did_you_mean

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_UNKNOWN_ESCAPE = re.compile(r"""\\(?!u[0-9a-fA-F]{4})([^\\'"ntr%])""")
_COMMENT = re.compile(r"(?:\s+|(?<=[},]))%.*$")
_TRAILING_COMMA = re.compile(r"\s*,\s*\}$")
_WEIGHT = re.compile(r"[^{\s]\s*,?\s*\{\s*([^{}\s]*)\s*\}$")
_LINE_NUMBER = re.compile(r",? at line -?[0-9]+\.?")
_LONGEST_LIST = 12


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
    source = _Rows(rows, len(attributes), path, lines_before)
    # The code of a nominal value is its position in the declaration, from 0.
    codes = [{value: float(i) for i, value in enumerate(a.values)} for a in attributes]
    cells = (
        _sparse(source, attributes, codes) if source.sparse else _dense(source, attributes, codes)
    )
    if cells.shape[0] == 0:
        raise DataError(f"{source.place}: the rows contain only control characters")
    return cells


class _Rows:
    """Rows as liac-arff splits them, with the location of the current one."""

    def __init__(self, rows: Sequence[bytes], d: int, path: Path, lines_before: int) -> None:
        self._rows, self._path, self._number, self._d = rows, path, lines_before, d
        self.line = ""
        self.sparse = any(row.lstrip().startswith(b"{") for row in rows)

    @property
    def place(self) -> str:
        return f"{self._path}:{self._number}"

    def __iter__(self) -> Iterator[Any]:
        """Yield a list of strings per dense row, or a dict (column to string) per sparse row."""
        form = arff.LOD_GEN if self.sparse else arff.DENSE_GEN
        try:
            yield from arff.load(self._document(), return_type=form)["data"]
        except (arff.ArffException, ValueError, IndexError, csv.Error) as error:
            self._explain(error)

    def _document(self) -> Iterator[str]:
        """Yield a header that declares every column as text, then the rows."""
        yield "@RELATION rows"
        for j in range(self._d):
            yield f"@ATTRIBUTE a{j} STRING"
        yield "@DATA"
        for raw in self._rows:
            self._number += 1
            stripped = raw.strip()
            if not stripped or stripped.startswith(b"%"):
                continue
            self.line = self._plain(decode(stripped, self._path, self._number))
            if self.line:
                yield self.line

    def _plain(self, line: str) -> str:
        """Return a row with one comma between values, without comment, in the form of all rows."""
        if "\\" in line:
            line = _QUOTED.sub(lambda quoted: _UNKNOWN_ESCAPE.sub(r"\1", quoted[0]), line)
        hidden = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), line)
        if comment := _COMMENT.search(hidden):
            line, hidden = line[: comment.start()], hidden[: comment.start()]
        if weight := _WEIGHT.search(hidden):
            raise DataError(
                f"{self.place}: the row ends with {{{weight[1]}}}, an instance weight; weights are "
                "not supported: remove them"
            )
        if hidden.startswith("{"):
            end = _TRAILING_COMMA.search(hidden)
            return line if end is None else line[: end.start()] + "}"
        cells = _split(line, hidden, ",")
        if len(cells) < self._d:  # Weka also takes blanks between values
            several = _split(line, hidden, r"\s*,\s*|\s+")
            cells = several if len(several) == self._d else cells
        if len(cells) == self._d + 1 and not cells[-1]:  # MOA writes a comma after the last value
            del cells[-1]
        if self.sparse and len(cells) == self._d:
            return "{" + ", ".join(f"{j} {cell}" for j, cell in enumerate(cells)) + "}"
        return ",".join(cells)

    def _explain(self, error: Exception) -> None:
        if not self.sparse and (found := self.count_cells()) != self._d:
            raise DataError(
                f"{self.place}: {found} value{'s' * (found != 1)}, but the header declares "
                f"{self._d} attribute{'s' * (self._d != 1)}{self._hint()}"
            ) from error
        if isinstance(error, IndexError | arff.BadDataFormat):
            raise self.beyond_last_attribute() from error
        form = "{column value, column value, ...}" if self.sparse else "value, value, ..."
        raise DataError(
            f"{self.place}: cannot split the row into values ({_words(error)}); write {form}, "
            "and put values with spaces, commas or braces in quotes"
        ) from error

    def _hint(self) -> str:
        found = [mark for mark in ";\t|" if mark in self.line and "," not in self.line]
        return f"; commas separate values, not {found[0]!r}" if found else ""

    def beyond_last_attribute(self) -> DataError:
        return DataError(
            f"{self.place}: a column number beyond the last attribute; "
            f"columns are numbered 0 to {self._d - 1}"
        )

    def count_cells(self) -> int:
        # n cells have n - 1 commas between them; commas inside quotes do not count.
        return _QUOTED.sub("", self.line).count(",") + 1


def _words(error: Exception) -> str:
    """Return what is wrong, without the number of a line, which is that of another text."""
    return _LINE_NUMBER.sub("", str(error))[:120]


def _split(line: str, hidden: str, separator: str) -> list[str]:
    """Split a row at a separator that `hidden`, the row without its quoted values, has."""
    ends = [match.span() for match in re.finditer(separator, hidden)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(line)]
    return [line[start:stop].strip() for start, stop in zip(starts, stops, strict=True)]


def _dense(
    source: _Rows, attributes: Sequence[Attribute], codes: Sequence[dict[str, float]]
) -> Floats:
    cells = [
        [
            _cell(text, attribute, code, source)
            for text, attribute, code in zip(row, attributes, codes, strict=True)
        ]
        for row in source
    ]
    return np.array(cells, dtype=np.float64)


def _sparse(
    source: _Rows, attributes: Sequence[Attribute], codes: Sequence[dict[str, float]]
) -> csr_matrix:
    values: list[float] = []
    columns: list[int] = []
    # CSR: row i has the entries row_starts[i] to row_starts[i + 1] - 1.
    row_starts = [0]
    for row in source:
        if row and source.count_cells() != len(row):
            raise DataError(f"{source.place}: a column number appears twice in the row")
        if row and max(row) >= len(attributes):  # liac-arff does not check it if the value is ?
            raise source.beyond_last_attribute()
        for j in sorted(row):
            values.append(_cell(row[j], attributes[j], codes[j], source))
            columns.append(j)
        row_starts.append(len(columns))
    shape = (len(row_starts) - 1, len(attributes))
    cells = csr_matrix((np.array(values, dtype=np.float64), columns, row_starts), shape=shape)
    cells.eliminate_zeros()
    return cells


def _cell(text: str | None, attribute: Attribute, codes: dict[str, float], source: _Rows) -> float:
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
                f"{source.place}: {text[:60]!r} is not a value of attribute {attribute.name!r}"
                f"{did_you_mean(text[:60], attribute.values[:1000])}; it must be one of "
                f"{listed}{more}, or ? if missing"
            )
        return code
    number = finite_number(text)
    if number is None:
        raise DataError(
            f"{source.place}: {text[:60]!r} is not a finite number, as attribute "
            f"{attribute.name!r} requires; write ? for a missing value"
        )
    return number
