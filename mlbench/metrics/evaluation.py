"""Score one test split: all metrics at once, or a single one for tuning."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import MlbenchError
from mlbench.metrics.catalogue import EVERY_METRIC, get_metric
from mlbench.metrics.conventions import ALL
from mlbench.metrics.declared import as_metric
from mlbench.metrics.inputs import aligned
from mlbench.metrics.metric import Metric
from mlbench.metrics.outcome import Outcome
from mlbench.metrics.training_labels import TrainingLabels
from mlbench.solvers.arrays import Flags, Floats, Ints


@dataclass(frozen=True)
class LabelEvaluation:
    """Counts and scores of single labels (or tasks), as arrays of shape (k,)."""

    numbers: Ints
    """The numbers of the labels or tasks."""
    tp: Ints
    fp: Ints
    fn: Ints
    auc: Floats
    """nan for a label with one class."""
    average_precision: Floats
    """nan for a label without positives."""
    train_positives: Ints | None
    """None if the training part is not known."""


@dataclass(frozen=True)
class Evaluation:
    """Every metric of one test split, and the counts behind them."""

    values: dict[str, float]
    """The value of each metric, under all its conventions; nan if undefined."""
    counts: dict[str, int]
    """The numbers of samples and labels, and of those left out; see `evaluate`."""
    by_label: LabelEvaluation

    @property
    def plain_values(self) -> dict[str, float | None]:
        """The values, with None in place of undefined ones."""
        return {
            name: float(value) if np.isfinite(value) else None
            for name, value in self.values.items()
        }


def evaluate(
    Y: ArrayLike,
    scores: ArrayLike,
    labels: ArrayLike,
    tasks: ArrayLike | None = None,
    known: Flags | None = None,
    user_metrics: Sequence[Metric | Callable[..., Any]] = (),
    training: TrainingLabels | None = None,
    probabilities: ArrayLike | None = None,
) -> Evaluation:
    """Compute every metric under every convention in one pass.

    Parameters
    ----------
    Y : array of shape (m, k)
        Truth, 0/1. Any of these arrays may be a sparse matrix, or a data frame, which is brought
        into the order of a data frame Y. Labels that are masked or NaN are unknown: each known
        one counts as a sample of its label, and metrics per sample are nan.
    scores : array of shape (m, k)
        Larger = more positive; no NaN.
    labels : array of shape (m, k)
        Predictions, 0/1.
    tasks : array of shape (m,), optional
        The task of each sample. Then k = 1, each task with samples here takes the role of a
        label, and metrics per sample (example F1, subset accuracy, ranking) are nan.
    known : bool array of shape (m,), optional
        Whether the truth of each sample is known; only with tasks, and true for some sample of
        each. Unknown samples are negative in Y, and only the convention ``all`` uses them.
    user_metrics : sequence of Metric or function
        Additional metrics; functions that `mlbench.metric` declares have their own names.
    training : TrainingLabels, optional
        The labels of the training part. Without them, metrics that need them are left out.
    probabilities : array of shape (m, k), optional
        Of a positive; the scores where they are not given.

    Returns
    -------
    Evaluation
        Values, and the counts ``samples``, ``labels``, ``labels_without_positives``,
        ``labels_without_negatives``, ``labels_never_predicted``, ``labels_scored_auc``,
        ``labels_ranked_by_rounding``, ``labels_skipped_f1``, ``labels_skipped_precision``,
        ``labels_skipped_recall``; without tasks also ``samples_without_positives``,
        ``samples_without_negatives``, ``samples_skipped_f1`` and
        ``samples_skipped_ranking_loss``.

    Raises
    ------
    mlbench.errors.MlbenchError
        If shapes differ, an entry is not 0/1, a score is NaN, or a metric is not declared.
    """
    metrics = {metric.name: metric for metric in EVERY_METRIC}
    for metric in map(as_metric, user_metrics):
        if metrics.setdefault(metric.name, metric) != metric:
            raise MlbenchError(f"two metrics are named {metric.name!r}; rename your function")
    (Y, scores, labels, probabilities), tasks = _aligned(Y, scores, labels, probabilities, tasks)
    outcome = whole = Outcome(Y, scores, labels, tasks, training, probabilities)
    if known is not None:
        truth, scored, predicted = (np.asarray(each)[known] for each in (Y, scores, labels))
        task = None if tasks is None else np.asarray(tasks)[known]
        likely = None if probabilities is None else np.asarray(probabilities)[known]
        outcome = Outcome(truth, scored, predicted, task, training, likely)
    values = {
        metric.name: metric(whole if metric.convention is ALL else outcome)
        for metric in metrics.values()
        if training is not None or not metric.uses_training
    }
    return Evaluation(values, _counts(outcome), _by_label(outcome))


def score(
    metric: str,
    Y: ArrayLike,
    scores: ArrayLike | None,
    labels: ArrayLike | None,
    tasks: ArrayLike | None = None,
    training: TrainingLabels | None = None,
    probabilities: ArrayLike | None = None,
) -> float:
    """Compute one metric, and only what it needs.

    The parameters are those of `evaluate`. If the metric does not need `scores` or `labels` (see
    ``get_metric(metric).needs``), the argument is ignored and may be None.

    Raises
    ------
    mlbench.errors.MlbenchError
        If there is no such metric.
    mlbench.errors.MethodError
        If the arrays do not fit; see `evaluate`.
    """
    wanted = get_metric(metric)
    needs_labels, needs_scores = wanted.needs in ("labels", "both"), wanted.needs != "labels"
    scores, labels = scores if needs_scores else None, labels if needs_labels else None
    (Y, scores, labels, probabilities), tasks = _aligned(Y, scores, labels, probabilities, tasks)
    return wanted(Outcome(Y, scores, labels, tasks, training, probabilities))


def _aligned(
    Y: Any, scores: Any, labels: Any, probabilities: Any, tasks: Any
) -> tuple[tuple[Any, ...], Any]:
    given = {"Y": Y, "scores": scores, "labels": labels, "probabilities": probabilities}
    arrays, tasks = aligned(given, tasks)
    return tuple(arrays.values()), tasks


def _by_label(outcome: Outcome) -> LabelEvaluation:
    counts, groups, training = outcome.by_label, outcome.label_groups, outcome.training
    return LabelEvaluation(
        outcome.label_numbers,
        counts.tp,
        counts.fp,
        counts.fn,
        groups.auc,
        groups.average_precision,
        None if training is None else training.positives_of(outcome.label_numbers),
    )


def _counts(outcome: Outcome) -> dict[str, int]:
    by_label = outcome.by_label
    positives, sizes = outcome.label_positives, outcome.label_sizes
    never = by_label.tp + by_label.fp == 0
    has_pairs = outcome.label_groups.has_pairs
    counts = {
        "samples": outcome.truth.shape[0],
        "labels": sizes.size,
        "labels_without_positives": np.count_nonzero(positives == 0),
        "labels_without_negatives": np.count_nonzero(positives == sizes),
        "labels_never_predicted": np.count_nonzero(never),
        "labels_scored_auc": np.count_nonzero(has_pairs),
        "labels_ranked_by_rounding": np.count_nonzero(has_pairs & outcome.is_ranked_by_rounding),
        "labels_skipped_f1": np.count_nonzero(by_label.empty),
        "labels_skipped_precision": np.count_nonzero(never),
        "labels_skipped_recall": np.count_nonzero(positives == 0),
    }
    if not outcome.has_tasks:
        by_sample = outcome.by_sample
        present = by_sample.tp + by_sample.fn
        counts |= {
            "samples_without_positives": np.count_nonzero(present == 0),
            "samples_without_negatives": np.count_nonzero(present == by_sample.size),
            "samples_skipped_f1": np.count_nonzero(by_sample.empty),
            "samples_skipped_ranking_loss": np.count_nonzero(
                (present == 0) | (present == by_sample.size)
            ),
        }
    return {name: int(count) for name, count in counts.items()}
