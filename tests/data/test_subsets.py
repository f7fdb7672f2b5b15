from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from mlbench.data import Dataset
from mlbench.data.labels import unknown_labels_note
from mlbench.data.subsets import Subset, take_subset
from mlbench.errors import DataError


@pytest.fixture
def data() -> Dataset:
    """Labels with 1, 5, 3, 5 and 0 positives in 10 rows."""
    counts = [1, 5, 3, 5, 0]
    Y = np.column_stack([np.arange(10) < count for count in counts]).astype(np.int64)
    X = np.arange(20.0).reshape(10, 2)
    return Dataset("d", X, Y, tuple("abcde"), ("x", "y"), published_train=np.arange(6))


def test_nothing_asked_nothing_done(data):
    assert take_subset(data, Subset()) is data


def test_the_most_frequent_labels_stay_in_their_order_and_ties_go_to_the_first(data):
    assert take_subset(data, Subset(labels=1)).label_names == ("b",)
    assert take_subset(data, Subset(labels=2)).label_names == ("b", "d")
    assert take_subset(data, Subset(labels=3)).label_names == ("b", "c", "d")
    assert take_subset(data, Subset(labels=5)).label_names == data.label_names


def test_the_first_labels_are_kept_whatever_their_frequency(data):
    assert take_subset(data, Subset(labels=2, labels_by="position")).label_names == ("a", "b")
    first = Subset(min_positives=2, labels=2, labels_by="position")
    assert take_subset(data, first).label_names == ("b", "c")


def test_labels_with_few_positives_are_dropped_first(data):
    assert take_subset(data, Subset(min_positives=3)).label_names == ("b", "c", "d")
    assert take_subset(data, Subset(min_positives=1)).label_names == ("a", "b", "c", "d")
    with pytest.raises(DataError, match="labels is 4, but there are only 3"):
        take_subset(data, Subset(min_positives=3, labels=4))


def test_rows_without_a_label_go_after_labels_and_before_words_are_counted(data):
    """Rows 0 to 4 have label b; the second word stands in rows 0 and 6 to 9."""
    X = data.X.copy()
    X[1:6, 1] = 0
    data = replace(data, X=X)
    part = take_subset(data, Subset(labels=1, drop_unlabeled=True))
    np.testing.assert_array_equal(part.X, X[:5])
    assert part.published_train is None
    assert part.Y.all()
    words = Subset(labels=1, drop_unlabeled=True, min_documents=4)
    assert take_subset(data, words).feature_names == ("x",)
    assert take_subset(data, replace(words, drop_unlabeled=False)).feature_names == ("x", "y")


def test_words_are_counted_before_rows_are_drawn(data):
    part = take_subset(data, Subset(min_documents=9, rows=2))
    assert part.X.shape == (2, 2)
    for form in (np.asarray, sparse.csr_array, sparse.csr_matrix):
        X = form(np.array([[0.0, 1.0, 0.0], [0.0, 2.0, -1.0]] * 5))
        whole = replace(data, X=X, feature_names=("none", "all", "half"))
        assert take_subset(whole, Subset(min_documents=6)).feature_names == ("all",)
        assert take_subset(whole, Subset(min_documents=5)).feature_names == ("all", "half")


def test_labels_are_counted_before_rows_are_drawn(data):
    for seed in range(5):
        assert take_subset(data, Subset(labels=2, rows=2, seed=seed)).label_names == ("b", "d")


def test_rows_are_drawn_once_each_and_stay_in_order(data):
    part = take_subset(data, Subset(rows=4, seed=3))
    rows = (part.X[:, 0] / 2).astype(int)
    assert len(set(rows)) == 4
    assert (np.sort(rows) == rows).all()
    np.testing.assert_array_equal(part.Y, data.Y[rows])
    assert rows[part.published_train].tolist() == [row for row in rows if row < 6]


def test_a_draw_depends_on_its_seed_only_and_grows_with_its_size(data):
    def drawn(rows, seed):
        return set(take_subset(data, Subset(rows=rows, seed=seed)).X[:, 0])

    assert drawn(4, 1) == drawn(4, 1)
    assert len({frozenset(drawn(4, seed)) for seed in range(10)}) > 5
    assert drawn(4, 1) < drawn(7, 1)


def test_a_published_split_without_a_test_part_is_none(data):
    data = replace(data, published_train=np.arange(10))
    assert take_subset(data, Subset(rows=3)).published_train is None


@pytest.mark.parametrize(
    ("subset", "message"),
    [
        (Subset(labels=6), "labels is 6, but there are only 5 labels"),
        (Subset(rows=11), "rows is 11, but there are only 10 rows"),
        (Subset(min_positives=6), "min_positives is 6, but the most frequent label has 5"),
        (Subset(min_documents=11), "min_documents is 11, but the most frequent feature is nonzero"),
    ],
)
def test_more_than_there_is(data, subset, message):
    with pytest.raises(DataError, match=f"d: {message}"):
        take_subset(data, subset)


def test_tasks_lose_rows_but_no_labels(data):
    tasks = np.repeat([0, 1], 5)
    data = replace(data, Y=data.Y[:, :1], label_names=("a",), tasks=tasks, task_names=("s", "t"))
    part = take_subset(data, Subset(rows=6))
    np.testing.assert_array_equal(part.tasks, (part.X[:, 0] >= 10).astype(int))
    for subset in (Subset(labels=1), Subset(drop_unlabeled=True)):
        with pytest.raises(DataError, match="tasks with separate samples"):
            take_subset(data, subset)


def test_what_is_known_goes_with_its_rows_and_labels(data):
    known = np.random.RandomState(0).rand(*data.Y.shape) < 0.5
    whole = replace(data, Y=data.Y * known, known=known)
    part = take_subset(whole, Subset(labels=2, rows=3, seed=1))
    rows = take_subset(replace(whole, known=None), Subset(labels=2, rows=3, seed=1))
    np.testing.assert_array_equal(part.Y, rows.Y)
    places = [data.label_names.index(name) for name in part.label_names]
    found = [np.flatnonzero((x == whole.X).all(axis=1))[0] for x in part.X]
    np.testing.assert_array_equal(part.known, known[np.ix_(found, places)])


def test_labels_that_are_all_known_in_a_part_are_common_ones(data):
    known = np.ones(data.Y.shape, dtype=bool)
    known[:, 0] = False
    notes = ("of 2003", *unknown_labels_note(known, data.label_names))
    whole = replace(data, Y=data.Y * known, known=known, notes=notes)
    part = take_subset(whole, Subset(min_positives=1))
    assert (part.known, part.notes) == (None, ("of 2003",))
    drawn = take_subset(whole, Subset(rows=5))
    note = unknown_labels_note(known[:5], data.label_names, drawn.row_numbers)
    assert drawn.notes == ("of 2003", *note)
    assert (
        f"unknown, first: {data.label_names[0]!r} in row {drawn.row_numbers[0] + 1}, counted"
        in note[0]
    )
