"""What is known of rows besides features and labels: groups that no split divides, and times."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import issparse

from mlbench.data.files import read_lines
from mlbench.data.label_columns import columns_are
from mlbench.data.readers import get_format, read_table
from mlbench.data.row_values import numbered_groups, ranked_times
from mlbench.data.table import Attribute, RawTable, without_attribute
from mlbench.errors import DataError, about_key
from mlbench.number_text import row_from_one
from mlbench.solvers.arrays import Floats, Ints
from mlbench.spelling import did_you_mean

if TYPE_CHECKING:
    from mlbench.data.dataset import Dataset


class TableOfRows(NamedTuple):
    """A table of features and labels, and what its other columns say of the rows."""

    table: RawTable
    groups: Ints | None
    times: Ints | None
    """(n,) int64 both; see `mlbench.data.dataset.Dataset`."""


def read_with_rows(
    format_name: str,
    files: Mapping[str, Path],
    options: Mapping[str, object],
    columns: Mapping[str, str],
    source: str,
) -> TableOfRows:
    """Read files of which some columns are no features.

    Parameters
    ----------
    format_name, files, options
        See `mlbench.data.readers.read_table`.
    columns
        The names of these columns, by `mlbench.data.dataset_reference.ROW_KEYS`.
    source
        Where messages start.

    Raises
    ------
    DataError
        If there is no such column, or it does not hold what it should.
    """
    known = get_format(format_name).options
    own = {key: name for key, name in columns.items() if key in known}
    return take_out(read_table(format_name, files, {**options, **own}), columns, source)


def take_out(table: RawTable, columns: Mapping[str, str], source: str) -> TableOfRows:
    """Take such columns out of a table; see `read_with_rows`."""
    found: dict[str, Floats] = {}
    for key, name in columns.items():
        with about_key(key):
            found[key] = _cells(table, key, name, source)
    for name in columns.values():
        table = without_attribute(table, name)
    groups, times = found.get("groups"), found.get("time")
    return TableOfRows(
        table,
        None if groups is None else numbered_groups(groups, source),
        None if times is None else ranked_times(times, source),
    )


def _cells(table: RawTable, key: str, name: str, source: str) -> Floats:
    names = [attribute.name for attribute in table.attributes]
    if name in table.label_names:
        raise DataError(f"{source}: {key}: {name!r} is a label; name another column")
    if name not in names:
        every = [*names, *table.text_columns, *table.label_names]
        known = did_you_mean(name, names) or f"; {columns_are(every)}"
        raise DataError(f"{source}: {key}: no column named {name!r}{known}")
    place = names.index(name)
    attribute: Attribute = table.attributes[place]
    if attribute.kind == "text":
        raise DataError(
            f"{source}: {key}: {name!r} is text, which this format does not keep; write "
            f"`{key}: FILE.csv`, a file with one value a row"
        )
    cells = table.cells[:, [place]]
    column: Floats = (cells.toarray() if issparse(cells) else cells)[:, 0]
    if np.isnan(column).any():
        row = int(np.isnan(column).argmax())
        raise DataError(
            f"{source}: {key}: {name!r} is missing in {row_from_one(row)}; each row needs a value"
        )
    return column


def read_row_file(path: Path, key: str, n_rows: int) -> list[str]:
    """Read a file with one value a row, below a line with a name or not.

    Raises
    ------
    DataError
        If a line has no value or several, or there are not as many as rows.
    """
    values: list[str] = []
    lines = read_lines(path)
    while lines and not lines[-1].strip():
        lines.pop()
    for number, cells in enumerate(csv.reader(lines), start=1):
        if len(cells) != 1 or not cells[0].strip():
            raise DataError(
                f"{path}:{number}: {len(cells)} values; `{key}:` takes a file with one value a row"
            )
        values.append(cells[0].strip())
    if len(values) == n_rows + 1:
        return values[1:]
    if len(values) != n_rows:
        raise DataError(
            f"{path}: {len(values)} lines for {n_rows} rows; one line a row is needed, and a first "
            "line with a name may stand above them"
        )
    return values


def with_row_files(data: Dataset, files: Mapping[str, Path]) -> Dataset:
    """Return a data set with what files say of its rows."""
    for key, path in files.items():
        with about_key(key):
            values = read_row_file(path, key, data.n_samples)
            if key == "groups":
                data = replace(data, groups=numbered_groups(values, str(path)))
            else:
                data = replace(data, times=ranked_times(values, str(path)))
    return data
