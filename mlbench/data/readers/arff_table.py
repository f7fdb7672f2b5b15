"""An ARFF file whose labels are chosen among its attributes."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import issparse

from mlbench.data.arff import read_arff
from mlbench.data.frames import class_labels
from mlbench.data.label_columns import chosen_columns
from mlbench.data.labels import Labels, labels_from, labels_side_by_side
from mlbench.data.readers.format import Format, needed
from mlbench.data.table import Attribute, Cells, RawTable
from mlbench.errors import DataError


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``all``.

    Options: ``label_columns`` and ``class_column``, see `mlbench.data.frames.from_dataframe`.

    Raises
    ------
    DataError
        If the file is damaged, or an option chooses no attribute or one that holds no labels.
    """
    path = needed(files, "all", "the ARFF file")
    arff = read_arff(path)
    names = [attribute.name for attribute in arff.attributes]
    chosen = {
        option: [names.index(name) for name in chosen_columns(value, names, option, str(path))]
        for option, value in options.items()
    }
    labels, classes = chosen.get("label_columns", []), chosen.get("class_column", [])
    others = [j for j in range(len(names)) if j not in {*labels, *classes}]
    if not others or len(others) == len(names):
        raise DataError(
            f"{path}: {len(others)} of {len(names)} attributes are features; there must be "
            "features and labels: choose the labels with `label_columns` or `class_column`"
        )
    blocks = [_classes(arff.attributes[j], arff.cells[:, [j]], path) for j in classes]
    if labels:
        attributes = [arff.attributes[j] for j in labels]
        blocks.insert(0, labels_from(arff.cells[:, labels], attributes, str(path)))
    found = labels_side_by_side(blocks)
    return RawTable(
        attributes=tuple(arff.attributes[j] for j in others),
        cells=arff.cells[:, others],
        Y=found.Y,
        label_names=found.names,
        known=found.known,
    )


def _classes(attribute: Attribute, cells: Cells, path: Path) -> Labels:
    codes = np.ravel(cells.toarray() if issparse(cells) else cells)
    if attribute.kind != "nominal":
        values, places = np.unique(codes[~np.isnan(codes)], return_inverse=True)
        codes[~np.isnan(codes)] = places
        attribute = Attribute(attribute.name, "nominal", tuple(f"{value:g}" for value in values))
    return class_labels(attribute, codes, str(path))


FORMAT = Format(
    read,
    options=frozenset({"label_columns", "class_column"}),
    suffixes=(".arff",),
    applies=lambda path, settings: not {"label_columns", "class_column"}.isdisjoint(settings),
)
