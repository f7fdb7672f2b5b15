"""Data frames as data sets: features and labels in the columns of one table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from mlbench.data.dataset import Dataset
from mlbench.data.encoding import Encoding, encode
from mlbench.data.label_columns import (
    LabelsNotChosenError,
    chosen_columns,
    columns_are,
    refuse_two_uses,
)
from mlbench.data.labels import Labels, labels_from, labels_side_by_side, truth_values
from mlbench.data.row_columns import take_out
from mlbench.data.row_values import numbered_groups, ranked_times
from mlbench.data.table import Attribute, RawTable
from mlbench.data.texts import NO_TEXT, TextChoice, Texts, refuse_unknown_columns, text_choice
from mlbench.errors import DataError, about_key
from mlbench.number_text import row_from_one
from mlbench.solvers.arrays import Floats
from mlbench.spelling import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

_ENOUGH_ROWS = 20


def from_dataframe(
    frame: pd.DataFrame,
    *,
    label_columns: object = None,
    class_column: object = None,
    nominal: str | Sequence[str] = (),
    missing: Literal["refuse", "keep"] = "refuse",
    row_ids: Literal["refuse", "keep"] = "refuse",
    ignore: str | Sequence[str] = (),
    groups: str | ArrayLike | None = None,
    time: str | ArrayLike | None = None,
    text: str | Sequence[str] | Mapping[str, object] | None = None,
    name: str = "data",
) -> Dataset:
    """Return a data frame as a data set.

    Parameters
    ----------
    frame : (n, c) DataFrame
        Numbers and truth values are features as they are; categories become a 0/1 feature for each
        value. Text and dates are left out, unless `nominal` or `text` names them, and so are
        columns that number the rows. A warning names them, except those under `ignore`. The index
        is not used.
    label_columns
        Columns of 0 and 1 (or no/yes, false/true, -1/1; unknown if missing): a name, a position (1
        is the first, -1 the last), a list of these, or ``{"prefix": "y_"}``, ``{"first": 6}``,
        ``{"last": 6}``.
    class_column
        Columns with classes, written likewise: each class becomes the label ``column=class``.
    nominal
        Feature columns whose values are categories.
    missing, row_ids, ignore
        See `mlbench.data.encoding.Encoding`.
    groups : str or (n,) array-like
        The column of the groups that no split divides, which is then no feature; or the group of
        each row.
    time : str or (n,) array-like
        Likewise the times of rows, for splits in time order: numbers or dates.
    text
        Columns of text, which a vectorizer fitted to each training part turns into features: their
        names, or ``{"columns": [...], "use": "tfidf" or "hashing", ...}`` with parameters of
        scikit-learn's `TfidfVectorizer` or `HashingVectorizer`.

    Raises
    ------
    DataError
        If no label is chosen, or if a column does not hold what it should.
    """
    if not hasattr(frame, "columns"):
        raise DataError(f"{name}: a data frame is needed, not a {type(frame).__name__}")
    ignore, nominal = ([each] if isinstance(each, str) else each for each in (ignore, nominal))
    for key, value in (("missing", missing), ("row_ids", row_ids)):
        if value not in ("refuse", "keep"):
            raise DataError(f"{name}: {key} is {value!r}; it must be 'refuse' or 'keep'")
    named = {
        key: column
        for key, column in (("groups", groups), ("time", time))
        if isinstance(column, str)
    }
    texts = text_choice(text, name)
    given = {key: [column] for key, column in named.items()}
    refuse_two_uses({"ignore": ignore, "nominal": nominal, **given}, name)
    columns = ColumnChoice(label_columns, class_column, frozenset(nominal), **named, text=texts)
    table, numbers, ranks = take_out(table_of(frame, columns, name), named, name)
    data = encode(table, Encoding(missing, row_ids, tuple(ignore)), name)
    if len(data.feature_columns) + len({*ignore}) < len(table.attributes):
        warnings.warn(
            f"{name}: left out {data.left_out}; `nominal` and `text` make features of text, and "
            "columns under `ignore` are left out without a warning",
            stacklevel=2,
        )
    if groups is not None and not isinstance(groups, str):
        numbers = numbered_groups(groups, name)
    if time is not None and not isinstance(time, str):
        ranks = ranked_times(time, name)
    return replace(data, groups=numbers, times=ranks)


@dataclass(frozen=True)
class ColumnChoice:
    """What the columns of a table are; see `from_dataframe`."""

    labels: object = None
    classes: object = None
    nominal: Collection[str] = frozenset()
    groups: object = None
    time: object = None
    text: TextChoice = NO_TEXT


def table_of(
    frame: pd.DataFrame,
    columns: ColumnChoice,
    source: str,
    n_train: int | None = None,
    place: Callable[[int], str] | None = None,
) -> RawTable:
    """Divide the columns of a data frame into features and labels.

    Parameters
    ----------
    place
        Says where the row of an index (from 0) stands; by default its number in `source`.

    Raises
    ------
    DataError
        As for `from_dataframe`; messages start with `source`, or the place of a row.
    """
    place = place or _numbered_row(source)
    names = [str(name) for name in frame.columns]
    frame = frame.set_axis(names, axis="columns")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{source}: two columns are named {twice!r}")
    if columns.labels is None and columns.classes is None:
        raise LabelsNotChosenError(
            f"{source}: which columns are labels? Add `label_columns` (names, positions, or "
            "`{prefix: TEXT}`), or `class_column` if one column contains the class; "
            f"{columns_are(names)}",
            names,
        )
    labels = _chosen(columns.labels, names, "label_columns", source)
    classes = _chosen(columns.classes, names, "class_column", source)
    uses = {
        "text": columns.text.columns,
        "nominal": columns.nominal,
        "groups": [columns.groups],
        "time": [columns.time],
        "label_columns": labels,
        "class_column": classes,
    }
    refuse_two_uses(uses, source)
    features = [name for name in names if name not in {*labels, *classes}]
    if not features:
        raise DataError(f"{source}: all {len(names)} columns are labels; no feature is left")
    for name in columns.nominal:
        if name not in features:
            raise DataError(
                f"{source}: nominal: no feature named {name!r}{did_you_mean(name, features)}",
                "nominal",
            )
    refuse_unknown_columns(columns.text, features, source)
    features = [name for name in features if name not in columns.text.columns]
    for key, column in (("groups", columns.groups), ("time", columns.time)):
        if column in features:
            _refuse_missing(frame[column], key, place)
    categories = {*columns.nominal, columns.groups}
    decoded = [
        _moments(frame[name], source, place)
        if name == columns.time
        else _decoded(frame[name], name in categories, source, place)
        for name in features
    ]
    blocks = [_labels(frame[name], source) for name in labels]
    blocks += [class_labels(*_categories(frame[name]), source, place) for name in classes]
    found = labels_side_by_side(blocks)
    return RawTable(
        attributes=tuple(attribute for attribute, _ in decoded),
        cells=np.column_stack([np.empty((len(frame), 0)), *(cells for _, cells in decoded)]),
        Y=found.Y,
        label_names=found.names,
        known=found.known,
        texts=_texts_of(frame, columns.text, source) if columns.text.columns else None,
        n_train=n_train,
    )


def _texts_of(frame: pd.DataFrame, choice: TextChoice, source: str) -> Texts:
    import pandas as pd

    for name in choice.columns:
        known = frame[name].dropna()
        if known.empty:
            raise DataError(f"{source}: text: all texts of the column {name!r} are empty")
        if pd.api.types.is_numeric_dtype(known) or known.dtype.kind in "mM":
            raise DataError(
                f"{source}: text: the column {name!r} holds {known.dtype}, no text; leave it out "
                f"of `text`"
            )
    found = frame[list(choice.columns)].astype(object)
    values = found.where(found.notna(), "").map(str).to_numpy(dtype=object)
    return Texts(choice.columns, values, choice.vectorizer)


def _numbered_row(source: str) -> Callable[[int], str]:
    return lambda row: f"{source}: {row_from_one(row)}"


def _chosen(wanted: object, names: Sequence[str], option: str, source: str) -> list[str]:
    return [] if wanted is None else chosen_columns(wanted, names, option, source)


def _decoded(
    column: pd.Series, nominal: bool, source: str, place: Callable[[int], str]
) -> tuple[Attribute, Floats]:
    """Return a feature and its cells; see `Attribute`."""
    import pandas as pd

    name = str(column.name)
    if nominal or isinstance(column.dtype, pd.CategoricalDtype):
        return _categories(column)
    if not (pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)):
        numbers = pd.to_numeric(column, errors="coerce")
        wrong = np.flatnonzero(numbers.isna() & column.notna())
        if column.dtype.kind in "mM" or 2 * wrong.size >= column.notna().sum():
            return Attribute(name, "text"), np.where(column.isna(), math.nan, 0.0)
        if wrong.size:
            raise DataError(
                f"{place(wrong[0])}: {str(column.iloc[wrong[0]])[:60]!r} is not a "
                f"number; if the column {name!r} contains categories, set `nominal: [{name}]`"
            )
        column = numbers
    if pd.api.types.is_complex_dtype(column):
        raise DataError(f"{source}: the column {name!r} holds complex numbers; make them real")
    cells: Floats = column.to_numpy(dtype=np.float64, na_value=math.nan)
    if np.isinf(cells).any():
        row = int(np.isinf(cells).argmax())
        raise DataError(f"{place(row)}: the column {name!r} holds an infinite number")
    return Attribute(name), cells


def _refuse_missing(column: pd.Series, key: str, place: Callable[[int], str]) -> None:
    if column.isna().any():
        row = int(column.isna().to_numpy().argmax())
        raise DataError(
            f"{place(row)}: {key}: {column.name!r} is missing; each row needs a value", key
        )


def _moments(
    column: pd.Series, source: str, place: Callable[[int], str]
) -> tuple[Attribute, Floats]:
    """Return an attribute with the rank of each row in time."""
    key = f"time: {column.name!r}"
    times = column.to_numpy()
    with about_key("time"):
        ranks = ranked_times(times, f"{source}: {key}", lambda row: f"{place(row)}: {key}")
    return Attribute(str(column.name)), ranks.astype(np.float64)


def _categories(column: pd.Series) -> tuple[Attribute, Floats]:
    """Return a nominal attribute, its values sorted as numbers if all are whole."""
    import pandas as pd

    codes, found = pd.factorize(column)
    texts = _texts(pd.Series(found))
    values = sorted_values(set(texts))
    position = {value: i for i, value in enumerate(values)}
    cells = np.array([*map(position.__getitem__, texts), math.nan])[codes]  # -1 is missing
    return Attribute(str(column.name), "nominal", values), cells


_MAX_WHOLE = 2**53
"""Up to here every whole number is a float of its own."""


def _texts(values: pd.Series) -> list[str]:
    """Return values as text, whole numbers without a point."""
    import pandas as pd

    is_whole = pd.api.types.is_float_dtype(values) and (values % 1 == 0).all()
    if is_whole and values.abs().max() <= _MAX_WHOLE:
        values = values.astype("Int64")
    return [str(value).strip() for value in values]


def sorted_values(values: Collection[str]) -> tuple[str, ...]:
    """Sort values as numbers if all are whole numbers, otherwise as text."""
    if all(value.lstrip("+-").isdecimal() and len(value) < 19 for value in values):
        return tuple(sorted(values, key=lambda value: (int(value), value)))
    return tuple(sorted(values))


def _labels(column: pd.Series, source: str) -> Labels:
    attribute, codes = _categories(column)
    if truth_values(attribute.values) is None:
        shown = ", ".join(value[:40] for value in attribute.values[:8]) + (
            ", ..." if len(attribute.values) > 8 else ""
        )
        raise DataError(
            f"{source}: label {attribute.name!r} has the values {shown}; a label must be 0 or 1 "
            "(or no/yes, false/true, -1/1). If these are classes, choose the column by "
            f"`class_column: {attribute.name}`"
        )
    return labels_from(codes[:, None], [attribute], source)


def class_labels(
    attribute: Attribute,
    codes: Floats,
    source: str,
    place: Callable[[int], str] | None = None,
) -> Labels:
    """Return a label ``attribute=class`` for each class that occurs.

    Parameters
    ----------
    codes : (n,) float64
        Positions in the attribute's values.
    source, place
        See `table_of`.

    Raises
    ------
    DataError
        If a class is missing, or if there are too many to be classes.
    """
    if np.isnan(codes).any():
        where = (place or _numbered_row(source))(int(np.isnan(codes).argmax()))
        raise DataError(f"{where}: the class in {attribute.name!r} is missing")
    n, occurring = codes.size, np.unique(codes)
    if n >= _ENOUGH_ROWS and 2 * occurring.size > n:
        raise DataError(
            f"{source}: {attribute.name!r} has {occurring.size} different values in {n} rows, too "
            "many for classes; class_column must name another column"
        )
    names = tuple(f"{attribute.name}={attribute.values[int(code)]}" for code in occurring)
    return Labels(names, (codes[:, None] == occurring).astype(np.int64))
