"""Where the positives are in entries that are divided into segments, such as labels."""

from functools import cached_property

import numpy as np

from mlbench.solvers.arrays import Flags, Ints


class Segments:
    """The positives of each segment: all that rankings take from the truth.

    Rankings of several scores for the same truth share it.

    Parameters
    ----------
    positive : ndarray of shape (N,), bool
        The truth, segment after segment.
    lengths : ndarray of shape (s,)
        The number of entries of each segment, at least 1.

    Attributes
    ----------
    places : ndarray of shape (p,)
        Of the positives.
    of_positive : ndarray of shape (p,)
        Their segments.
    positives, negatives : ndarray of shape (s,)
        The totals of each segment.
    """

    def __init__(self, positive: Flags, lengths: Ints) -> None:
        self.lengths = lengths
        self.ends: Ints = np.cumsum(lengths)
        self.places: Ints = np.flatnonzero(positive)
        self.of_positive: Ints = np.searchsorted(self.ends, self.places, side="right")
        self.positives: Ints = np.bincount(self.of_positive, minlength=lengths.size)
        self.negatives: Ints = lengths - self.positives

    @cached_property
    def parts(self) -> list[slice]:
        """The positives of each segment, among all positives."""
        lasts = np.cumsum(self.positives)
        return [*map(slice, (lasts - self.positives).tolist(), lasts.tolist())]

    @cached_property
    def have_one_length(self) -> bool:
        """Whether all segments have as many entries."""
        return bool((self.lengths == self.lengths[0]).all())

    @cached_property
    def has_pairs(self) -> Flags:
        """Whether each segment has a positive and a negative, shape (s,)."""
        return (self.positives > 0) & (self.negatives > 0)

    @cached_property
    def pairs(self) -> Ints:
        """The number of (positive, negative) pairs of each segment, shape (s,)."""
        return self.positives * self.negatives
