"""Landmine detection: tasks with separate samples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mlbench.data.readers.format import Format
from mlbench.data.readers.mat import features, labels, read_variables
from mlbench.data.readers.parts import needed
from mlbench.data.table import RawTable, numbered, numeric_attributes
from mlbench.errors import DataError
from mlbench.solvers.arrays import Floats, Ints


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``all``: cell arrays feature (n_t x d) and label (n_t x 1), one cell per task t.

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


FORMAT = Format(read)
