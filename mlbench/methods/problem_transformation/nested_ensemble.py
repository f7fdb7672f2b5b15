"""Ensembles that grow: a smaller one is the beginning of a larger one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from mlbench.methods.base import Floats, Grid, Ints, Matrix, path_models
from mlbench.methods.memoize import Remembered
from mlbench.methods.problem_transformation.base import LabelSpaceMethod


class Member(Protocol):
    """A part of an ensemble, which answers for some of the labels."""

    labels: Ints

    def answers(self, X: Matrix) -> tuple[Floats, Ints]:
        """Return probabilities and votes (0 or 1) for its labels, (m, s) each."""


class GrowingEnsemble(LabelSpaceMethod):
    """Base of ensembles whose members do not depend on how many there are.

    A subclass writes `_size` and `_fit_members`, and `_both` from ``self._total(X)``. Member i
    must follow from the data, the parameters other than those in `_free`, and i.

    Attributes
    ----------
    members_ : list
        What was fitted, in order.
    n_fits_ : int
        How many fits of the base there were; equal problems are fitted once. On a path: for
        the largest ensemble.
    """

    members_: Sequence[Member]
    n_fits_: int
    _tally: Tally

    _free: tuple[str, ...] = ()
    """The parameters that leave the members as they are: the size, and the kind of score."""

    def _size(self, n_labels: int) -> int:
        """Return the number of members."""
        raise NotImplementedError

    def _fit_members(self, X: Matrix, Y: Ints, size: int) -> tuple[Sequence[Member], int]:
        """Return the first ``size`` members, fitted, and how many fits that took."""
        raise NotImplementedError

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Fit every member.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
        """
        _grow([self], X, Y)
        return self

    def fit_path(self, X: Matrix, Y: Ints, grid: Grid) -> Iterator[tuple[int, Self]]:
        """Yield (index, fitted model) for every point of a grid of parameters.

        One fit of the largest ensemble serves all smaller ones, in training and, for the latest
        rows, in prediction.
        """
        for group in path_models(self, grid, ("_lineage",)):
            _grow([model for _, model in group], X, Y)
            yield from group

    @property
    def _lineage(self) -> list[tuple[str, str]]:
        """All parameters that shape a member."""
        parameters = self.get_params(deep=True)
        return sorted((name, repr(parameters[name])) for name in parameters.keys() - self._free)

    def _total(self, X: Matrix) -> Total:
        return self._tally(X, len(self.members_))


def _grow(models: Sequence[Any], X: Matrix, Y: Ints) -> None:
    """Fit models that differ in `_free` parameters only."""
    for model in models:
        checked, labels = model._prepare(X, Y)
    n_labels = labels.shape[1]
    sizes = [model._size(n_labels) for model in models]
    members, n_fits = models[0]._fit_members(checked, labels, max(sizes))
    tally = Tally(members, frozenset(sizes), n_labels)
    for model, size in zip(models, sizes, strict=True):
        model.members_ = members[:size]
        model.n_fits_ = n_fits
        model._tally = tally


class Total(NamedTuple):
    """Sums over members: probabilities and votes, (m, k), and members per label, (k,)."""

    chances: Floats
    votes: Ints
    times: Ints

    def copied(self) -> Total:
        """Return a total of its own arrays."""
        return Total(self.chances.copy(), self.votes.copy(), self.times.copy())


class Tally:
    """Adds up the answers of members, and remembers for the latest rows how far it came."""

    def __init__(self, members: Sequence[Member], sizes: frozenset[int], n_labels: int) -> None:
        self.members = members
        self.sizes = sizes
        self.n_labels = n_labels
        self._reached = Remembered(self._nothing_yet)

    def __call__(self, X: Matrix, size: int) -> Total:
        """Return the total of the first ``size`` members."""
        reached = self._reached(X)
        start = max(done for done in reached if done <= size)
        total = reached[start].copied()
        for done, member in enumerate(self.members[start:size], start + 1):
            chances, votes = member.answers(X)
            total.chances[:, member.labels] += chances
            total.votes[:, member.labels] += votes
            total.times[member.labels] += 1
            if done in self.sizes:
                reached[done] = total.copied()
        return reached[size]

    def _nothing_yet(self, X: Matrix) -> dict[int, Total]:
        shape = (X.shape[0], self.n_labels)
        times = np.zeros(self.n_labels, dtype=np.int64)
        return {0: Total(np.zeros(shape), np.zeros(shape, dtype=np.int64), times)}
