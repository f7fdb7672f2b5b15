"""The parameters that the searches of an earlier run chose, read from its exported CSV file."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.errors import MlbenchError
from mlbench.plain_files import read_plain_text
from mlbench.protocol.arrays import Point
from mlbench.store.plain_values import exported_text
from mlbench.store.row import values_by

COLUMNS = ("dataset", "method", "split", "param", "value")

_SPLIT = re.compile(r"0|[1-9][0-9]{0,8}")

CellName = tuple[str, str, int]
"""Data set, method and split of a cell."""
PointAsText = frozenset[tuple[str, str]]
"""The parameters of a candidate, with their values as text."""


class NotChosenError(MlbenchError):
    """The file states no candidate of the grid for a cell."""


@dataclass(frozen=True)
class ChosenParameters:
    """The content of a file of chosen parameters."""

    path: Path
    values: Mapping[CellName, Mapping[str, str]]
    """For each cell, the value of each parameter, as text."""
    lines: Mapping[CellName, int]
    """For each cell, its first line in the file."""

    def candidate(self, cell: CellName, candidates: Mapping[PointAsText, int], metric: str) -> int:
        """Return the index of the candidate that the file states for a cell and a metric.

        Parameters
        ----------
        cell : (data set, method, split)
        candidates : mapping
            See :func:`candidates_by_text`.
        metric : str
            What the candidate was chosen by.

        Raises
        ------
        NotChosenError
            If the file has no line for the cell, or states a candidate that is not in the grid.
        """
        name = "/".join(map(str, cell))
        if cell not in self.values:
            raise NotChosenError(f"{self.path} has no parameters of {name}")
        wanted = values_by(metric, self.values[cell])
        index = candidates.get(frozenset(wanted.items()))
        if index is not None:
            return index
        stated = ", ".join(f"{key} {value}" for key, value in wanted.items())
        raise NotChosenError(
            f"{self.path}:{self.lines[cell]}: {name}: the grid has no candidate with {stated}"
        )


def candidates_by_text(grid: Sequence[Point]) -> dict[PointAsText, int]:
    """Map the parameters of each candidate, as text, to its index; equal ones to the first.

    Raises
    ------
    NotChosenError
        If two candidates that differ have the same text, such as 1 and "1".
    """
    found: dict[PointAsText, int] = {}
    for index, point in enumerate(grid):
        text = frozenset((name, exported_text(value)) for name, value in point.items())
        if grid[found.setdefault(text, index)] != point:
            stated = ", ".join(f"{name} {exported_text(value)}" for name, value in point.items())
            raise NotChosenError(f"the grid has two candidates that a file states as {stated}")
    return found


def read_chosen_parameters(path: Path) -> ChosenParameters:
    """Read the file that ``mlbench export --what params`` prints.

    Raises
    ------
    MlbenchError
        If the file cannot be read; the message names file and line.
    """
    try:
        text = read_plain_text(path, follow=True, encoding="utf-8-sig")
    except OSError as error:
        raise MlbenchError(f"{path}: cannot be read: {error.strerror or error}") from None
    values: dict[CellName, dict[str, str]] = {}
    lines: dict[CellName, int] = {}
    for number, cell, name, value in _parsed(path, text):
        lines.setdefault(cell, number)
        if values.setdefault(cell, {}).setdefault(name, value) != value:
            raise MlbenchError(
                f"{path}:{number}: {'/'.join(map(str, cell))}: {name} has two values"
            )
    return ChosenParameters(path, values, lines)


def _parsed(path: Path, text: str) -> Iterator[tuple[int, CellName, str, str]]:
    """Yield the line number, cell, parameter and value of each line."""
    if text and not text.endswith("\n"):
        number = text.count("\n") + 1
        raise MlbenchError(f"{path}:{number}: the file was cut short: its last line has no end")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        if tuple(next(reader, ())) != COLUMNS:
            raise MlbenchError(f"{path}:1: the columns must be {','.join(COLUMNS)}")
        for fields in reader:
            where = f"{path}:{reader.line_num}"
            if len(fields) != len(COLUMNS):
                raise MlbenchError(f"{where}: {len(fields)} fields instead of {len(COLUMNS)}")
            dataset, method, split, name, value = fields
            if not _SPLIT.fullmatch(split):
                raise MlbenchError(f"{where}: a split is a whole number from 0; got {split[:40]!r}")
            yield reader.line_num, (dataset, method, int(split)), name, value
    except csv.Error as error:
        raise MlbenchError(f"{path}:{reader.line_num}: {error}") from None
