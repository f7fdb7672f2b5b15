from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.protocol.preprocess import Preparation, prepare
from mlbench.protocol.splitters import KFold, PublishedSplit, RandomSplits
from tests.protocol.splitters.cases import assert_lawful, dataset

SHARES = st.floats(0.01, 0.99)


def rounded(share, n):
    return math.floor(Fraction(str(share)) * n + Fraction(1, 2))


@given(n=st.integers(2, 300), train=SHARES, seed=st.integers(0, 2**32 - 1))
def test_without_a_test_share_all_others_are_tested(n, train, seed):
    assume(1 <= rounded(train, n) < n)
    split = RandomSplits(train=train, seed=seed).divide(dataset(n), 0)
    assert_lawful(split.train, split.test, n)
    assert len(split.train) == rounded(train, n)
    assert len(split.train) + len(split.test) == n


@pytest.mark.parametrize(("n", "train", "size"), [(45, 0.7, 32), (90, 0.35, 32), (45, 0.3, 14)])
def test_shares_are_decimal_numbers(n, train, size):
    """As a product of floats, .7 of 45 is 31.499999999999996."""
    assert len(RandomSplits(train=train).divide(dataset(n), 0).train) == size


def test_the_identity_says_so_where_it_makes_a_difference():
    for share in (0.7, 0.35, 0.47):
        assert RandomSplits(train=share).identity(0)["split"]["shares"] == "decimal"
    assert "shares" not in RandomSplits(train=0.6, test=0.3).identity(0)["split"]


@given(n=st.integers(2, 300), train=SHARES, test=SHARES)
def test_shares_are_rounded_half_up_and_the_test_part_gives_way(n, train, test):
    assume(train + test <= 1)
    assume(1 <= rounded(train, n) < n)
    assume(rounded(test, n) >= 1)
    split = RandomSplits(train=train, test=test).divide(dataset(n), 3)
    assert_lawful(split.train, split.test, n)
    assert len(split.train) == rounded(train, n)
    assert len(split.test) == min(rounded(test, n), n - rounded(train, n))


@pytest.mark.parametrize(
    ("n", "train", "test", "sizes"), [(5, 0.5, 0.5, (3, 2)), (20, 10, 7, (10, 7))]
)
def test_two_halves_of_an_odd_number_and_counts_that_are_counts(n, train, test, sizes):
    split = RandomSplits(train=train, test=test).divide(dataset(n), 0)
    assert (len(split.train), len(split.test)) == sizes


def test_a_split_depends_on_its_axes_and_on_nothing_else():
    def draw(index=1, name="d", seed=7):
        return tuple(RandomSplits(train=0.5, seed=seed).divide(dataset(50, name=name), index).train)

    np.random.seed(1)
    first = draw()
    np.random.seed(2)
    assert draw() == first
    assert len({first, draw(index=2), draw(seed=8), draw(name="e")}) == 4


def test_the_stream_of_a_seed_stays_what_it_is():
    split = RandomSplits(train=3).divide(dataset(8, name="emotions"), 0)
    assert split.train.tolist() == [2, 4, 7]


@given(sizes=st.lists(st.integers(4, 30), min_size=1, max_size=6), train=st.floats(0.2, 0.8))
def test_each_task_is_divided_by_itself(sizes, train):
    tasks = np.random.RandomState(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    split = RandomSplits(train=train).divide(dataset(len(tasks), tasks=tasks), 0)
    assert_lawful(split.train, split.test, len(tasks))
    for task, size in enumerate(sizes):
        assert np.sum(tasks[split.train] == task) == rounded(train, size)
        assert np.sum(tasks[split.test] == task) == size - rounded(train, size)


def test_counts_of_samples_are_per_task():
    tasks = np.repeat([0, 1, 2], [10, 20, 30])
    split = RandomSplits(train=4, test=3).divide(dataset(60, tasks=tasks), 0)
    assert np.bincount(tasks[split.train]).tolist() == [4, 4, 4]
    assert np.bincount(tasks[split.test]).tolist() == [3, 3, 3]


def test_a_drawn_split_holds_both_parts():
    tasks = np.repeat([0, 1], 10)
    data = dataset(20, tasks=tasks)
    split = RandomSplits(train=0.6, seed=3).draw(data, 2, ["standardize"])
    rows = RandomSplits(train=0.6, seed=3).divide(data, 2)
    for part, expected in ((split.train, rows.train), (split.test, rows.test)):
        np.testing.assert_array_equal(part.rows, expected)
        np.testing.assert_array_equal(part.X, data.X[expected])
        np.testing.assert_array_equal(part.Y, data.Y[expected])
        np.testing.assert_array_equal(part.tasks, tasks[expected])
        assert part.known is None
    assert (split.axes, list(split.steps)) == ((3, "d", 2), ["standardize"])
    assert list(split.kept) == ["rows"]
    assert split.counts == {}


@pytest.mark.parametrize(
    ("parts", "n", "tasks", "words"),
    [
        ({"train": 9}, 9, None, "into 9 for training and 0 for testing"),
        ({"train": 5000}, 9, None, "into 5000 for training and 0 for testing"),
        ({"train": 0.01}, 9, None, "into 0 for training"),
        ({"train": 5, "test": 5}, 9, None, "d: 9 samples cannot be divided"),
        ({"train": 3}, 6, np.array([0, 0, 0, 1, 1, 1]), "d: 3 samples cannot"),
    ],
)
def test_parts_that_do_not_fit_are_refused_by_name(parts, n, tasks, words):
    with pytest.raises(DataError, match=words):
        RandomSplits(**parts).draw(dataset(n, tasks=tasks), 0)


def test_the_identity_holds_the_parts_the_seed_and_the_number():
    identity = RandomSplits(train=0.6, seed=5).identity(2)
    assert identity == {
        "split": {"kind": "random", "train": 0.6, "test": None, "seed": 5, "index": 2}
    }


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
        tested, most = [], 0
        for fold in range(folds):
            split = splitter.divide(data, repeat * folds + fold)
            most = max(most, len(split.train))
            assert_lawful(split.train, split.test, n)
            assert len(split.train) + len(split.test) == n
            assert len(split.test) in (n // folds, -(-n // folds))
            tested.extend(split.test)
        assert sorted(tested) == list(range(n))
        assert splitter.training_rows(DatasetFacts("", n, 1, 1, 0, False)) == most


def test_repetitions_of_folds_differ():
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
def test_folds_without_a_sample_are_refused_by_name(folds, n, tasks, words):
    with pytest.raises(DataError, match=words):
        KFold(folds=folds).draw(dataset(n, tasks=tasks), 0)


def test_the_published_rows_are_trained_on_and_all_others_tested():
    split = PublishedSplit().draw(dataset(6, published_train=np.array([0, 1, 4])), 0)
    assert (split.train.rows.tolist(), split.test.rows.tolist()) == ([0, 1, 4], [2, 3, 5])


def test_a_data_set_without_published_parts_is_refused():
    with pytest.raises(DataError, match="d has no published training and test part; use"):
        PublishedSplit().draw(dataset(9), 0)


@pytest.fixture
def partly():
    """Forty rows of three labels, of which a third is unknown."""
    rng = np.random.default_rng(0)
    known = rng.random((40, 3)) < 2 / 3
    Y = rng.integers(0, 2, (40, 3)) * known
    return dataset(40, 3, Y=Y, known=known, published_train=np.arange(25))


@pytest.mark.parametrize("splitter", [RandomSplits(train=0.6), KFold(folds=4), PublishedSplit()])
def test_the_samples_are_the_known_labels_of_the_rows(partly, splitter):
    split = splitter.draw(partly, 1)
    rows = splitter.divide(partly, 1)
    for part, own in ((split.train, rows.train), (split.test, rows.test)):
        expected = [(i, j) for i in own for j in range(3) if partly.known[i, j]]
        assert list(zip(part.rows, part.tasks, strict=True)) == expected
        assert part.Y[:, 0].tolist() == [partly.Y[place] for place in expected]
        assert part.X[:, 0].tolist() == [i for i, _ in expected]
    np.testing.assert_array_equal(split.kept["columns"][split.kept["tasks"]], split.test.tasks)


@pytest.mark.parametrize("stratify", [None, "labels"])
def test_folds_keep_the_labels_of_a_row_together(partly, stratify):
    split = RandomSplits(train=0.8).draw(partly, 0)
    folds = split.folds(3, stratify)
    held = np.concatenate([fold.test for fold in folds])
    assert sorted(held) == list(range(len(split.train.Y)))
    for fold in folds:
        assert not set(split.train.rows[fold.train]) & set(split.train.rows[fold.test])


def test_preparation_sees_each_row_once(partly):
    split = RandomSplits(train=0.5).draw(partly, 0)
    train, test = Preparation(["standardize"]).parts(split.train, split.test)
    rows = np.unique(split.train.rows)
    X_train, X_test = prepare(["standardize"], partly.X[rows], partly.X[split.test.rows])
    np.testing.assert_array_equal(train.X, X_train[np.searchsorted(rows, split.train.rows)])
    np.testing.assert_array_equal(test.X, X_test)


def test_a_label_without_known_values_to_learn_from_is_refused(partly):
    known = partly.known.copy()
    known[:, 2] = np.arange(40) == 0
    rare = dataset(40, 3, Y=partly.Y * known, known=known)
    index = next(i for i in range(20) if 0 in RandomSplits(train=0.5).divide(rare, i).train)
    with pytest.raises(DataError, match=r"d: in a training part or tuning fold .* 'y2'"):
        RandomSplits(train=0.5).draw(rare, index).folds(2)
    without = next(i for i in range(20) if 0 in RandomSplits(train=0.5).divide(rare, i).test)
    with pytest.raises(DataError, match="'y2'; drop rare labels with `min_positives`"):
        RandomSplits(train=0.5).draw(rare, without)


def test_a_test_part_without_known_labels_is_refused():
    known = np.arange(10)[:, None] < 8
    Y = np.zeros((10, 1), dtype=np.int64)
    unknown = dataset(10, 1, Y=Y, known=known, published_train=np.arange(8))
    with pytest.raises(DataError, match="no label of the test part is known"):
        PublishedSplit().draw(unknown, 0)
