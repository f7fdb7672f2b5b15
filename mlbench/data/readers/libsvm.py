"""Multi-label files in the format of LIBSVM and svmlight: ``label,label index:value ...``."""

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from mlbench.data.files import read_bytes
from mlbench.data.readers.format import Format, part_paths, whole_number
from mlbench.data.table import RawTable, numbered, numeric_attributes
from mlbench.errors import DataError
from mlbench.solvers.arrays import Ints

_MAX_COLUMNS = 1_000_000
_MAX_LABEL_CELLS = 1_000_000_000
_HEADER = re.compile(rb"\s*[0-9]{1,9}[ \t]+[0-9]{1,9}[ \t]+[0-9]{1,9}\s*")


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``train`` and ``test`` (or ``all``).

    Labels are the numbers that occur, in ascending order; with the option ``label_count`` they are
    0 to label_count - 1, including labels without positive rows. Feature numbers start at 1, or at
    0 if one of the files has a 0. ``feature_count`` sets the number of columns. A first line with
    the numbers of rows, features, and labels, as in the Extreme Classification Repository, sets all
    three; numbers then start at 0.

    Raises
    ------
    DataError
        If a file is malformed.
    """
    from sklearn.datasets import load_svmlight_files

    paths = part_paths(files)
    names = ", ".join(map(str, paths))
    headers, contents = zip(*(_split_header(read_bytes(path)) for path in paths), strict=True)
    columns = whole_number(options, "feature_count") or None
    n_labels = whole_number(options, "label_count")
    zero_based: bool | str = "auto"
    if all(headers):
        columns, n_labels = (columns or headers[0][1]), (n_labels or headers[0][2])
        zero_based = True
    try:
        loaded = load_svmlight_files(
            [io.BytesIO(content) for content in contents],
            n_features=columns,
            multilabel=True,
            zero_based=zero_based,
            dtype=np.float64,
        )
    except (ValueError, OverflowError, MemoryError, IndexError) as error:
        raise DataError(
            f"{names}: not a multi-label LIBSVM file ({str(error)[:120]}); every line must read "
            "`label,label index:value index:value ...` with ascending indices"
        ) from error
    parts, targets = loaded[0::2], loaded[1::2]
    if 0 in {part.shape[0] for part in parts}:
        raise DataError(f"{names}: a file has no rows")
    for path, header, part in zip(paths, headers, parts, strict=True):
        if header and header[0] != part.shape[0]:
            raise DataError(
                f"{path}:1: the header states {header[0]} rows, and the file has {part.shape[0]}"
            )
    d = max(part.shape[1] for part in parts)
    if d > _MAX_COLUMNS:
        raise DataError(f"{names}: feature number {d} is above the maximum of {_MAX_COLUMNS}")
    cells = _stack(parts)
    if not np.isfinite(cells.data).all():
        raise DataError(f"{names}: a feature value is not a finite number")
    rows = [labels for target in targets for labels in target]
    Y, label_names = _one_hot(rows, n_labels, names)
    return RawTable(
        attributes=numeric_attributes(numbered("x", d)),
        cells=cells,
        Y=Y,
        label_names=label_names,
        n_train=parts[0].shape[0] if len(parts) == 2 else None,
    )


def _split_header(content: bytes) -> tuple[tuple[int, ...], bytes]:
    """Return the numbers of rows, features and labels in the first line, if it has them."""
    first, _, rest = content.partition(b"\n")
    return (tuple(map(int, first.split())), rest) if _HEADER.fullmatch(first) else ((), content)


def _stack(parts: list[csr_matrix]) -> csr_matrix:
    from scipy.sparse import vstack

    return csr_matrix(vstack(parts)) if len(parts) > 1 else csr_matrix(parts[0])


def _one_hot(
    rows: list[tuple[float, ...]], label_count: int, names: str
) -> tuple[Ints, tuple[str, ...]]:
    lengths = [len(labels) for labels in rows]
    flat = np.array([label for labels in rows for label in labels], dtype=np.float64)
    if not np.isfinite(flat).all() or (flat != np.floor(flat)).any():
        raise DataError(f"{names}: a label is not a whole number")
    classes = np.arange(label_count) if label_count else np.unique(flat)
    if not np.isin(flat, classes).all():
        wrong = int(flat[~np.isin(flat, classes)][0])
        raise DataError(
            f"{names}: label {wrong} is out of range; label_count: {label_count} allows 0 to "
            f"{label_count - 1}"
        )
    if classes.size == 0:
        raise DataError(f"{names}: no row has a label")
    if len(rows) * classes.size > _MAX_LABEL_CELLS:
        raise DataError(
            f"{names}: {classes.size} labels for {len(rows)} rows are too many for memory"
        )
    Y: NDArray[Any] = np.zeros((len(rows), classes.size), dtype=np.int8)
    Y[np.repeat(np.arange(len(rows)), lengths), np.searchsorted(classes, flat)] = 1
    return Y, tuple(str(int(label)) for label in classes)


FORMAT = Format(
    read,
    options=frozenset({"label_count", "feature_count"}),
    suffixes=(".svm", ".libsvm", ".svmlight"),
    has_parts=True,
)
