from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

from mlbench.errors import DataError
from mlbench.protocol.splitters import TimeWindows
from tests.protocol.splitters.cases import assert_lawful, dataset


def in_time(times, **more):
    return dataset(len(times), times=np.array(times), **more)


@given(
    n=st.integers(6, 80),
    folds=st.integers(2, 5),
    gap=st.integers(0, 3),
    test=st.none() | st.integers(1, 8),
    longest=st.none() | st.integers(1, 20),
    seed=st.integers(0, 9),
)
def test_windows_are_those_of_scikit_learn_where_all_times_differ(
    n, folds, gap, test, longest, seed
):
    assume(n - folds * (test or n // (folds + 1)) - gap >= 1)
    assume(n >= folds + 1)
    order = np.random.RandomState(seed).permutation(n)
    times = np.empty(n)
    times[order] = np.arange(n)
    kind = "expanding" if longest is None else "rolling"
    splitter = TimeWindows(
        windows=kind, folds=folds, gap=gap, train=longest, test=test or n // (folds + 1)
    )
    theirs = TimeSeriesSplit(
        folds, gap=gap, max_train_size=longest, test_size=test or n // (folds + 1)
    )
    for index, (train, tested) in enumerate(theirs.split(times)):
        split = splitter.divide(in_time(times), index)
        assert split.train.tolist() == sorted(order[train])
        assert split.test.tolist() == sorted(order[tested])


@given(
    times=st.lists(st.integers(0, 12), min_size=20, max_size=60),
    folds=st.integers(1, 3),
    gap=st.integers(0, 2),
    windows=st.sampled_from(["expanding", "rolling"]),
)
def test_nothing_is_trained_on_that_is_as_late_as_what_is_tested(times, folds, gap, windows):
    data = in_time(times)
    splitter = TimeWindows(folds=folds, gap=gap, windows=windows)
    tested = []
    for index in range(folds):
        try:
            split = splitter.draw(data, index)
            within = split.folds(2)
        except DataError:
            assume(False)
        assert_lawful(split.train.rows, split.test.rows, len(times))
        assert data.times[split.train.rows].max() < data.times[split.test.rows].min()
        tested += [*split.test.rows]
        for fold in within:
            train, test = split.train.rows[fold.train], split.train.rows[fold.test]
            assert data.times[train].max() < data.times[test].min()
    assert len({*tested}) == len(tested)


def test_expanding_windows_train_on_all_rows_before_and_rolling_ones_on_as_many_as_the_first():
    def trained(**given):
        splitter = TimeWindows(folds=3, **given)
        return [splitter.divide(in_time(range(20)), index).train.tolist() for index in range(3)]

    assert trained() == [[*range(5)], [*range(10)], [*range(15)]]
    assert trained(windows="rolling") == [[*range(5)], [*range(5, 10)], [*range(10, 15)]]
    assert trained(test=2) == [[*range(14)], [*range(16)], [*range(18)]]
    assert trained(train=0.4) == [[*range(8)], [*range(12)], [*range(16)]]
    assert trained(gap=2) == [[*range(3)], [*range(8)], [*range(13)]]


def test_a_window_begins_and_ends_at_a_change_of_time():
    times = [0] * 4 + [1] * 4 + [2] * 2
    split = TimeWindows(folds=1, test=3).divide(in_time(times), 0)
    assert split.test.tolist() == [8, 9]
    split = TimeWindows(folds=1, test=5).divide(in_time(times), 0)
    assert split.test.tolist() == [4, 5, 6, 7, 8, 9]


def test_folds_hold_out_all_but_the_first_rows():
    split = TimeWindows(folds=1, test=4).draw(in_time(range(16)), 0)
    assert [fold.test.tolist() for fold in split.folds(2)] == [[4, 5, 6, 7], [8, 9, 10, 11]]
    assert [fold.train.tolist() for fold in split.folds(2)] == [[0, 1, 2, 3], [*range(8)]]


@pytest.mark.parametrize(
    ("splitter", "more", "folds", "stratify", "words"),
    [
        (TimeWindows(), {"times": None}, 0, None, "need the times of rows; write `by: COLUMN`"),
        (TimeWindows(folds=20), {}, 0, None, "20 rows of 20 different times cannot be divided"),
        (TimeWindows(test=0.3), {}, 0, None, "into 5 test windows of 6 rows"),
        (TimeWindows(folds=2), {"times": np.arange(20) // 10}, 0, None, "of 2 different times"),
        (TimeWindows(), {}, 8, None, "cannot be divided into 8 test windows"),
        (TimeWindows(folds=2, gap=2), {}, 3, None, "d: tuning folds: 6 rows .* before each, 2 or"),
        (TimeWindows(), {}, 2, "labels", "in time order cannot be stratified"),
        (TimeWindows(), {"groups": np.arange(20)}, 0, None, "has groups, which these splits do"),
        (TimeWindows(train=5, test=1), {}, 0, None, "either `train` or `test`, not both"),
        (TimeWindows(), {"known": np.eye(20, 1) < 1}, 0, None, "not all labels of all rows"),
    ],
)
def test_what_cannot_be_is_refused_with_numbers(splitter, more, folds, stratify, words):
    data = dataset(20, **{"times": np.arange(20), **more})
    with pytest.raises(DataError, match=words):
        splitter.examine(data, splitter.folds, folds, stratify)


def test_a_task_without_rows_to_train_on_is_named():
    data = in_time(range(20), tasks=np.arange(20) // 10)
    with pytest.raises(DataError, match="task 't1' has no row in the training part of window 0"):
        TimeWindows(folds=2, test=6).examine(data, 2, 0, None)


def test_sizes_are_told_and_that_the_corrected_test_has_no_theory():
    told = TimeWindows(folds=3).examine(in_time(range(20)), 3, 2, None)
    assert told.note == "trained on 5 to 15 rows, tested on later ones"
    assert "no theory" in told.uncorrected


def test_the_identity_holds_the_windows_and_not_the_column():
    assert TimeWindows(folds=3, gap=1, seed=2).identity(1)["split"] == {
        "kind": "time",
        "windows": "expanding",
        "folds": 3,
        "train": None,
        "test": None,
        "gap": 1,
        "seed": 2,
        "index": 1,
    }
