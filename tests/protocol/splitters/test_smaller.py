from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import DataError
from mlbench.protocol.splitters import RandomSplits, TimeWindows
from mlbench.protocol.splitters.smaller import SmallerSplits
from tests.protocol.splitters.cases import assert_lawful, dataset


def test_both_parts_keep_the_same_share_of_what_the_other_splitter_draws():
    inner = RandomSplits(train=60, test=40, seed=1)
    whole = inner.draw(dataset(100), 1)
    some = SmallerSplits(inner=inner, train=15).draw(dataset(100), 1)
    assert (len(some.train.Y), len(some.test.Y)) == (15, 10)
    assert set(some.train.rows) < set(whole.train.rows)
    assert set(some.test.rows) < set(whole.test.rows)
    assert_lawful(some.train.rows, some.test.rows, 100)
    assert some.train.X[:, 0].tolist() == some.train.rows.tolist()


def test_more_rows_than_there_are_leave_all():
    inner = RandomSplits(train=60, test=40, seed=1)
    whole, same = inner.draw(dataset(100), 0), SmallerSplits(inner=inner, train=99)
    assert same.draw(dataset(100), 0).train.rows.tolist() == whole.train.rows.tolist()


def test_the_key_of_a_cell_depends_on_the_rows_that_stay():
    inner = RandomSplits(train=60, test=40, seed=1)
    identities = [SmallerSplits(inner=inner, train=n).identity(0) for n in (10, 20)]
    assert identities[0] != identities[1]
    assert identities[0] != inner.identity(0)


def test_splits_in_time_order_cannot_leave_samples_out():
    data = dataset(40, times=np.arange(40))
    with pytest.raises(DataError, match="no part can be left out of TimeWindows's splits"):
        SmallerSplits(inner=TimeWindows(folds=3), train=5).draw(data, 0)
