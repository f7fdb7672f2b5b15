from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import DataError
from mlbench.protocol.preprocess import prepare, prepare_parts
from mlbench.protocol.splitters import KFold, PublishedSplit, RandomSplits
from tests.protocol.splitters.cases import dataset


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
    train, test = prepare_parts(["standardize"], split.train, split.test)
    rows = np.unique(split.train.rows)
    X_train, X_test = prepare(["standardize"], partly.X[rows], partly.X[split.test.rows])
    np.testing.assert_array_equal(train.X, X_train[np.searchsorted(rows, split.train.rows)])
    np.testing.assert_array_equal(test.X, X_test)


def test_a_label_without_known_values_to_learn_from_is_refused(partly):
    known = partly.known.copy()
    known[:, 2] = np.arange(40) == 0
    rare = dataset(40, 3, Y=partly.Y * known, known=known)
    index = next(i for i in range(20) if 0 in RandomSplits(train=0.5).divide(rare, i).train)
    with pytest.raises(DataError, match=r"d: in a training part or tuning fold .* label number 3"):
        RandomSplits(train=0.5).draw(rare, index).folds(2)
    without = next(i for i in range(20) if 0 in RandomSplits(train=0.5).divide(rare, i).test)
    with pytest.raises(DataError, match="label number 3; drop rare labels with `min_positives`"):
        RandomSplits(train=0.5).draw(rare, without)


def test_a_test_part_without_known_labels_is_refused():
    known = np.arange(10)[:, None] < 8
    Y = np.zeros((10, 1), dtype=np.int64)
    unknown = dataset(10, 1, Y=Y, known=known, published_train=np.arange(8))
    with pytest.raises(DataError, match="no label of the test part is known"):
        PublishedSplit().draw(unknown, 0)
