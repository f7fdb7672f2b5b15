"""Corel16k as a MATLAB file, with names from a MULAN file of the same columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mlbench.data.arff import read_arff
from mlbench.data.readers.format import Format
from mlbench.data.readers.mat import features, labels, read_variables
from mlbench.data.readers.mulan import find_labels, read_label_names
from mlbench.data.readers.parts import needed
from mlbench.data.table import RawTable, numbered, numeric_attributes
from mlbench.errors import DataError


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``all``: data (n x d) and target (k x n, 0 or 1).

    Names come from ``header`` (an ARFF file with the same columns) and ``labels`` (its XML file),
    if both are given; otherwise features are x1 ... and labels label1 ...

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


FORMAT = Format(read)
