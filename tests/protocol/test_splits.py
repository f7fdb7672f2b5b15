from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlbench.errors import DataError
from mlbench.protocol.splits import make_split, tuning_folds

SHARES = st.floats(0.01, 0.99)


def rounded(x):
    return math.floor(x + 0.5)


def assert_lawful(split, n):
    """Ascending, without repetition, disjoint, inside the data."""
    for part in (split.train, split.test):
        assert (np.diff(part) > 0).all()
        assert part.min() >= 0
        assert part.max() < n
    assert not set(split.train) & set(split.test)


@given(n=st.integers(2, 300), train=SHARES, seed=st.integers(0, 2**32 - 1))
def test_without_a_test_share_all_others_are_tested(n, train, seed):
    assume(1 <= rounded(train * n) < n)
    split = make_split({"kind": "random", "index": 0, "train": train, "seed": seed}, n, "d")
    assert_lawful(split, n)
    assert len(split.train) == rounded(train * n)
    assert len(split.train) + len(split.test) == n


@given(n=st.integers(2, 300), train=SHARES, test=SHARES)
def test_shares_are_rounded_half_up_and_the_test_part_gives_way(n, train, test):
    assume(train + test <= 1)
    assume(1 <= rounded(train * n) < n)
    assume(rounded(test * n) >= 1)
    spec = {"kind": "random", "index": 3, "train": train, "test": test, "seed": 0}
    split = make_split(spec, n, "d")
    assert_lawful(split, n)
    assert len(split.train) == rounded(train * n)
    assert len(split.test) == min(rounded(test * n), n - rounded(train * n))


def test_two_halves_of_an_odd_number():
    spec = {"kind": "random", "index": 0, "train": 0.5, "test": 0.5, "seed": 0}
    split = make_split(spec, 5, "d")
    assert (len(split.train), len(split.test)) == (3, 2)


def test_counts_are_counts():
    spec = {"kind": "random", "index": 0, "train": 10, "test": 7, "seed": 0}
    split = make_split(spec, 20, "d")
    assert (len(split.train), len(split.test)) == (10, 7)


def test_a_split_depends_on_its_axes_and_on_nothing_else():
    def draw(n=50, dataset="d", **changes):
        spec = {"kind": "random", "index": 1, "train": 0.5, "seed": 7, **changes}
        return tuple(make_split(spec, n, dataset).train)

    np.random.seed(1)
    first = draw()
    np.random.seed(2)
    assert draw() == first
    assert draw(repeats=99) == first
    others = [draw(index=2), draw(seed=8), draw(dataset="e")]
    assert len({first, *others}) == 4


def test_the_stream_of_a_seed_stays_what_it_is():
    spec = {"kind": "random", "index": 0, "train": 3, "test": None, "seed": 0}
    assert make_split(spec, 8, "emotions").train.tolist() == [2, 4, 7]


@given(
    n=st.integers(2, 120),
    folds=st.integers(2, 10),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 9),
)
def test_kfold_tests_every_row_once_per_repetition(n, folds, repeats, seed):
    assume(n >= folds)
    spec = {"kind": "kfold", "folds": folds, "seed": seed}
    for repeat in range(repeats):
        tested = []
        for fold in range(folds):
            split = make_split({**spec, "index": repeat * folds + fold}, n, "d")
            assert_lawful(split, n)
            assert len(split.train) + len(split.test) == n
            assert len(split.test) in (n // folds, -(-n // folds))
            tested.extend(split.test)
        assert sorted(tested) == list(range(n))


def test_repetitions_of_kfold_differ():
    spec = {"kind": "kfold", "folds": 3, "seed": 0}
    one, two = (make_split({**spec, "index": index}, 60, "d").test for index in (0, 3))
    assert set(one) != set(two)


@given(sizes=st.lists(st.integers(4, 30), min_size=1, max_size=6), train=st.floats(0.2, 0.8))
def test_each_task_is_divided_by_itself(sizes, train):
    tasks = np.random.RandomState(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    spec = {"kind": "random", "index": 0, "train": train, "seed": 0}
    split = make_split(spec, len(tasks), "d", tasks)
    assert_lawful(split, len(tasks))
    for task, size in enumerate(sizes):
        assert np.sum(tasks[split.train] == task) == rounded(train * size)
        assert np.sum(tasks[split.test] == task) == size - rounded(train * size)


def test_counts_of_samples_are_per_task():
    tasks = np.repeat([0, 1, 2], [10, 20, 30])
    spec = {"kind": "random", "index": 0, "train": 4, "test": 3, "seed": 0}
    split = make_split(spec, 60, "d", tasks)
    assert np.bincount(tasks[split.train]).tolist() == [4, 4, 4]
    assert np.bincount(tasks[split.test]).tolist() == [3, 3, 3]


def test_folds_of_tasks_hold_every_task():
    tasks = np.repeat([0, 1], [9, 30])
    for index in range(3):
        split = make_split({"kind": "kfold", "index": index, "folds": 3, "seed": 0}, 39, "d", tasks)
        assert np.bincount(tasks[split.test]).tolist() == [3, 10]


def test_the_published_split():
    spec = {"kind": "published", "index": 0, "seed": 0}
    split = make_split(spec, 6, "d", published_train=np.array([4, 0, 1]))
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1, 4], [2, 3, 5])


def transfer(index=0, n=1021, labels=35, **changes):
    spec = {"kind": "transfer", "projection": 500, "seen": 25, "learn": "seen", "folds": None}
    return make_split({**spec, "index": index, "seed": 7, **changes}, n, "d", n_labels=labels)


def test_setting_one_learns_the_labels_of_the_projection_from_its_rows():
    for run in range(10):
        split = transfer(run)
        assert_lawful(split, 1021)
        assert (len(split.train), len(split.test)) == (500, 521)
        assert (np.diff(split.labels) > 0).all()
        assert set(split.labels) <= set(range(35))
        assert len(split.labels) == 25
        assert split.source is None


def test_setting_two_learns_the_other_labels_from_one_fold_of_the_other_rows():
    for run in range(10):
        first = transfer(run)
        folds = [transfer(5 * run + fold, learn="unseen", folds=5) for fold in range(5)]
        for split in folds:
            assert_lawful(split, 1021)
            np.testing.assert_array_equal(split.source.rows, first.train)
            np.testing.assert_array_equal(split.source.labels, first.labels)
            assert sorted([*split.train, *split.test]) == list(first.test)
            assert sorted([*split.labels, *split.source.labels]) == list(range(35))
            assert len(split.labels) == 10
        assert [len(split.train) for split in folds] == [105, 104, 104, 104, 104]
        assert sorted(row for split in folds for row in split.train) == list(first.test)


def test_projections_are_drawn_by_seed_data_set_and_repetition_alone():
    def drawn(index=0, **changes):
        split = transfer(index, **changes)
        return tuple(split.train), tuple(split.labels)

    np.random.seed(1)
    first = drawn()
    np.random.seed(2)
    assert drawn(repeats=99) == first
    rows, labels = zip(first, drawn(1), drawn(seed=8), strict=True)
    assert len(set(rows)) == len(set(labels)) == 3


def test_shares_of_a_projection():
    assert len(transfer(projection=0.25, n=10, labels=25).train) == 3


@pytest.mark.parametrize(
    ("spec", "n", "tasks", "words"),
    [
        ({"kind": "published"}, 9, None, "d: this data set has no published"),
        ({"kind": "random", "train": 9}, 9, None, "into 9 for training and 0 for testing"),
        ({"kind": "random", "train": 0.01}, 9, None, "into 0 for training"),
        ({"kind": "random", "train": 5, "test": 5}, 9, None, "d: 9 samples cannot be divided"),
        ({"kind": "random", "train": 3}, 6, np.array([0, 0, 0, 1, 1, 1]), "d: 3 samples cannot"),
        ({"kind": "kfold", "folds": 10}, 9, None, "d: 9 samples cannot be divided into 10 folds"),
        ({"kind": "kfold", "folds": 3}, 5, np.array([0, 0, 0, 1, 1]), "d: 2 samples cannot"),
    ],
)
def test_what_cannot_be_divided_is_refused_by_name(spec, n, tasks, words):
    with pytest.raises(DataError, match=words):
        make_split({"index": 0, "seed": 0, **spec}, n, "d", tasks)


@given(n=st.integers(2, 100), folds=st.integers(2, 10))
def test_tuning_folds_hold_every_training_row_out_once(n, folds):
    assume(n >= folds)
    parts = tuning_folds(n, folds, (0, "d", 0))
    assert len(parts) == folds
    assert sorted(np.concatenate([part.test for part in parts])) == list(range(n))
    for part in parts:
        assert_lawful(part, n)
        assert len(part.train) + len(part.test) == n


def test_tuning_folds_follow_their_axes_and_divide_each_task():
    tasks = np.repeat([0, 1], [6, 30])
    parts = tuning_folds(36, 3, (0, "d", 0), tasks)
    assert [np.bincount(tasks[part.test]).tolist() for part in parts] == [[2, 10]] * 3
    again, other = (tuning_folds(36, 3, (0, "d", index), tasks) for index in (0, 1))
    assert all((a.test == p.test).all() for a, p in zip(again, parts, strict=True))
    assert any((o.test != p.test).any() for o, p in zip(other, parts, strict=True))
    with pytest.raises(DataError, match="emotions: 4 samples cannot be divided into 5 folds"):
        tuning_folds(4, 5, (0, "emotions", 0))
