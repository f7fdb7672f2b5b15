"""What a metric may know of the training part: how often each label occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlbench.metrics.ties import Floats, Ints

A, B = 0.55, 1.5
"""Constants of the propensity model; Jain et al. use them for most of their data sets."""


@dataclass(frozen=True)
class TrainingLabels:
    """Positives of each label (or task, by its number) in the training part."""

    positives: Ints
    samples: int
    """Of the whole part."""

    @classmethod
    def of(cls, Y: NDArray[np.int64], tasks: Ints | None = None) -> TrainingLabels:
        """Count the positives of (n, k) labels, or of tasks with samples of their own."""
        if tasks is None:
            return cls(np.count_nonzero(Y, axis=0), len(Y))
        return cls(np.bincount(tasks, weights=Y[:, 0]).astype(np.int64), len(Y))

    def positives_of(self, numbers: Ints) -> Ints:
        """Return the positives of labels (or tasks); none of tasks that do not occur."""
        enough = np.zeros(numbers.max(initial=0) + 1 + self.positives.size, dtype=np.int64)
        enough[: self.positives.size] = self.positives
        return enough[numbers]

    @property
    def inverse_propensities(self) -> Floats:
        """One over the estimated probability that a true label was annotated, shape (k,).

        1 + C (positives + B)^-A with C = (ln samples - 1) (B + 1)^A; nan with fewer than 3
        samples, where C is negative. Source: Jain, Prabhu and Varma (KDD 2016), section 5.
        """
        if self.samples < 3:
            return np.full(self.positives.shape, np.nan)
        C = (np.log(self.samples) - 1) * (B + 1) ** A
        return np.asarray(1 + C * (self.positives + B) ** -A)
