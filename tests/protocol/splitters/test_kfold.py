from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlbench.errors import DataError
from mlbench.protocol.splitters import KFold
from tests.protocol.splitters.cases import assert_lawful, dataset


@pytest.mark.slow
@given(
    n=st.integers(2, 120),
    folds=st.integers(2, 10),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 9),
)
def test_every_row_is_tested_once_per_repetition(n, folds, repeats, seed):
    assume(n >= folds)
    splitter, data = KFold(folds=folds, seed=seed), dataset(n)
    for repeat in range(repeats):
        tested = []
        for fold in range(folds):
            split = splitter.divide(data, repeat * folds + fold)
            assert_lawful(split.train, split.test, n)
            assert len(split.train) + len(split.test) == n
            assert len(split.test) in (n // folds, -(-n // folds))
            tested.extend(split.test)
        assert sorted(tested) == list(range(n))


def test_repetitions_differ():
    one, two = (KFold(folds=3).divide(dataset(60), index).test for index in (0, 3))
    assert set(one) != set(two)


def test_folds_of_tasks_hold_every_task():
    tasks = np.repeat([0, 1], [9, 30])
    for index in range(3):
        split = KFold(folds=3).divide(dataset(39, tasks=tasks), index)
        assert np.bincount(tasks[split.test]).tolist() == [3, 10]


@pytest.mark.parametrize(
    ("folds", "n", "tasks", "words"),
    [
        (10, 9, None, "d: 9 samples cannot be divided into 10 folds"),
        (3, 5, np.array([0, 0, 0, 1, 1]), "d: 2 samples cannot"),
    ],
)
def test_what_cannot_be_divided_is_refused_by_name(folds, n, tasks, words):
    with pytest.raises(DataError, match=words):
        KFold(folds=folds).draw(dataset(n, tasks=tasks), 0)
