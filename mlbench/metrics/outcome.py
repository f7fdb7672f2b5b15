"""Truth, scores and labels of one test split, checked, with the counts that metrics share.

Derived arrays are computed on first use and kept. So a single metric costs only what it needs,
and all metrics together pay for each sort and each count once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MethodError
from mlbench.metrics.matrices import binary_matrix, score_matrix, task_places
from mlbench.metrics.segments import Segments
from mlbench.metrics.ties import TieGroups
from mlbench.metrics.training_labels import TrainingLabels
from mlbench.solvers.arrays import Flags, Floats, Ints

Entry = TypeVar("Entry", bound=np.generic)

OWN_ROUNDING, ALL_ROUNDING = 1e-7, 1e-13
"""Scores of a label are equal but for rounding where they differ by no more: as shares of the
largest of the label, and of the largest of all.
"""


@dataclass(frozen=True)
class Confusion:
    """The numbers of true positives, false positives, false negatives and entries of each part."""

    tp: Ints
    fp: Ints
    fn: Ints
    size: Ints

    @property
    def empty(self) -> Flags:
        """The parts in which nothing is positive and nothing was predicted."""
        nothing: Flags = self.tp + self.fp + self.fn == 0
        return nothing

    @property
    def pooled(self) -> Confusion:
        """The counts summed over parts."""
        counts = self.tp, self.fp, self.fn, self.size
        return Confusion(*(count.sum(keepdims=True) for count in counts))


class Outcome:
    """The scores and labels that a method gave a test split, with the truth.

    Parameters
    ----------
    Y : array of shape (m, k)
        Truth, 0/1.
    scores : array of shape (m, k) or None
        Larger = more positive. Infinite values are allowed, NaN is not. None if only metrics of
        labels are wanted.
    labels : array of shape (m, k) or None
        Predictions, 0/1. None if only metrics of scores are wanted.
    tasks : array of shape (m,) or None
        The task of each sample. Then k = 1, and each task takes the role of a label.
    training : TrainingLabels, optional
        The labels of the training part.
    probabilities : array of shape (m, k), optional
        Of a positive, in [0, 1], where they are not the scores.

    Raises
    ------
    mlbench.errors.MethodError
        If shapes differ, an entry is not 0/1, or a score is NaN.
    """

    def __init__(
        self,
        Y: ArrayLike,
        scores: ArrayLike | None,
        labels: ArrayLike | None,
        tasks: ArrayLike | None = None,
        training: TrainingLabels | None = None,
        probabilities: ArrayLike | None = None,
    ) -> None:
        self.training = training
        self.truth = binary_matrix("Y", Y, None)
        self._take(scores, labels, probabilities)
        self._task: Ints | None = None
        self.label_numbers: Ints = np.arange(self.truth.shape[1])
        """The numbers of the labels (or tasks) that have samples here."""
        if tasks is not None:
            self.label_numbers, self._task = task_places(tasks, self.truth.shape)
        elif training is not None and training.positives.shape != self.truth.shape[1:]:
            raise MethodError(
                f"training has the positives of {training.positives.size} labels, but Y has "
                f"{self.truth.shape[1]}"
            )

    def _take(
        self,
        scores: ArrayLike | None,
        labels: ArrayLike | None,
        probabilities: ArrayLike | None,
    ) -> None:
        shape = self.truth.shape
        self._scores = None if scores is None else score_matrix(scores, shape)
        self._labels = None if labels is None else binary_matrix("labels", labels, shape)
        self._probabilities = (
            None if probabilities is None else score_matrix(probabilities, shape, "probabilities")
        )

    def with_outputs(
        self,
        scores: ArrayLike | None,
        labels: ArrayLike | None,
        probabilities: ArrayLike | None = None,
    ) -> Outcome:
        """Return the outcome of other scores and labels of the same samples.

        What has been derived from the truth is not derived again. The parameters are those of the
        class.
        """
        other = object.__new__(Outcome)
        known = vars(self)
        vars(other).update({name: known[name] for name in _OF_TRUTH if name in known})
        other._take(scores, labels, probabilities)
        return other

    @property
    def has_tasks(self) -> bool:
        """Whether each sample belongs to one task."""
        return self._task is not None

    @property
    def scores(self) -> Floats:
        """The scores, (m, k)."""
        if self._scores is None:
            raise MethodError("this metric needs scores, but none were given")
        return self._scores

    @property
    def labels(self) -> Flags:
        """The predicted labels, (m, k)."""
        if self._labels is None:
            raise MethodError("this metric needs predicted labels, but none were given")
        return self._labels

    @property
    def probabilities(self) -> Floats:
        """The probabilities of a positive, (m, k); the scores where no others were given."""
        return self.scores if self._probabilities is None else self._probabilities

    @cached_property
    def has_probabilities(self) -> bool:
        """Whether all of them lie in [0, 1]."""
        return bool(np.all((self.probabilities >= 0) & (self.probabilities <= 1)))

    @property
    def _required_training(self) -> TrainingLabels:
        if self.training is None:
            raise MethodError(
                "this metric needs the labels of the training part, but none were given"
            )
        return self.training

    @property
    def inverse_propensities(self) -> Floats:
        """The inverse propensities of the labels, (k,)."""
        return self._required_training.inverse_propensities

    @property
    def training_positives(self) -> Ints:
        """The positives of the labels (or tasks) in the training part."""
        return self._required_training.positives_of(self.label_numbers)

    @cached_property
    def _positives_at_share(self) -> Ints | None:
        """How many samples of each label (or task) are positive here at the share in training.

        None if the training part has no samples of some, or it is not known how many.
        """
        training = self.training
        if training is None or self.has_tasks != (training.task_sizes is not None):
            return None
        positives, sizes = (
            counts(self.label_numbers) for counts in (training.positives_of, training.sizes_of)
        )
        if not sizes.all():
            return None
        return np.asarray((2 * self.label_sizes * positives + sizes) // (2 * sizes))

    @cached_property
    def at_training_share(self) -> Outcome | None:
        """The outcome in which the best scores of each label (or task) are positive.

        They are as many as in its share of positives in training. Of equal scores those of the
        first rows are. None if the share is not known, or no label has a positive.
        Source: PCut; Yang, A study of thresholding strategies, SIGIR 2001.
        """
        _ = self._required_training
        wanted = self._positives_at_share
        if wanted is None or not wanted.any():
            return None
        lowest = self.label_groups.nth_best
        where = lowest if self._task is None else lowest[self._task][:, None]
        tied = self.scores == where
        labels = self.scores >= where
        above = self._per_label(labels) - self._per_label(tied)
        if self._task is None:
            columns, rows = np.nonzero(tied.T)
            owners = columns
        else:
            rows = np.flatnonzero(tied)
            rows = rows[np.argsort(self._task[rows], kind="stable")]
            columns, owners = np.zeros_like(rows), self._task[rows]
        rank = np.arange(owners.size) - np.searchsorted(owners, owners)
        beyond = rank >= (wanted - above)[owners]
        labels[rows[beyond], columns[beyond]] = False
        return self.with_outputs(None, labels)

    @cached_property
    def all_positive(self) -> Outcome:
        """The outcome of predicting every label for every sample."""
        return self.with_outputs(None, np.ones_like(self.truth))

    @cached_property
    def rarest_first(self) -> tuple[Floats, Ints]:
        """Inverse propensities of each sample's positives, descending, and their ranks from 0."""
        samples, labels = np.nonzero(self.truth)
        weights = self.inverse_propensities[labels]
        descending = weights[np.lexsort((-weights, samples))]
        # `samples` is sorted, so searchsorted finds where each sample's positives start
        return descending, np.arange(samples.size) - np.searchsorted(samples, samples)

    @property
    def tasks(self) -> Ints | None:
        """The task of each sample, as an index into `label_numbers`, or None without tasks."""
        return self._task

    @cached_property
    def _task_sizes(self) -> Ints:
        return np.bincount(self._task if self._task is not None else [])

    @cached_property
    def label_positives(self) -> Ints:
        """The number of positives of each label (or task)."""
        return self._per_label(self.truth)

    @cached_property
    def label_sizes(self) -> Ints:
        """The number of entries of each label (or task)."""
        if self._task is not None:
            return self._task_sizes
        return np.full(self.truth.shape[1], self.truth.shape[0], dtype=np.int64)

    @cached_property
    def has_positive(self) -> Flags:
        """Whether each sample has a positive label."""
        return np.asarray(self.truth.any(axis=1))

    def _per_label(self, entries: Flags) -> Ints:
        if self._task is None:
            return np.asarray(np.count_nonzero(entries, axis=0), dtype=np.int64)
        return np.bincount(self._task[entries[:, 0]], minlength=self._task_sizes.size)

    @cached_property
    def by_label(self) -> Confusion:
        """Confusion counts of each label (or task)."""
        tp = self._per_label(self.truth & self.labels)
        fp = self._per_label(self.labels) - tp
        return Confusion(tp, fp, self.label_positives - tp, self.label_sizes)

    @cached_property
    def by_sample(self) -> Confusion:
        """Confusion counts of each sample; only without tasks."""
        tp = np.count_nonzero(self.truth & self.labels, axis=1)
        fp = np.count_nonzero(self.labels, axis=1) - tp
        fn = np.count_nonzero(self.truth, axis=1) - tp
        return Confusion(tp, fp, fn, np.full(tp.size, self.truth.shape[1], dtype=np.int64))

    @cached_property
    def label_groups(self) -> TieGroups:
        """Tie groups of each label (or task)."""
        scores = self.scores.T if self._task is None else self._in_order(self.scores)
        return TieGroups(scores, self._label_segments, self._positives_at_share)

    @cached_property
    def is_ranked_by_rounding(self) -> Flags:
        """Whether each label's (or task's) scores differ, but only by rounding.

        A solver's tolerance has that effect, too, where the best weights are 0.
        """
        if self._task is None:
            low, high = self.scores.min(axis=0), self.scores.max(axis=0)
        else:
            scores = self._in_order(self.scores)
            first = self._label_segments.ends - self.label_sizes
            low, high = np.minimum.reduceat(scores, first), np.maximum.reduceat(scores, first)
        size = np.maximum(abs(low), abs(high))
        largest = size[np.isfinite(size)].max(initial=0.0)
        with np.errstate(invalid="ignore"):
            spread = high - low
        least = np.maximum(OWN_ROUNDING * size, ALL_ROUNDING * largest)
        return np.asarray((spread > 0) & (spread <= least) & np.isfinite(size))

    @cached_property
    def _label_segments(self) -> Segments:
        return Segments(self._in_order(self.truth), self.label_sizes)

    def _in_order(self, entries: NDArray[Entry]) -> NDArray[Entry]:
        """Return the entries label after label, or task after task."""
        if self._task is None:
            return np.ascontiguousarray(entries.T).reshape(-1)
        return np.asarray(entries[np.argsort(self._task, kind="stable"), 0])

    @cached_property
    def sample_groups(self) -> TieGroups:
        """Tie groups of each sample; only without tasks."""
        lengths = np.full(self.truth.shape[0], self.truth.shape[1], dtype=np.int64)
        return TieGroups(self.scores.ravel(), Segments(self.truth.ravel(), lengths))

    @cached_property
    def pooled_groups(self) -> TieGroups:
        """Tie groups of all entries together."""
        whole = Segments(self.truth.ravel(), np.array([self.truth.size]))
        return TieGroups(self.scores.ravel(), whole)


_OF_TRUTH = (
    "training",
    "truth",
    "label_numbers",
    "label_positives",
    "label_sizes",
    "has_positive",
    "_task",
    "_task_sizes",
    "_label_segments",
    "_positives_at_share",
)
"""What depends on no scores and no labels."""
