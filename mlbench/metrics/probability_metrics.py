"""Metrics of scores that are probabilities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlbench.metrics.conventions import Convention
from mlbench.metrics.outcome import Outcome
from mlbench.metrics.ties import Bools, Floats

BINS = 10
SMALLEST = float(np.finfo(np.float64).eps)
_BLOCK = 256


def log_loss(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the mean of -ln p of what is true; a smaller p counts as 2.2e-16."""

    def loss(scores: Floats, truth: Bools) -> Floats:
        return -np.log(np.maximum(np.abs(scores - ~truth), SMALLEST))

    return _mean_over_labels(outcome, loss)


def brier_score(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the mean squared difference between probability and truth."""
    return _mean_over_labels(outcome, lambda scores, truth: (scores - truth) ** 2)


def expected_calibration_error(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the sum over 10 equal bins of |probabilities - positives| / entries."""
    n_labels = outcome.label_sizes.size
    labels = np.arange(n_labels) if outcome.tasks is None else outcome.tasks[:, None]
    surplus = np.zeros(n_labels * BINS)
    for rows in _blocks(outcome):
        scores = outcome.scores[rows]
        bins = np.minimum((scores * BINS).astype(np.intp), BINS - 1)
        bins += BINS * (labels if outcome.tasks is None else labels[rows])
        difference = scores - outcome.truth[rows]
        surplus += np.bincount(bins.ravel(), difference.ravel(), minlength=surplus.size)
    errors = np.abs(surplus).reshape(n_labels, BINS).sum(axis=1) / outcome.label_sizes
    return float(errors.mean())


def _mean_over_labels(outcome: Outcome, loss: Callable[[Floats, Bools], Floats]) -> float:
    sums = np.zeros(outcome.label_sizes.size)
    for rows in _blocks(outcome):
        losses = loss(outcome.scores[rows], outcome.truth[rows])
        if outcome.tasks is None:
            sums += losses.sum(axis=0)
        else:
            sums += np.bincount(outcome.tasks[rows], losses[:, 0], minlength=sums.size)
    return float((sums / outcome.label_sizes).mean())


def _blocks(outcome: Outcome) -> list[slice]:
    """Divide the samples so that a block of them fits into the processor's cache."""
    starts = range(0, len(outcome.truth), _BLOCK)
    return [slice(start, start + _BLOCK) for start in starts]
