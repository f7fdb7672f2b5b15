"""Test users keep a few ratings, as section 4.1 of Yu, Yu & Tresp (2005) has it."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import DataError
from mlbench.papers.splitters import Ratings
from tests.protocol.splitters.cases import dataset

random = np.random.RandomState(0)
KNOWN = random.rand(60, 33) < 0.6


def draw(index=0, known=KNOWN, **changes):
    splitter = Ratings(**{"given": 8, "folds": 10, "seed": 7, **changes})
    return splitter.draw(dataset(*known.shape, known=known), index)


def entries(part, users):
    return set(zip(part.rows.tolist(), users[part.tasks].tolist(), strict=True))


def test_every_user_is_a_test_user_once_per_repetition():
    for repeat in range(2):
        folds = [draw(10 * repeat + fold).users.tolist() for fold in range(10)]
        assert sorted(user for fold in folds for user in fold) == list(range(33))
        assert {len(fold) for fold in folds} == {3, 4}
        assert folds == [draw(fold).users.tolist() for fold in range(10)]


@pytest.mark.parametrize("index", [0, 3, 17])
def test_a_test_user_learns_from_the_given_number_and_all_other_rows_are_ranked(index):
    split = draw(index)
    given = entries(split.train, split.users)
    ranked = entries(split.test, split.users)
    assert all(KNOWN[row, user] for row, user in given)
    assert not given & ranked
    assert given | ranked == {(row, user) for row in range(60) for user in split.users.tolist()}
    for user in split.users.tolist():
        assert sum(one == user for _, one in given) == 8


def test_each_repetition_gives_other_ratings():
    first, second = draw(2), draw(12)
    assert first.users.tolist() == second.users.tolist()
    one, other = (entries(s.train, s.users) for s in (first, second))
    assert one != other


def test_a_split_depends_on_its_axes_alone():
    np.random.seed(1)
    first = draw(4)
    np.random.seed(2)
    again = draw(4)
    np.testing.assert_array_equal(first.train.rows, again.train.rows)
    np.testing.assert_array_equal(first.users, again.users)
    assert draw(4, seed=8).users.tolist() != first.users.tolist()


def test_what_cannot_be_divided_is_refused():
    with pytest.raises(DataError, match="d: 33 users cannot be divided into 34 folds"):
        draw(folds=34)
    known = KNOWN.copy()
    known[:, 5] = np.arange(60) < 8
    with pytest.raises(DataError, match="d: a user has 8 ratings, and 8 given ones leave none"):
        draw(known=known)
