"""Rows and labels of a projection, as section 4.2 of Yu, Yu & Tresp (2005) has them."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import DataError
from mlbench.papers.splitters import Transfer
from mlbench.papers.splitters.transfer import TransferFitter
from mlbench.protocol.fitting import ModelFitter
from tests.protocol.splitters.cases import assert_lawful, dataset

SAME = Transfer(source_rows=500, source_labels=25, target="source_labels", seed=7)
OTHER = Transfer(source_rows=500, source_labels=25, target="other_labels", folds=5, seed=7)


def divide(splitter=SAME, index=0):
    return splitter.divide(1021, 35, "d", index)


def test_setting_one_learns_the_labels_of_the_projection_from_its_rows():
    for run in range(10):
        split = divide(SAME, run)
        assert_lawful(split.train, split.test, 1021)
        assert (len(split.train), len(split.test)) == (500, 521)
        assert (np.diff(split.labels) > 0).all()
        assert set(split.labels) <= set(range(35))
        assert len(split.labels) == 25
        assert split.source_rows is None


def test_setting_two_learns_the_other_labels_from_one_fold_of_the_other_rows():
    for run in range(10):
        first = divide(SAME, run)
        folds = [divide(OTHER, 5 * run + fold) for fold in range(5)]
        for split in folds:
            assert_lawful(split.train, split.test, 1021)
            np.testing.assert_array_equal(split.source_rows, first.train)
            np.testing.assert_array_equal(split.source_labels, first.labels)
            assert sorted([*split.train, *split.test]) == list(first.test)
            assert sorted([*split.labels, *split.source_labels]) == list(range(35))
            assert len(split.labels) == 10
        assert [len(split.train) for split in folds] == [105, 104, 104, 104, 104]
        assert sorted(row for split in folds for row in split.train) == list(first.test)


def test_projections_are_drawn_by_seed_data_set_and_repetition_alone():
    def drawn(index=0, seed=7):
        splitter = Transfer(source_rows=500, source_labels=25, target="source_labels", seed=seed)
        split = splitter.divide(1021, 35, "d", index)
        return tuple(split.train), tuple(split.labels)

    np.random.seed(1)
    first = drawn()
    np.random.seed(2)
    assert drawn() == first
    rows, labels = zip(first, drawn(1), drawn(seed=8), strict=True)
    assert len(set(rows)) == len(set(labels)) == 3


def test_shares_of_a_projection():
    splitter = Transfer(source_rows=0.25, source_labels=25, target="source_labels")
    assert len(splitter.divide(10, 25, "d", 0).train) == 3


def test_a_drawn_split_has_the_rows_and_labels_and_is_fitted_to_its_source():
    Y = (np.random.RandomState(0).rand(40, 6) < 0.5).astype(np.int64)
    data = dataset(40, 6, Y=Y)
    small = {"source_rows": 20, "source_labels": 4}
    same = Transfer(**small, target="source_labels").draw(data, 0, ["minmax"])
    other = Transfer(**small, target="other_labels", folds=2).draw(data, 0, ["minmax"])

    np.testing.assert_array_equal(same.train.Y, Y[np.ix_(same.train.rows, same.columns)])
    np.testing.assert_array_equal(same.train.X, data.X[same.train.rows])
    assert type(same.fitter(0)) is ModelFitter
    assert list(same.steps) == ["minmax"]
    assert same.counts == {}

    source = same.train.rows
    np.testing.assert_array_equal(other.source.rows, source)
    np.testing.assert_array_equal(other.source.Y, same.train.Y)
    low, high = data.X[source].min(), data.X[source].max()
    for part in (other.source, other.train, other.test):
        np.testing.assert_allclose(part.X, (data.X[part.rows] - low) / (high - low))
    assert isinstance(other.fitter(0), TransferFitter)
    assert list(other.steps) == [], "the source has prepared the features"
    assert other.counts == {"projection_samples": 20}
    assert list(other.kept) == ["rows", "columns"]
    np.testing.assert_array_equal(other.kept["columns"], np.setdiff1d(range(6), same.columns))


def test_too_few_rows_or_labels_are_refused():
    with pytest.raises(DataError, match="d: of 25 labels a projection cannot see 25 and leave 1"):
        OTHER.divide(1021, 25, "d", 0)
    with pytest.raises(DataError, match="d: of 500 samples a projection cannot have 500 and leave"):
        SAME.divide(500, 35, "d", 0)
