"""What could be made of a table's columns that are no numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mlbench.data.dataset import Dataset
from mlbench.data.dataset_reference import (
    DataReference,
    check_path_keys,
    find_path_files,
    is_path,
    is_row_file,
)
from mlbench.data.files import finite_number
from mlbench.data.npz import SUFFIX
from mlbench.data.readers import get_format, read_table
from mlbench.data.row_values import ranked_times
from mlbench.data.table import RawTable
from mlbench.errors import DataError

_FEW_VALUES = 20
_NAMES_OF_GROUPS = re.compile(
    r"(^|[^a-z])(id|patient|subject|person|user|group|session|speaker|site|album|thread)s?"
    r"([^a-z]|id|$)",
    re.IGNORECASE,
)
"""Names of columns whose values may be those of groups."""
_ENOUGH_WORDS, _ENOUGH_CHARACTERS = 3, 20


class ProposedColumns(NamedTuple):
    """Columns that are no numbers, by name."""

    nominal: Mapping[str, int]
    """Those of few values, and how many each has."""
    text: Mapping[str, float]
    """Those of long values, and how many words one has on average."""
    dates: tuple[str, ...] = ()
    decimal_commas: tuple[str, ...] = ()
    """Those of numbers with a decimal comma."""
    others: Mapping[str, int] = MappingProxyType({})
    """Those of many short values, and how many each has."""
    empty: tuple[str, ...] = ()
    """Those without any value, whatever they were to hold."""
    like_labels: tuple[str, ...] = ()
    """Features that hold 0 and 1 alone, where few do."""
    like_groups: Mapping[str, int] = MappingProxyType({})
    """Features whose values repeat, as names or numbers of patients do, and how many each has."""


def proposed_columns(wanted: DataReference) -> ProposedColumns:
    """Return what could be made of the columns of a table that would be left out.

    There are none for files of a format that has no text columns.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    found = ProposedColumns({}, {})
    if not is_path(wanted.use) or wanted.use.endswith(SUFFIX):
        return found
    check_path_keys(wanted)
    format_name, files = find_path_files(wanted.use, wanted.settings)
    known = get_format(format_name).options
    if "text" not in known:
        return found
    options = {
        key: value
        for key, value in wanted.settings.items()
        if key in known and not is_row_file(value)
    }
    read = read_table(format_name, files, options)
    columns = read.attributes
    empty, like_labels = _empty_columns(read), _columns_like_labels(read)
    like_groups = _columns_like_groups(read)
    left = [each.name for each in columns if each.kind == "text"]
    left = [name for name in left if name not in wanted.settings.get("ignore", ())]
    if not left:
        return ProposedColumns(
            {}, {}, empty=empty, like_labels=like_labels, like_groups=like_groups
        )
    nominal = {"nominal": [*options.get("nominal", ()), *left]}
    table = read_table(format_name, files, {**options, **nominal})
    values = {each.name: each.values for each in table.attributes if each.name in left}
    dates = tuple(name for name in left if _are_dates(values[name]))
    commas = tuple(name for name in left if _have_decimal_commas(values[name]))
    left = [name for name in left if name not in (*dates, *commas)]
    words = {name: fmean(len(each.split()) for each in values[name] or [""]) for name in left}
    few = min(_FEW_VALUES, len(table.Y) // 2)
    is_few = [name for name in left if 2 <= len(values[name]) <= few]
    named_as_groups = {name: len(values[name]) for name in is_few if _NAMES_OF_GROUPS.search(name)}
    is_long = [
        name
        for name in left
        if name not in is_few
        and words[name] >= _ENOUGH_WORDS
        and fmean(map(len, values[name])) >= _ENOUGH_CHARACTERS
    ]
    return ProposedColumns(
        nominal={name: len(values[name]) for name in is_few},
        text={name: words[name] for name in is_long},
        dates=dates,
        decimal_commas=commas,
        others={name: len(values[name]) for name in left if name not in (*is_few, *is_long)},
        empty=empty,
        like_labels=like_labels,
        like_groups={**like_groups, **named_as_groups},
    )


def columns_like_groups(data: Dataset, proposed: ProposedColumns) -> dict[str, int]:
    """Return the columns whose values may name rows that belong together; none if some do."""
    if data.groups is not None:
        return {}
    left_out = {name: n for name, n in proposed.others.items() if 2 * n <= len(data.Y)}
    return {**left_out, **proposed.like_groups}


def groups_in_words(wanted: DataReference, data: Dataset) -> list[str]:
    """Ask whether columns of a file name rows that belong together, where nothing says so."""
    names = [*data.feature_names, *re.findall(r"'([^']+)'", data.left_out)]
    if data.groups is not None or not any(map(_NAMES_OF_GROUPS.search, names)):
        return []
    return [
        f"{name} has {n_values} values, which repeat: if they name groups, `groups: {name}` keeps "
        "the rows of each in one part of every split."
        for name, n_values in columns_like_groups(data, proposed_columns(wanted)).items()
    ]


def _columns_like_groups(table: RawTable) -> Mapping[str, int]:
    """Return the numeric features that may name a group: by their name, and as values repeat."""
    if sparse.issparse(table.cells):
        return {}
    found = {}
    for place, each in enumerate(table.attributes):
        if each.kind != "numeric" or not _NAMES_OF_GROUPS.search(each.name):
            continue
        values = table.cells[:, place]
        number = len(np.unique(values))
        if _FEW_VALUES < number <= len(values) // 2 and (values == np.round(values)).all():
            found[each.name] = number
    return found


def _columns_like_labels(table: RawTable) -> tuple[str, ...]:
    """Return the numeric features of 0 and 1 alone; none if they are half of all or more."""
    if sparse.issparse(table.cells) or not table.label_names:
        return ()
    is_like = ((table.cells == 0) | (table.cells == 1)).all(axis=0)
    names = tuple(
        each.name
        for each, found in zip(table.attributes, is_like, strict=True)
        if found and each.kind == "numeric"
    )
    return names if 2 * len(names) < len(table.attributes) else ()


def _empty_columns(table: RawTable) -> tuple[str, ...]:
    """Return the features of which no row has a value."""
    if sparse.issparse(table.cells):
        return ()
    is_empty = np.isnan(table.cells).all(axis=0)
    return tuple(
        each.name for each, no_value in zip(table.attributes, is_empty, strict=True) if no_value
    )


def _have_decimal_commas(values: tuple[str, ...]) -> bool:
    """Return whether all are numbers once a comma is a point, and some are not before."""
    with_comma = [each for each in values if "," in each]
    return bool(with_comma) and all(
        finite_number(each.replace(",", ".", 1)) is not None for each in values
    )


def _are_dates(values: tuple[str, ...]) -> bool:
    try:
        ranked_times(values, "")
    except DataError:
        return False
    return bool(values)
