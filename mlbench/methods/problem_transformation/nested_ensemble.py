"""Nested ensembles: a smaller one consists of the first members of a larger one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np

from mlbench.methods.memoize import LastResultCache
from mlbench.methods.problem_transformation.base_fits import FitCache
from mlbench.methods.problem_transformation.base_learner_method import ProblemTransformationMethod
from mlbench.solvers.arrays import Floats, Ints, Matrix


class Member(Protocol):
    """A member of an ensemble, which predicts some of the labels."""

    labels: Ints

    def probabilities_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        """Return probabilities and votes (0 or 1) for its labels, (m, s) each."""


class NestedEnsemble(ProblemTransformationMethod):
    """Base class of ensembles whose members do not depend on their number.

    A subclass writes `_size`, `_fit_members`, and `_scores_and_labels`, which calls `_total`.
    Member i must depend only on the data, on i, and on the parameters that are not listed in
    `_prediction_parameters`.

    Attributes
    ----------
    members_ : list
        The fitted members, in order.
    """

    members_: Sequence[Member]
    n_fits_: int
    _running_total: RunningTotal

    def _size(self, n_labels: int) -> int:
        """Return the number of members."""
        raise NotImplementedError

    def _fit_members(self, fits: FitCache, Y: Ints, size: int, seed: int) -> Sequence[Member]:
        """Return the first ``size`` members, fitted."""
        raise NotImplementedError

    def _learn_alike(
        self, alike: list[tuple[int, Self]], fits: FitCache, Y: Ints, seed: int
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all share the members of the largest and their predictions."""
        sizes = [model._size(Y.shape[1]) for _, model in alike]
        members = self._fit_members(fits, Y, max(sizes), seed)
        total = RunningTotal(members, frozenset(sizes), Y.shape[1])
        for (_, model), size in zip(alike, sizes, strict=True):
            model.members_ = members[:size]
            model.n_fits_ = fits.n_fits
            model._running_total = total
        yield from alike

    def _total(self, X: Matrix) -> EnsembleTotal:
        return self._running_total(X, len(self.members_))


class EnsembleTotal(NamedTuple):
    """Sums over members: probabilities and votes, (m, k), and members per label, (k,)."""

    probabilities: Floats
    votes: Ints
    times: Ints

    def copy(self) -> EnsembleTotal:
        """Return a copy with its own arrays."""
        return EnsembleTotal(self.probabilities.copy(), self.votes.copy(), self.times.copy())


class RunningTotal:
    """Sums of the members' predictions, with partial sums cached for the latest rows."""

    def __init__(self, members: Sequence[Member], sizes: frozenset[int], n_labels: int) -> None:
        self.members = members
        self.sizes = sizes
        self.n_labels = n_labels
        self._partial_totals = LastResultCache(self._zero_total)

    def __call__(self, X: Matrix, size: int) -> EnsembleTotal:
        """Return the total of the first ``size`` members."""
        reached = self._partial_totals(X)
        start = max(done for done in reached if done <= size)
        total = reached[start].copy()
        for done, member in enumerate(self.members[start:size], start + 1):
            probabilities, votes = member.probabilities_and_labels(X)
            total.probabilities[:, member.labels] += probabilities
            total.votes[:, member.labels] += votes
            total.times[member.labels] += 1
            if done in self.sizes:
                reached[done] = total.copy()
        return reached[size]

    def _zero_total(self, X: Matrix) -> dict[int, EnsembleTotal]:
        shape = (X.shape[0], self.n_labels)
        times = np.zeros(self.n_labels, dtype=np.int64)
        return {0: EnsembleTotal(np.zeros(shape), np.zeros(shape, dtype=np.int64), times)}
