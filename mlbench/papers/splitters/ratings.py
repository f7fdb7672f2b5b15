"""Division of ratings: users in folds, and of a test user a few ratings to learn from.

Source: Yu, Yu & Tresp (2005), section 4.1.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field
from sklearn.base import BaseEstimator

from mlbench.config.fields import Seed
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError, MethodError
from mlbench.hashing import random_state
from mlbench.number_text import counted
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.fitting import ModelFitter, Source, has_projection
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splitters.base import DrawnSplit, Splitter
from mlbench.solvers.arrays import Flags, Floats, Ints, Matrix

if TYPE_CHECKING:
    from mlbench.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Ratings(Splitter):
    """Draws the test users of a fold, and their ratings that are given.

    Splits are numbered by the folds of the first repetition, then of the second.
    Repetitions have the same folds of users, and other ratings given.
    """

    kind = "ratings"
    makes_tasks = True
    allows_imbalance = False  # labels share their rows
    prepares_features = True
    expects_unknown_labels = True

    given: Annotated[int, Field(ge=2, description="ratings of a test user to learn from")] = 20
    folds: Annotated[
        int, Field(ge=2, le=10_000, description="of the users; one is the test users")
    ] = 10
    seed: Seed = 0

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
            rated = rows, users[tasks]
            return Part(rows, data.Y[rated][:, None], tasks, rows, known[rated])

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
        for task, user in enumerate(users):
            given[task, rng.permutation(np.flatnonzero(known[:, user]))[: self.given]] = True
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

    def describe(self, repeats: int) -> str:
        """Return the splits in words."""
        return (
            f"users in {self.folds} folds, those of one learned from {self.given} of their "
            f"ratings, in {counted(repeats, 'draw')} (seed {self.seed}), and scored on their "
            "others; projections see all rows and all other users' ratings, too"
        )

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
    """The test users, ascending; tasks count them."""
    X: Matrix
    """(n, d) array or CSR matrix: all rows, prepared."""
    ratings: Floats
    """(n, k) array: 1, -1, or NaN where unknown; unknown for all test users."""

    def fitter(self, seed: int) -> RatingFitter:
        """Return a new object that fits and reads models."""
        return RatingFitter(seed, self.X, self.ratings, self.users)


class RatingFitter(ModelFitter):
    """Fits methods to ratings; a sample is the number of a row, and its task is a user.

    Projections are fitted to all rows and all users. What they see of the users that are to be
    learned is what the classifiers are given, so that held-out ratings are hidden from both.

    Parameters
    ----------
    seed : int
    X : (n, d) array or CSR matrix
        All rows, prepared.
    ratings : (n, k) array
        1, -1, or NaN where unknown; unknown for all users to be learned.
    users : int array
        The column of each of these.
    """

    def __init__(self, seed: int, X: Matrix, ratings: Floats, users: Indices) -> None:
        super().__init__(seed)
        self.X = X
        self.ratings = ratings
        self.users = users

    def _rows(self, X: Matrix) -> Matrix:
        return self.X[X]

    def _source(self, X: Matrix, Y: Ints, tasks: Ints | None) -> Source:
        ratings = self.ratings.copy()
        ratings[X, self.users[tasks]] = 2 * Y[:, 0] - 1
        return self.X, ratings


def takes_ratings(model: BaseEstimator) -> bool:
    """Tell whether a method has a projection, and classifiers of users that rate few rows."""
    if not has_projection(model):
        return False
    return "tasks" in inspect.signature(model.fit_classifiers).parameters
