"""Parameters that the searches of an earlier run chose, from the CSV file that it exported."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.errors import MlbenchError
from mlbench.protocol.arrays import Point
from mlbench.store.plain_values import exported_text

COLUMNS = ("dataset", "method", "split", "param", "value")

Place = tuple[str, str, int]
"""A cell: data set, method, split."""


PointAsText = frozenset[tuple[str, str]]
"""The parameters of a candidate, with their values as text."""


class NotChosenError(MlbenchError):
    """A cell for which the file states none of the candidates."""


@dataclass(frozen=True)
class ChosenParameters:
    """What a file of chosen parameters says of each cell."""

    path: Path
    values: Mapping[Place, Mapping[str, str]]
    """By cell: the value of each parameter, as text."""
    lines: Mapping[Place, int]
    """By cell: its first line in the file."""

    def candidate(self, place: Place, candidates: Mapping[PointAsText, int]) -> int:
        """Return which candidate of a search the file states for a cell.

        Parameters
        ----------
        place : (data set, method, split)
        candidates : mapping
            See :func:`candidates_by_text`.

        Raises
        ------
        NotChosenError
            If the file has no line for the cell, or what it has is not in the grid.
        """
        name = "/".join(map(str, place))
        if place not in self.values:
            raise NotChosenError(f"{self.path} has no parameters of {name}")
        wanted = self.values[place]
        index = candidates.get(frozenset(wanted.items()))
        if index is not None:
            return index
        stated = ", ".join(f"{key} {value}" for key, value in wanted.items())
        raise NotChosenError(
            f"{self.path}:{self.lines[place]}: {name}: the grid has no candidate with {stated}"
        )


def candidates_by_text(grid: Sequence[Point]) -> dict[PointAsText, int]:
    """Return the number of each candidate by its parameters; the first of equal ones.

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
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise MlbenchError(f"{path}: not a text file in UTF-8") from None
    except OSError as error:
        raise MlbenchError(f"{path}: cannot be read: {error.strerror or error}") from None
    values: dict[Place, dict[str, str]] = {}
    lines: dict[Place, int] = {}
    for number, place, name, value in _parsed(path, text):
        lines.setdefault(place, number)
        if values.setdefault(place, {}).setdefault(name, value) != value:
            told = "/".join(map(str, place))
            raise MlbenchError(f"{path}:{number}: {told}: {name} has two values")
    return ChosenParameters(path, values, lines)


def _parsed(path: Path, text: str) -> Iterator[tuple[int, Place, str, str]]:
    """Yield the line number, cell, parameter and value of each line."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        if tuple(next(reader, ())) != COLUMNS:
            raise MlbenchError(f"{path}:1: the columns must be {','.join(COLUMNS)}")
        for fields in reader:
            where = f"{path}:{reader.line_num}"
            if len(fields) != len(COLUMNS):
                raise MlbenchError(f"{where}: {len(fields)} fields instead of {len(COLUMNS)}")
            dataset, method, split, name, value = fields
            if not (split.isascii() and split.isdecimal()):
                raise MlbenchError(f"{where}: the split must be a number from 0, not {split!r}")
            yield reader.line_num, (dataset, method, int(split)), name, value
    except csv.Error as error:
        raise MlbenchError(f"{path}:{reader.line_num}: {error}") from None
