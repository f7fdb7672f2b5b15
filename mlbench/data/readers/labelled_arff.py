"""Splitting the columns of an ARFF file into features and labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlbench.data.arff import ArffFile
from mlbench.data.encoding import labels_from
from mlbench.data.table import RawTable
from mlbench.errors import DataError


def split_labels(arff: ArffFile, label_columns: Sequence[int], path: Path) -> RawTable:
    """Return the table with the given columns as labels, in this order.

    Raises
    ------
    DataError
        If a label column does not contain labels, or if no feature is left.
    """
    chosen = list(label_columns)
    others = [j for j in range(len(arff.attributes)) if j not in set(chosen)]
    if not others:
        raise DataError(f"{path}: all {len(chosen)} attributes are labels; no feature is left")
    labels = labels_from(arff.cells[:, chosen], [arff.attributes[j] for j in chosen], str(path))
    return RawTable(
        attributes=tuple(arff.attributes[j] for j in others),
        cells=arff.cells[:, others],
        Y=labels.Y,
        label_names=labels.names,
        known=labels.known,
    )
