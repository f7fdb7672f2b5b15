"""Metrics of predicted labels: F1, Jaccard index, precision, recall, accuracies, Hamming loss."""

import numpy as np

from mlbench.metrics.conventions import (
    MEKA,
    MULAN,
    SKLEARN,
    Convention,
    mean_of_defined,
    mean_ratio,
    mean_with,
)
from mlbench.metrics.outcome import Confusion, Outcome


def _f1(counts: Confusion, convention: Convention) -> float:
    return mean_ratio(
        2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn, counts.empty, convention
    )


def _precision(counts: Confusion, convention: Convention) -> float:
    return mean_ratio(counts.tp, counts.tp + counts.fp, counts.empty, convention)


def _recall(counts: Confusion, convention: Convention) -> float:
    return mean_ratio(counts.tp, counts.tp + counts.fn, counts.empty, convention)


def _jaccard(counts: Confusion, convention: Convention) -> float:
    return mean_ratio(counts.tp, counts.tp + counts.fp + counts.fn, counts.empty, convention)


def macro_f1(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of 2 tp / (2 tp + fp + fn)."""
    return _f1(outcome.by_label, convention)


def micro_f1(outcome: Outcome, convention: Convention) -> float:
    """2 tp / (2 tp + fp + fn) of the counts summed over labels."""
    return _f1(outcome.by_label.pooled, convention)


def example_f1(outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of 2 tp / (2 tp + fp + fn)."""
    return float("nan") if outcome.has_tasks else _f1(outcome.by_sample, convention)


def macro_jaccard(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of tp / (tp + fp + fn)."""
    return _jaccard(outcome.by_label, convention)


def micro_jaccard(outcome: Outcome, convention: Convention) -> float:
    """Jaccard index of the counts summed over labels: tp / (tp + fp + fn)."""
    return _jaccard(outcome.by_label.pooled, convention)


def example_jaccard(outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of tp / (tp + fp + fn), the accuracy of MULAN and MEKA."""
    if outcome.has_tasks:
        return float("nan")
    return _jaccard(outcome.by_sample, MULAN if convention is MEKA else convention)


def macro_precision(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of tp / (tp + fp)."""
    return _precision(outcome.by_label, convention)


def micro_precision(outcome: Outcome, convention: Convention) -> float:
    """Precision of the counts summed over labels: tp / (tp + fp)."""
    return _precision(outcome.by_label.pooled, convention)


def macro_recall(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of tp / (tp + fn)."""
    return _recall(outcome.by_label, convention)


def micro_recall(outcome: Outcome, convention: Convention) -> float:
    """Recall of the counts summed over labels: tp / (tp + fn)."""
    return _recall(outcome.by_label.pooled, convention)


def example_precision(outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of tp / (tp + fp)."""
    return float("nan") if outcome.has_tasks else _precision(outcome.by_sample, convention)


def example_recall(outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of tp / (tp + fn)."""
    return float("nan") if outcome.has_tasks else _recall(outcome.by_sample, convention)


def balanced_accuracy(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the mean of the recalls of positives and of negatives."""
    counts = outcome.by_label
    positives = counts.tp + counts.fn
    negatives = counts.size - positives
    recall = counts.tp / np.maximum(positives, 1)
    specificity = (negatives - counts.fp) / np.maximum(negatives, 1)
    values, defined = (recall + specificity) / 2, (positives > 0) & (negatives > 0)
    if convention.drops:
        return mean_of_defined(values, defined)
    of_one_class = np.where(positives > 0, recall, specificity)
    return mean_with(values, defined, of_one_class if convention is SKLEARN else np.nan)


def hamming_loss(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels (or tasks) of the share of wrong entries."""
    counts = outcome.by_label
    return float(np.mean((counts.fp + counts.fn) / counts.size))


def cut_ratio(outcome: Outcome, convention: Convention) -> float:
    """Predicted positives of all labels divided by positives."""
    counts = outcome.by_label.pooled
    return mean_ratio(counts.tp + counts.fp, counts.tp + counts.fn, counts.empty, convention)


def subset_accuracy(outcome: Outcome, convention: Convention) -> float:
    """Share of samples whose predicted labels are all right."""
    if outcome.has_tasks:
        return float("nan")
    counts = outcome.by_sample
    return float(np.mean(counts.fp + counts.fn == 0))
