"""MATLAB files of three data sets: the Yahoo web pages, landmine detection, and Corel16k."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from mlbench.data.arff import read_arff
from mlbench.data.files import read_bytes
from mlbench.data.mat5 import Mat5Error, parse_mat5
from mlbench.data.readers.format import Format, needed
from mlbench.data.readers.mulan import find_labels, read_label_names
from mlbench.data.table import RawTable, numbered, numeric_attributes
from mlbench.errors import DataError
from mlbench.solvers.arrays import Floats, Ints


def read_variables(path: Path, names: tuple[str, ...]) -> list[Any]:
    """Return the named variables of a MATLAB 5 file; see `mlbench.data.mat5.parse_mat5`.

    Raises
    ------
    DataError
        If the file cannot be read, or a variable is missing.
    """
    content = read_bytes(path)
    try:
        variables, present = parse_mat5(content, names)
    except Mat5Error as error:
        raise DataError(f"{path}: not a readable MATLAB file: {error}") from error
    missing = [name for name in names if name not in variables]
    if missing:
        there = ", ".join(present) or "none"
        raise DataError(f"{path}: no variable {missing[0]!r}; the file has: {there}")
    return [variables[name] for name in names]


def features(value: Any, name: str, path: Path) -> csr_matrix:
    """Return an n x d variable as numbers.

    Raises
    ------
    DataError
        If it is not a table of finite numbers.
    """
    if not _is_table(value):
        raise DataError(f"{path}: {name} is not a table of numbers (n x d)")
    cells = csr_matrix(value, dtype=np.float64)
    if not np.isfinite(cells.data).all():
        raise DataError(f"{path}: {name} contains a value that is not a finite number")
    cells.sum_duplicates()
    cells.eliminate_zeros()
    return cells


def labels(value: Any, name: str, path: Path, rows: int) -> Ints:
    """Return (rows, k) 0/1 labels of a variable stored as k x rows of {0,1} or {-1,+1}.

    Raises
    ------
    DataError
        If it has another shape, or other values.
    """
    if not _is_table(value):
        raise DataError(f"{path}: {name} is not a table of numbers (labels x rows)")
    dense = np.asarray(value.toarray() if issparse(value) else value).astype(np.float64)
    if dense.shape[1] != rows:
        raise DataError(
            f"{path}: {name} is {dense.shape[0]} x {dense.shape[1]}; it must be labels x rows, and "
            f"there are {rows} rows"
        )
    kinds = set(np.unique(dense).tolist())
    if not (kinds <= {0.0, 1.0} or kinds <= {-1.0, 1.0}):
        shown = ", ".join(f"{kind:g}" for kind in sorted(kinds)[:6])
        raise DataError(f"{path}: {name} contains {shown}; labels must be 0 and 1, or -1 and 1")
    return np.ascontiguousarray((dense.T > 0).astype(np.int64))


def _is_table(value: Any) -> bool:
    if issparse(value):
        return True
    return isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "buif"


def read_yahoo(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read the Yahoo web pages with a reduced vocabulary, as distributed for ML-kNN and MLNB.

    ``all`` holds train_data, test_data (n x d), train_target, test_target (k x n, -1 or +1).

    The file has no names: features become x1 ..., labels label1 ...

    Raises
    ------
    DataError
        If the file is damaged, or if its variables are inconsistent.
    """
    path = needed(files, "all", "the .mat file")
    names = ("train_data", "test_data", "train_target", "test_target")
    variables = read_variables(path, names)
    parts = [features(variables[i], names[i], path) for i in (0, 1)]
    targets = [labels(variables[2 + i], names[2 + i], path, parts[i].shape[0]) for i in (0, 1)]
    if parts[0].shape[1] != parts[1].shape[1] or targets[0].shape[1] != targets[1].shape[1]:
        raise DataError(
            f"{path}: the training part has {parts[0].shape[1]} features and "
            f"{targets[0].shape[1]} labels, the test part {parts[1].shape[1]} and "
            f"{targets[1].shape[1]}; they must be the same"
        )
    return RawTable(
        attributes=numeric_attributes(numbered("x", parts[0].shape[1])),
        cells=csr_matrix(vstack(parts)),
        Y=np.vstack(targets),
        label_names=numbered("label", targets[0].shape[1]),
        n_train=parts[0].shape[0],
    )


YAHOO = Format(read_yahoo)


def read_landmine(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read the tasks of landmine detection; each has samples of its own.

    ``all`` holds cell arrays feature (n_t x d) and label (n_t x 1), one cell per task t.

    Samples are stacked, task after task; Y has one column.

    Raises
    ------
    DataError
        If the file is damaged, or if the tasks are inconsistent.
    """
    path = needed(files, "all", "the .mat file")
    feature, label = read_variables(path, ("feature", "label"))
    if not all(isinstance(v, np.ndarray) and v.dtype == object for v in (feature, label)):
        raise DataError(f"{path}: feature and label must be cell arrays, one cell for each task")
    if feature.size != label.size or feature.size == 0:
        raise DataError(f"{path}: {feature.size} cells of feature, but {label.size} of label")
    blocks: list[Floats] = []
    targets: list[Ints] = []
    for t, (x, y) in enumerate(zip(feature.reshape(-1), label.reshape(-1), strict=True), start=1):
        block = features(x, f"feature of task {t}", path).toarray()
        y = y.T if isinstance(y, np.ndarray) else y
        target = labels(y, f"label of task {t}", path, block.shape[0])
        if target.shape[1] != 1 or (blocks and block.shape[1] != blocks[0].shape[1]):
            raise DataError(
                f"{path}: task {t} has {block.shape[1]} features and {target.shape[1]} labels; "
                "every task must have the same features, and one label"
            )
        blocks.append(block)
        targets.append(target)
    sizes = [block.shape[0] for block in blocks]
    return RawTable(
        attributes=numeric_attributes(numbered("x", blocks[0].shape[1])),
        cells=np.vstack(blocks),
        Y=np.vstack(targets),
        label_names=("label",),
        tasks=np.repeat(np.arange(len(sizes)), sizes),
        task_names=numbered("task", len(sizes)),
    )


LANDMINE = Format(read_landmine)


def read_corel(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read Corel16k, with names from a MULAN file of the same columns.

    ``all`` holds data (n x d) and target (k x n, 0 or 1). Names come from ``header`` (an ARFF file
    with the same columns) and ``labels`` (its XML file), if both are given. Otherwise features are
    x1 ... and labels label1 ...

    Raises
    ------
    DataError
        If a file is damaged, or if the ARFF file has a different number of columns.
    """
    path = needed(files, "all", "the .mat file")
    data, target = read_variables(path, ("data", "target"))
    cells = features(data, "data", path)
    Y = labels(target, "target", path, cells.shape[0])
    d, k = cells.shape[1], Y.shape[1]
    feature_names, label_names = numbered("x", d), numbered("label", k)
    if "header" in files and "labels" in files:
        feature_names, label_names = _names(files["header"], files["labels"])
        if (len(feature_names), len(label_names)) != (d, k):
            raise DataError(
                f"{files['header']}: names {len(feature_names)} features and {len(label_names)} "
                f"labels, but {path.name} has {d} and {k}"
            )
    return RawTable(numeric_attributes(feature_names), cells, Y, label_names)


def _names(header: Path, xml: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names = [attribute.name for attribute in read_arff(header).attributes]
    label_columns = find_labels(read_label_names(xml), names, xml, header)
    labels_here = set(label_columns)
    return (
        tuple(name for j, name in enumerate(names) if j not in labels_here),
        tuple(names[j] for j in label_columns),
    )


COREL = Format(read_corel)
