"""How often each label occurs in the training part, which some metrics ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlbench.errors import MethodError
from mlbench.solvers.arrays import Floats, Ints

A, B = 0.55, 1.5
"""Constants of the propensity model; Jain et al. use them for most of their data sets."""


@dataclass(frozen=True)
class TrainingLabels:
    """The number of positives of each label (or task) in the training part."""

    positives: Ints
    samples: int
    """The number of samples in the whole part."""
    task_sizes: Ints | None = None
    """The number of samples of each task; None without tasks."""

    def __post_init__(self) -> None:
        """Refuse more positives than there are samples."""
        if np.any(self.positives < 0) or np.any(self.positives > self.samples):
            raise MethodError(
                f"training has {self.samples} samples, and a label with "
                f"{np.max(self.positives)} positives"
            )

    @classmethod
    def of(cls, Y: Ints, tasks: Ints | None = None) -> TrainingLabels:
        """Count the positives of each column of (n, k) labels, or of each task."""
        if tasks is None:
            return cls(np.count_nonzero(Y, axis=0), len(Y))
        positives = np.bincount(tasks, weights=Y[:, 0]).astype(np.int64)
        return cls(positives, len(Y), np.bincount(tasks))

    def positives_of(self, numbers: Ints) -> Ints:
        """Return the positives of labels (or tasks); 0 for tasks that do not occur."""
        return _at(self.positives, numbers)

    def sizes_of(self, numbers: Ints) -> Ints:
        """Return the samples of labels (or tasks); 0 for tasks that do not occur."""
        if self.task_sizes is None:
            return np.full(numbers.size, self.samples)
        return _at(self.task_sizes, numbers)

    @property
    def inverse_propensities(self) -> Floats:
        """The inverse of the estimated probability that a true label was annotated, shape (k,).

        1 + C (positives + B)^-A with C = (ln samples - 1) (B + 1)^A; nan with fewer than 3
        samples, where C is negative. Source: Jain, Prabhu and Varma (KDD 2016), section 5.
        """
        if self.samples < 3:
            return np.full(self.positives.shape, np.nan)
        C = (np.log(self.samples) - 1) * (B + 1) ** A
        return np.asarray(1 + C * (self.positives + B) ** -A)


def _at(counts: Ints, numbers: Ints) -> Ints:
    """Return the counts that have these numbers, 0 beyond the last."""
    padded = np.zeros(numbers.max(initial=0) + 1 + counts.size, dtype=np.int64)
    padded[: counts.size] = counts
    return padded[numbers]
