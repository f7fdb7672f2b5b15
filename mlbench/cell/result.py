"""What comes out of a cell, and how it becomes plain values."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlbench.metrics import Evaluation
from mlbench.protocol.arrays import Part
from mlbench.protocol.splitters import DrawnSplit
from mlbench.solvers.arrays import Floats, Ints
from mlbench.store import LabelScores, TuningRecord
from mlbench.store.plain_values import Plain

_MAX_WARNINGS = 20


@dataclass
class Result:
    """What a cell found out, nothing by default; the fields are those of a row, and predictions."""

    metrics: dict[str, float | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    by_label: LabelScores | None = None
    params: dict[str, Plain] = field(default_factory=dict)
    tuning: TuningRecord | None = None
    thresholds: list[float | str] | None = None
    fit: dict[str, Plain] | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    predictions: dict[str, Floats | Ints] = field(default_factory=dict, repr=False)

    def row_fields(self) -> dict[str, Any]:
        """Return the values of the fields of :class:`mlbench.store.Row` by their names."""
        return {name: value for name, value in vars(self).items() if name != "predictions"}


def plain_thresholds(thresholds: Floats) -> list[float | str]:
    """Return thresholds as numbers, and infinite ones as texts."""
    return [each if np.isfinite(each) else str(each) for each in thresholds.tolist()]


def count(split: DrawnSplit, evaluation: Evaluation) -> dict[str, int]:
    """Count samples of both parts, labels of one class, and what metrics could use."""
    train, test = split.train, split.test
    return {
        "train_samples": len(train.Y),
        "test_samples": len(test.Y) if test.known is None else int(test.known.sum()),
        **split.counts,
        **_one_class_labels(train),
        **evaluation.counts,
    }


def _one_class_labels(train: Part) -> Mapping[str, int]:
    """Count the labels (or tasks) that have no positive, or no negative, in training."""
    if train.tasks is None:
        positive, total = train.Y.sum(axis=0), np.full(train.Y.shape[1], len(train.Y))
    else:
        _, places = np.unique(train.tasks, return_inverse=True)
        positive, total = np.bincount(places, weights=train.Y[:, 0]), np.bincount(places)
    return {
        "train_labels_without_positives": int(np.sum(positive == 0)),
        "train_labels_without_negatives": int(np.sum(positive == total)),
    }


def summary_of_result(caught: list[warnings.WarningMessage]) -> list[str]:
    """Return each different warning once, with its number."""
    counted = Counter(f"{w.category.__name__}: {_words(w.message)}" for w in caught)
    lines = [f"{text[:500]} ({n} times)" if n > 1 else text[:500] for text, n in counted.items()]
    if len(lines) > _MAX_WARNINGS:
        left = len(lines) - _MAX_WARNINGS
        lines = [*lines[:_MAX_WARNINGS], f"and {left} other warnings"]
    return lines


def _words(message: object) -> str:
    try:
        text = " ".join(str(message).split())
    except Exception:
        text = "a message that cannot be printed"
    return text.encode("utf-8", "replace").decode()
