"""Subsets of a data set: its frequent labels and words, some of its rows.

Several papers use a subset of a public data set ("35 categories, 1021 images") without saying
which; these rules make such a subset reproducible.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlbench.data.dataset import Dataset
from mlbench.data.labels import unknown_labels_note
from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.solvers.arrays import Ints


@dataclass(frozen=True)
class Subset:
    """Which part of a data set to keep; the rules are applied in this order."""

    min_positives: int | None = None
    """Drop labels with fewer positive rows."""
    labels: int | None = None
    """Keep this many labels. Their order does not change."""
    labels_by: str = "frequency"
    """Which ones: the most frequent (ties: the first), or with ``position`` the first in the data.
    """
    drop_unlabeled: bool = False
    """Drop rows without a positive label."""
    min_documents: int | None = None
    """Drop features that are nonzero in fewer rows."""
    rows: int | None = None
    """Keep this many rows, drawn without replacement, in their original order. With the same seed,
    a smaller draw is contained in every larger one.
    """
    seed: int = 0
    """Seed of the draw."""


def take_subset(data: Dataset, subset: Subset) -> Dataset:
    """Return the part of a data set that `subset` describes.

    The published split is restricted to the remaining rows, and dropped if one of its parts is
    empty.

    Raises
    ------
    DataError
        If more labels or rows are requested than there are, if no label, row or feature is left, or
        if labels are selected but every task has its own samples.
    """
    if data.tasks is not None and (
        (subset.min_positives or subset.labels) is not None or subset.drop_unlabeled
    ):
        raise DataError(
            f"{data.name}: `labels`, `min_positives` and `drop_unlabeled` go by columns of Y, but "
            "this data has tasks with separate samples; only `min_documents` and `rows` can be used"
        )
    whole = data
    if subset.min_positives is not None:
        data = _keep_labels(data, _frequent_enough(data, subset.min_positives))
    if subset.labels is not None:
        data = _keep_labels(data, _chosen(data, subset.labels, subset.labels_by))
    if subset.drop_unlabeled:
        data = _keep_rows(data, _labeled(data))
    if subset.min_documents is not None:
        data = _keep_features(data, subset.min_documents)
    if subset.rows is not None:
        data = _keep_rows(data, _draw(data, subset.rows, subset.seed))
    return _with_known_restated(data, whole)


def _with_known_restated(data: Dataset, whole: Dataset) -> Dataset:
    """Return a part with its own note on unknown labels, or as a common one if none is left."""
    if data.known is whole.known or data.known is None:
        return data
    old, new = (
        unknown_labels_note(each.known, each.label_names, each.row_numbers)
        for each in (whole, data)
    )
    notes = (*(note for note in data.notes if note not in old), *new)
    return replace(data, known=data.known if new else None, notes=notes)


def _frequent_enough(data: Dataset, min_positives: int) -> Ints:
    counts = data.Y.sum(axis=0)
    if counts.max(initial=0) < min_positives:
        raise DataError(
            f"{data.name}: min_positives is {min_positives}, but the most frequent label has "
            f"{counts.max(initial=0)} positives; no label would be left",
            "min_positives",
        )
    return np.flatnonzero(counts >= min_positives)


def _chosen(data: Dataset, labels: int, by: str) -> Ints:
    if labels > data.n_labels:
        raise DataError(
            f"{data.name}: labels is {labels}, but there are only {data.n_labels} labels", "labels"
        )
    if by == "position":
        return np.arange(labels)
    return np.sort(np.argsort(-data.Y.sum(axis=0), kind="stable")[:labels])


def _labeled(data: Dataset) -> Ints:
    labeled = np.flatnonzero(data.Y.any(axis=1))
    if len(labeled) == 0:
        raise DataError(
            f"{data.name}: drop_unlabeled leaves no row, because none has a label", "drop_unlabeled"
        )
    return labeled


def _keep_features(data: Dataset, min_documents: int) -> Dataset:
    counts = np.asarray((data.X != 0).sum(axis=0)).ravel()
    kept = np.flatnonzero(counts >= min_documents)
    if len(kept) == 0:
        raise DataError(
            f"{data.name}: min_documents is {min_documents}, but the most frequent feature is "
            f"nonzero in {counts.max(initial=0)} rows; no feature would be left",
            "min_documents",
        )
    names = tuple(data.feature_names[j] for j in kept)
    return replace(data, X=data.X[:, kept], feature_names=names, attributes=())


def _draw(data: Dataset, rows: int, seed: int) -> Ints:
    if rows > data.n_samples:
        raise DataError(
            f"{data.name}: rows is {rows}, but there are only {data.n_samples} rows", "rows"
        )
    return np.sort(random_state("subset-rows", seed).permutation(data.n_samples)[:rows])


def _keep_labels(data: Dataset, kept: Ints) -> Dataset:
    names = tuple(data.label_names[j] for j in kept)
    known = None if data.known is None else np.ascontiguousarray(data.known[:, kept])
    return replace(data, Y=np.ascontiguousarray(data.Y[:, kept]), label_names=names, known=known)


def _keep_rows(data: Dataset, kept: Ints) -> Dataset:
    own: dict[str, Any] = {
        name: each[kept]
        for name, each in data.optional_arrays().items()
        if name != "published_train"
    }
    if data.published_train is not None:
        train = np.flatnonzero(np.isin(kept, data.published_train))
        own["published_train"] = train if 0 < train.size < kept.size else None
    return replace(
        data,
        X=data.X[kept],
        Y=data.Y[kept],
        **own,
        texts=None if data.texts is None else data.texts.take(kept),
        row_numbers=kept if data.row_numbers is None else data.row_numbers[kept],
    )
