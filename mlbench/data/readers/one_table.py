"""One CSV, TSV or Parquet file with features and labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.data.files import read_lines
from mlbench.data.frames import ColumnChoice, table_of
from mlbench.data.label_columns import delimiter_hint
from mlbench.data.npz_members import UNQUESTIONED
from mlbench.data.readers.format import Format, part_paths, whole_number
from mlbench.data.readers.text_cells import check_column_names, nominal_option
from mlbench.data.search_path import uncompressed_name
from mlbench.data.table import RawTable, numbered
from mlbench.data.texts import text_choice
from mlbench.errors import DataError
from mlbench.number_text import counted

if TYPE_CHECKING:
    import pandas as pd

_MISSING = ["", "?", "na", "Na", "NA", "nan", "NaN", "NAN"]
_PARQUET = ".parquet"
_MAX_BYTES_OUT_OF_ONE = 1000
"""Of Parquet files: columns of few values take hardly any room in them."""


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``train`` and ``test`` (or ``all``).

    Options: ``label_columns``, ``class_column``, ``nominal``, ``text``, ``groups`` and ``time``
    (see `mlbench.data.frames.from_dataframe`; a class column may also be ``first`` or ``last``),
    and except for Parquet ``header_lines`` (the last of which has the names of the columns; the
    default is 1; without one they are x1 ...) and ``delimiter`` (``,``, or a TAB in .tsv files).

    Raises
    ------
    DataError
        If a file is damaged, or an option has an invalid value.
    """
    import pandas as pd

    classes = options.get("class_column")
    nominal = nominal_option(options.get("nominal", []))
    paths = part_paths(files)
    frames, lines = zip(*(_read_frame(path, options) for path in paths), strict=True)
    if [*frames[0].columns] != [*frames[-1].columns]:
        odd = sorted({*frames[0].columns} ^ {*frames[-1].columns})
        raise DataError(
            f"{paths[0]} and {paths[1].name}: both must have the same columns in the same order"
            + (f"; only one has {odd[0]!r}" if odd else "")
        )
    categories = {
        name
        for frame in frames
        for name in frame
        if isinstance(frame[name].dtype, pd.CategoricalDtype)
    }
    whole = pd.concat(frames, ignore_index=True)
    whole = whole.astype(dict.fromkeys(categories, "category"))
    source = " and ".join([str(paths[0]), *(path.name for path in paths[1:])])
    columns = ColumnChoice(
        options.get("label_columns"),
        classes,
        nominal,
        groups=options.get("groups"),
        time=options.get("time"),
        text=text_choice(options.get("text"), source),
    )
    n_first = len(frames[0])

    def place(row: int) -> str:
        part, row = (0, row) if row < n_first else (1, row - n_first)
        return (
            f"{paths[part]}:{lines[part][row]}" if lines[part] else f"{paths[part]}: row {row + 1}"
        )

    return table_of(whole, columns, source, n_first if len(frames) > 1 else None, place)


def _read_frame(path: Path, options: Mapping[str, object]) -> tuple[pd.DataFrame, list[int]]:
    """Return the rows, and the line at which each ends, if it is text."""
    suffix = _suffix(path)
    if suffix == _PARQUET:
        for option in ("header_lines", "delimiter"):
            if option in options:
                raise DataError(f"{path}: {option} is for text; a Parquet file has no such thing")
        return _read_parquet(path), []
    delimiter = options.get("delimiter", "," if suffix == ".csv" else "\t")
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise DataError(f"delimiter is {delimiter!r}; it must be one character")
    return _read_text(path, delimiter, whole_number({"header_lines": 1, **options}, "header_lines"))


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        from pyarrow.parquet import read_metadata  # type: ignore[import-untyped]

        stored, about = path.stat().st_size, read_metadata(path)
        unpacked = 8 * about.num_rows * about.num_columns
        if unpacked > max(UNQUESTIONED, _MAX_BYTES_OUT_OF_ONE * stored):
            raise DataError(
                f"{path}: {about.num_rows} rows of {about.num_columns} columns in {stored} bytes "
                "are too many"
            )
        frame = pd.read_parquet(path, engine="pyarrow")
    except ImportError as error:
        raise DataError(
            f"{path}: Parquet files need pyarrow: install mlbench with the extra `parquet`, or "
            "save the table as CSV"
        ) from error
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as Parquet: {error}") from error
    if frame.empty:
        raise DataError(f"{path}: no rows")
    return frame


def _read_text(path: Path, delimiter: str, header_lines: int) -> tuple[pd.DataFrame, list[int]]:
    import pandas as pd

    text = "\n".join(read_lines(path)[max(header_lines - 1, 0) :])
    first, lines = _scan_rows(path, text, delimiter, max(header_lines, 1))
    names: Sequence[str] = numbered("x", len(first))
    if header_lines:
        names = [first[0].strip() or "index", *(name.strip() for name in first[1:])]
        check_column_names(names, f"{path}:{header_lines}", "; without one, set `header_lines: 0`")
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=0 if header_lines else None,
            names=list(names),
            index_col=False,
            na_values=_MISSING,
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
        )
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error
    if frame.empty:
        raise DataError(f"{path}: no rows")
    return frame, lines[1:] if header_lines else lines


def _scan_rows(
    path: Path, text: str, delimiter: str, first_line: int
) -> tuple[list[str], list[int]]:
    """Return the cells of the first row, and the number of the last line of each row.

    All rows must have as many cells, because pandas would fill short ones.
    """
    first: list[str] = []
    lines: list[int] = []
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in rows:
            first = first or row
            if not row:
                continue
            lines.append(first_line + rows.line_num - 1)
            if len(row) != len(first):
                raise DataError(
                    f"{path}:{lines[-1]}: {counted(len(row), 'value')}, but the first row has "
                    f"{len(first)}"
                    f"{delimiter_hint(first)}"
                )
    except csv.Error as error:
        raise DataError(
            f"{path}:{first_line + rows.line_num - 1}: not a row of a CSV table: {error}"
        ) from error
    if not first:
        raise DataError(f"{path}: no rows")
    return first, lines


def _applies(path: Path, settings: Mapping[str, object]) -> bool:
    """Whether labels are chosen among the columns; ``delimited`` reads the other CSV files."""
    return (
        "label_columns" in settings
        or settings.get("class_column", "last") not in ("first", "last")
        or _suffix(path) != ".csv"
    )


def _suffix(path: Path) -> str:
    return Path(uncompressed_name(path.name)).suffix.lower()


FORMAT = Format(
    read,
    options=frozenset(
        {
            "label_columns",
            "class_column",
            "nominal",
            "text",
            "groups",
            "time",
            "header_lines",
            "delimiter",
        }
    ),
    suffixes=(".csv", ".tsv", ".tab", _PARQUET),
    applies=_applies,
    has_parts=True,
)
