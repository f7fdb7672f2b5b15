"""Division of ratings: users in folds, and of a test user a few ratings to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.protocol.splits import Indices, Split


@dataclass(frozen=True, kw_only=True)
class RatingSplit(Split):
    """Samples are pairs of a row and a test user: rows stand in a part once for every user.

    Attributes
    ----------
    labels : int array
        The test users.
    train_tasks, test_tasks : int array
        The place in `labels` of every sample's user, ascending. The test part has all rows that
        are not in the training part, rated or not.
    """

    train_tasks: Indices
    test_tasks: Indices

    @property
    def users(self) -> Indices:
        """The test users."""
        assert self.labels is not None
        return self.labels


def make_rating_split(
    spec: Mapping[str, Any], known: npt.NDArray[np.bool_], dataset: str
) -> RatingSplit:
    """Draw the test users of a fold, and their ratings that are given.

    Parameters
    ----------
    spec : mapping
        ``seed``, ``folds``, ``given`` and ``index``, which counts the folds of the first
        repetition, then those of the second. Repetitions have the same folds of users, and other
        ratings given.
    known : (n, k) bool array
        Which of k users has rated which of n rows.
    dataset : str
        Its name takes part in the seed.

    Raises
    ------
    DataError
        If there are fewer users than folds, or a user has no ratings left to be predicted.

    References
    ----------
    Yu, Yu & Tresp (2005), section 4.1.
    """
    repeat, fold = divmod(int(spec["index"]), int(spec["folds"]))
    n_users, given = known.shape[1], int(spec["given"])
    refuse_too_few(spec, n_users, int(known.sum(axis=0).min()), dataset)
    shuffled = random_state("rating users", int(spec["seed"]), dataset).permutation(n_users)
    users = np.sort(np.array_split(shuffled, spec["folds"])[fold])
    rng = random_state("ratings", int(spec["seed"]), dataset, repeat, fold)
    train = np.zeros((len(users), len(known)), dtype=bool)
    for place, user in enumerate(users):
        train[place, rng.permutation(np.flatnonzero(known[:, user]))[:given]] = True
    train_tasks, train_rows = np.nonzero(train)
    test_tasks, test_rows = np.nonzero(~train)
    return RatingSplit(train_rows, test_rows, users, train_tasks=train_tasks, test_tasks=test_tasks)


def refuse_too_few(spec: Mapping[str, Any], n_users: int, fewest: int, dataset: str) -> None:
    """Refuse fewer users than folds, and users with too few ratings.

    Raises
    ------
    DataError
    """
    if n_users < spec["folds"]:
        raise DataError(f"{dataset}: {n_users} users cannot be divided into {spec['folds']} folds")
    if fewest <= spec["given"]:
        raise DataError(
            f"{dataset}: a user has {fewest} ratings, and {spec['given']} given ones leave none to "
            "be predicted; change given of protocol.splits"
        )
