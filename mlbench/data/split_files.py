"""Files that say which rows are trained on and which are tested, split by split."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mlbench.data.arff import read_arff
from mlbench.data.files import read_lines
from mlbench.data.search_path import uncompressed_name
from mlbench.errors import DataError
from mlbench.solvers.arrays import Ints

COLUMNS = ("row", "split", "part")
PARTS = ("train", "test")


class PartRows(NamedTuple):
    """The rows of one part of a split, ascending."""

    train: Ints
    test: Ints


@dataclass(frozen=True, eq=False)
class SplitFile:
    """The splits of a file."""

    names: tuple[str, ...]
    """As the file has them, in the order in which they are numbered from 0."""
    splits: tuple[PartRows, ...]
    largest: int
    """The largest number of a row."""
    place: str
    """Where that stands."""


class _Entry(NamedTuple):
    place: str
    row: int
    split: str
    part: str


def read_split_file(path: Path) -> SplitFile:
    """Read a CSV file with the columns row, split and part, or a file of folds of OpenML.

    Rows are counted from 0. Splits are in the order of their numbers, or else of the file. Those
    of OpenML (``.arff``: type, rowid, repeat, fold) are the folds of each repetition in turn.

    Raises
    ------
    DataError
        If a column or a split is missing, a row is twice in a split, a part is neither train nor
        test, or a split lacks one of both.
    """
    is_arff = Path(uncompressed_name(path.name)).suffix.lower() == ".arff"
    found: dict[str, dict[int, str]] = {}
    begins: dict[str, str] = {}
    last = _Entry(str(path), -1, "", "")
    for entry in _of_openml(path) if is_arff else _of_csv(path):
        rows = found.setdefault(entry.split, {})
        begins.setdefault(entry.split, entry.place)
        if entry.row in rows:
            raise DataError(
                f"{entry.place}: row {entry.row} is in split {entry.split!r} a second time; a row "
                "is trained on or tested, once"
            )
        rows[entry.row] = entry.part
        last = max(last, entry, key=lambda each: each.row)
    names = _in_order(found, path)
    return SplitFile(
        names,
        tuple(_parts(found[name], name, begins[name]) for name in names),
        last.row,
        last.place,
    )


def _of_csv(path: Path) -> Iterator[_Entry]:
    lines = csv.reader(read_lines(path))
    header = [name.strip() for name in next(lines, [])]
    for name in COLUMNS:
        if name not in header:
            raise DataError(
                f"{path}:1: no column {name!r}; a file of splits has the columns "
                f"{', '.join(COLUMNS)}"
            )
    at_row, at_split, at_part = map(header.index, COLUMNS)
    for cells in lines:
        place = f"{path}:{lines.line_num}"
        if not cells:
            continue
        if len(cells) != len(header):
            raise DataError(f"{place}: {len(cells)} values for {len(header)} columns")
        row, split, part = (cells[j].strip() for j in (at_row, at_split, at_part))
        if not (row.isascii() and row.isdecimal()):
            raise DataError(f"{place}: row is {row!r}; it must be a whole number, counted from 0")
        if part not in PARTS:
            raise DataError(f"{place}: part is {part!r}; it must be {' or '.join(PARTS)}")
        if not split:
            raise DataError(f"{place}: split is empty; it must be a number or a name")
        yield _Entry(place, int(row), split, part)


def _of_openml(path: Path) -> Iterator[_Entry]:
    arff = read_arff(path)
    columns = {attribute.name.lower(): j for j, attribute in enumerate(arff.attributes)}
    for name in ("type", "rowid", "repeat", "fold"):
        if name not in columns:
            raise DataError(
                f"{path}: no attribute {name!r}; a file of folds of OpenML has type, rowid, repeat "
                "and fold"
            )
    types = arff.attributes[columns["type"]].values
    cells = np.asarray(arff.cells)
    numbers = cells[:, [columns[name] for name in ("repeat", "fold", "rowid")]]
    if np.isnan(cells).any() or (numbers != np.floor(numbers)).any() or (numbers < 0).any():
        raise DataError(f"{path}: repeat, fold and rowid must be whole numbers from 0 in each row")
    n_folds = int(numbers[:, 1].max()) + 1
    if "sample" in columns and np.ptp(cells[:, columns["sample"]]):
        raise DataError(f"{path}: samples of a learning curve are no splits; take a task without")
    kinds = [types[int(code)].lower() for code in cells[:, columns["type"]]]
    for number, (kind, (repeat, fold, row)) in enumerate(zip(kinds, numbers, strict=True), 1):
        place = f"{path}: data row {number}"
        if kind not in PARTS:
            raise DataError(f"{place}: type is {kind!r}; it must be TRAIN or TEST")
        yield _Entry(place, int(row), str(int(repeat) * n_folds + int(fold)), kind)


def _in_order(found: dict[str, dict[int, str]], path: Path) -> tuple[str, ...]:
    if not found:
        raise DataError(f"{path}: no rows below the header")
    if not all(name.isascii() and name.isdecimal() for name in found):
        return tuple(found)
    names = sorted(found, key=int)
    for number, name in enumerate(names, start=min(int(names[0]), 1)):
        if int(name) != number:
            raise DataError(
                f"{path}: split {number} is missing; splits are numbered from 0 or 1 on without "
                f"gaps, here up to {names[-1]}"
            )
    return tuple(names)


def _parts(rows: dict[int, str], name: str, begins: str) -> PartRows:
    parts = [[row for row, part in rows.items() if part == wanted] for wanted in PARTS]
    for wanted, members in zip(PARTS, parts, strict=True):
        if not members:
            raise DataError(f"{begins}: split {name!r} has no row with the part {wanted}")
    train, test = (np.sort(np.array(members, dtype=np.int64)) for members in parts)
    return PartRows(train, test)
