"""What a data set is like: sizes, label frequencies, imbalance, co-occurrence."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, issparse, triu

from mlbench.data.dataset import Dataset
from mlbench.errors import DataError
from mlbench.number_text import listed
from mlbench.solvers.arrays import Floats, Ints


@dataclass(frozen=True)
class LabelFrequency:
    """How often a label (or, with tasks, the label in a task) is positive."""

    label: str
    positives: int
    frequency: float | None
    """Positives among the rows in which it is known; None if it is known in none."""
    imbalance: float | None
    """Positives of the most frequent label divided by its own (IRLbl); None without positives."""


@dataclass(frozen=True)
class LabelPair:
    """Two labels that occur together."""

    labels: tuple[str, str]
    rows: int


@dataclass(frozen=True)
class Description:
    """The measures of a data set.

    An unknown label counts as negative, except in frequencies and the density. A measure that is
    undefined is None.
    """

    name: str
    rows: int
    features: int
    text_columns: int
    labels: int
    """Or tasks, which count as labels that are known in their own rows."""
    missing: float
    """Fraction of feature cells without a value."""
    known: float
    """Fraction of label entries that are known."""
    cardinality: float
    """Positive labels per row."""
    density: float
    """Fraction of known entries that are positive."""
    unlabeled: int
    """Rows without a positive label."""
    labelsets: int
    """Distinct rows of Y."""
    distinct: float
    """`labelsets` per row."""
    mean_imbalance: float | None
    """MeanIR of Charte, Rivera, del Jesus & Herrera (Neurocomputing 163, 2015), over labels with
    positives.
    """
    largest_imbalance: float | None
    without_positives: int
    """Labels without positives."""
    scumble: float | None
    """How far rare and frequent labels share rows, in [0, 1): SCUMBLE of Charte et al. (HAIS 2014);
    a row without a label counts 0.
    """
    frequencies: tuple[LabelFrequency, ...]
    """In the order of the labels."""
    pairs: tuple[LabelPair, ...]
    """The most common pairs, most common first."""


def describe(data: Dataset, most_pairs: int = 10) -> Description:
    """Measure a data set; at most `most_pairs` pairs of labels are listed."""
    Y, known, names = _labels(data)
    n, k = Y.shape
    positives = np.asarray(Y.sum(axis=0)).ravel().astype(np.int64)
    sizes = np.full(k, n) if known is None else np.asarray(known.sum(axis=0)).ravel()
    per_row = np.asarray(Y.sum(axis=1)).ravel()
    most = positives.max(initial=0)
    ratios = np.divide(most, positives, out=np.full(k, np.nan), where=positives > 0)
    has_ratio = bool(most)
    labelsets = np.unique(np.packbits(Y.toarray().astype(bool), axis=1), axis=0).shape[0]
    values = data.X.data if issparse(data.X) else data.X
    return Description(
        name=data.name,
        rows=n,
        features=data.n_features,
        text_columns=0 if data.texts is None else len(data.texts.names),
        labels=k,
        missing=int(np.isnan(values).sum()) / max(n * data.n_features, 1),
        known=float(sizes.sum() / (n * k)),
        cardinality=float(per_row.mean()),
        density=float(positives.sum() / max(sizes.sum(), 1)),
        unlabeled=int((per_row == 0).sum()),
        labelsets=labelsets,
        distinct=labelsets / n,
        mean_imbalance=float(np.nanmean(ratios)) if has_ratio else None,
        largest_imbalance=float(np.nanmax(ratios)) if has_ratio else None,
        without_positives=int((positives == 0).sum()),
        scumble=_scumble(Y, ratios, per_row) if has_ratio else None,
        frequencies=tuple(
            LabelFrequency(
                name,
                int(count),
                float(count / size) if size else None,
                float(ratio) if count else None,
            )
            for name, count, size, ratio in zip(names, positives, sizes, ratios, strict=True)
        ),
        pairs=_pairs(Y, names, most_pairs),
    )


def one_valued_labels(data: Dataset) -> list[str]:
    """Return the names of the labels (or tasks) that have one value wherever they are known."""
    Y, known, names = _labels(data)
    positives = np.asarray(Y.sum(axis=0)).ravel()
    sizes = data.n_samples if known is None else np.asarray(known.sum(axis=0)).ravel()
    return [names[label] for label in np.flatnonzero((positives == 0) | (positives == sizes))]


def refuse_labels_without_values(data: Dataset, place: str) -> None:
    """Refuse a label without a value in any row, and labels that all have one value.

    `place` starts the message.
    """
    known = np.ones(data.n_labels, dtype=bool) if data.known is None else data.known.any(axis=0)
    if not known.all():
        names = [data.label_names[label] for label in np.flatnonzero(~known)]
        raise DataError(
            f"{place}: no row has a value of the label{'s' * (len(names) > 1)} {listed(names, 3)}; "
            "leave it out of label_columns, or write `min_positives: 1`, which drops labels "
            "without a positive",
            "label_columns",
        )
    constant = one_valued_labels(data)
    if constant and len(constant) == len(data.task_names or data.label_names):
        have = "the only label has" if len(constant) == 1 else "all labels have"
        raise DataError(
            f"{place}: {have} one value in all rows ({listed(constant, 3)}), so there is nothing "
            "to learn or to compare; choose other labels",
            "label_columns",
        )


def _labels(data: Dataset) -> tuple[csr_matrix, csr_matrix | None, tuple[str, ...]]:
    """Return the labels, which of them are known, and their names; tasks become labels."""
    if data.tasks is None:
        known = None if data.known is None else csr_matrix(data.known)
        return csr_matrix(data.Y, dtype=np.int64), known, data.label_names
    own = np.arange(len(data.task_names)) == data.tasks[:, None]
    return csr_matrix(data.Y * own, dtype=np.int64), csr_matrix(own), data.task_names


def _scumble(Y: csr_matrix, ratios: Floats, per_row: Ints) -> float:
    """Return the mean over rows of 1 - geometric / arithmetic mean of their labels' ratios."""
    ratios = np.nan_to_num(ratios, nan=1.0)
    k = np.maximum(per_row, 1)
    geometric, arithmetic = np.exp(Y @ np.log(ratios) / k), Y @ ratios / k
    each = 1 - np.divide(geometric, arithmetic, out=np.ones(k.shape), where=per_row > 0)
    return float(each.mean())


def _pairs(Y: csr_matrix, names: tuple[str, ...], most: int) -> tuple[LabelPair, ...]:
    together = triu(Y.T @ Y, k=1).tocoo()
    order = np.lexsort((together.col, together.row, -together.data))[:most]
    return tuple(
        LabelPair((names[together.row[i]], names[together.col[i]]), int(together.data[i]))
        for i in order
    )
