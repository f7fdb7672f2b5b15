"""Division of ratings: users in folds, and of a test user a few ratings to learn from.

Source: Yu, Yu & Tresp (2005), section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError, MethodError
from mlbench.hashing import random_state
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.fitting import RatingFitter, takes_ratings
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splitters.base import DrawnSplit, Splitter
from mlbench.solvers.arrays import Flags, Floats, Matrix

if TYPE_CHECKING:
    from mlbench.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Ratings(Splitter):
    """Draws the test users of a fold, and their ratings that are given.

    The number of a split counts the folds of the first repetition, then those of the second.
    Repetitions have the same folds of users, and other ratings given.
    """

    kind = "ratings"
    makes_tasks = True
    allows_imbalance = False  # labels share their rows

    given: int
    """Ratings of a test user to learn from."""
    folds: int
    """Of the users."""
    seed: int = 0

    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> RatingSplit:
        """Draw a split, in which a sample is a row and a test user, who is its task."""
        known = np.ones(data.Y.shape, dtype=bool) if data.known is None else data.known
        users = self.users(known.shape[1], data.name, index)
        given = self._given(known, users, data.name, index)
        X, _ = prepare(steps, data.X, data.X)
        ratings = np.where(known, 2.0 * data.Y - 1, np.nan)
        ratings[:, users] = np.nan

        def part(chosen: Flags) -> Part:
            tasks, rows = np.nonzero(chosen)
            places = rows, users[tasks]
            return Part(rows, data.Y[places][:, None], tasks, rows, known[places])

        return RatingSplit(
            train=part(given),
            test=part(~given),
            axes=(self.seed, data.name, index),
            columns=users,
            users=users,
            X=X,
            ratings=ratings,
        )

    def users(self, n_users: int, dataset: str, index: int) -> Indices:
        """Return the test users of a split, ascending."""
        shuffled = random_state("rating users", self.seed, dataset).permutation(n_users)
        return np.sort(np.array_split(shuffled, self.folds)[index % self.folds])

    def _given(self, known: Flags, users: Indices, dataset: str, index: int) -> Flags:
        """Tell which ratings each of the users gives: (users, n) bool array."""
        self._refuse_too_few(known.shape[1], int(known.sum(axis=0).min()), dataset)
        rng = random_state("ratings", self.seed, dataset, *divmod(index, self.folds))
        given = np.zeros((len(users), len(known)), dtype=bool)
        for place, user in enumerate(users):
            given[place, rng.permutation(np.flatnonzero(known[:, user]))[: self.given]] = True
        return given

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse tasks, fewer users than folds, and users with too few ratings."""
        if facts.n_tasks:
            raise DataError(
                f"{dataset}: splits of the kind ratings need users as labels, and this has tasks"
            )
        fewest = facts.n_samples if facts.fewest_known is None else facts.fewest_known
        self._refuse_too_few(facts.n_labels, fewest, dataset)
        if self.given < tuning_folds:
            raise DataError(
                f"{dataset}: {self.given} ratings of a user cannot be divided into {tuning_folds} "
                "folds for tuning; change given of protocol.splits, or protocol.tuning.folds"
            )

    def check_method(self, model: BaseEstimator, n_tasks: int) -> None:
        """Refuse a method that can learn neither a projection for users nor tasks."""
        if takes_ratings(model):
            return
        try:
            super().check_method(model, n_tasks)
        except MethodError as error:
            raise MethodError(
                f"{error} (with splits of the kind ratings, a task is a user)"
            ) from None

    def _refuse_too_few(self, n_users: int, fewest: int, dataset: str) -> None:
        if n_users < self.folds:
            raise DataError(f"{dataset}: {n_users} users cannot be divided into {self.folds} folds")
        if fewest <= self.given:
            raise DataError(
                f"{dataset}: a user has {fewest} ratings, and {self.given} given ones leave none "
                "to be predicted; change given of protocol.splits"
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingSplit(DrawnSplit):
    """A split whose samples are pairs of a row and a test user.

    The test part has all rows that are not in the training part, rated or not.
    """

    keeps_tasks = True

    users: Indices
    """The test users, ascending; tasks are places in it."""
    X: Matrix
    """(n, d) array or CSR matrix: all rows, prepared."""
    ratings: Floats
    """(n, k) array: 1, -1, or NaN where unknown; unknown for all test users."""

    def fitter(self, seed: int) -> RatingFitter:
        """Return a new object that fits and reads models."""
        return RatingFitter(seed, self.X, self.ratings, self.users)
