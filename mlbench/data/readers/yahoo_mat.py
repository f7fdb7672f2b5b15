"""The Yahoo web pages with a reduced vocabulary, as distributed for ML-kNN and MLNB."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack

from mlbench.data.readers.format import Format
from mlbench.data.readers.mat import features, labels, read_variables
from mlbench.data.readers.parts import needed
from mlbench.data.table import RawTable, numbered, numeric_attributes
from mlbench.errors import DataError


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``all``: train_data, test_data (n x d), train_target, test_target (k x n, -1 or +1).

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


FORMAT = Format(read)
