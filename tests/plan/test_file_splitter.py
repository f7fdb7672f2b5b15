from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.model_selection import (
    KFold,
    LeavePOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from mlbench.errors import DataError
from mlbench.plan.file_splitter import FileSplits, why_uncorrected
from mlbench.protocol.splitters import TrainTest
from tests.protocol.splitters.cases import dataset

TEXT = "row,split,part\n0,0,train\n1,0,train\n2,0,test\n0,1,test\n1,1,train\n2,1,train\n"


@pytest.fixture
def path(tmp_path):
    (tmp_path / "s.csv").write_text(TEXT)
    return tmp_path / "s.csv"


def test_the_rows_are_those_of_the_file(path):
    splitter = pickle.loads(pickle.dumps(FileSplits.of(path, 3)))
    split = splitter.draw(dataset(3), 1)
    assert (split.train.rows.tolist(), split.test.rows.tolist()) == ([1, 2], [0])
    assert split.axes == (3, "d", 1)


def test_the_identity_is_that_of_the_content_and_not_of_the_place(path, tmp_path):
    (tmp_path / "elsewhere.csv").write_text(TEXT)
    first = FileSplits.of(path, 0).identity(1)
    assert FileSplits.of(tmp_path / "elsewhere.csv", 0).identity(1) == first
    assert set(first["split"]) == {"kind", "sha256", "seed", "index"}
    path.write_text(TEXT.replace("2,1,train\n", ""))
    assert FileSplits.of(path, 0).identity(1) != first


def test_a_file_that_was_changed_is_refused(path):
    splitter = FileSplits.of(path, 0)
    path.write_text(TEXT.replace("2,1,train\n", ""))
    with pytest.raises(DataError, match="changed after the run was planned"):
        splitter.draw(dataset(3), 0)


@pytest.mark.parametrize(
    ("data", "folds", "words"),
    [
        (dataset(2), 0, r"s.csv:4: row 2 does not exist: d has 2 rows"),
        (dataset(3, groups=np.array([0, 1, 1])), 0, "1 of 2 groups are in both parts of split 0"),
        (dataset(3), 3, "d: 2 samples cannot be divided into 3 folds"),
        (dataset(3, tasks=np.array([0, 0, 1])), 0, "no row of task 't1' is in the training part"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(path, data, folds, words):
    with pytest.raises(DataError, match=words):
        FileSplits.of(path, 0).examine(data, 2, folds, None)


def drawn(splitter, n=60):
    return [TrainTest(*rows) for rows in splitter.split(np.zeros(n))]


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(2),
        KFold(10),
        RepeatedKFold(n_splits=2, n_repeats=5, random_state=0),
        RepeatedKFold(n_splits=10, n_repeats=3, random_state=0),
        ShuffleSplit(10, test_size=0.4, random_state=0),
        ShuffleSplit(10, test_size=0.2, train_size=0.3, random_state=0),
    ],
    ids=str,
)
def test_splits_that_share_rows_as_random_ones_do_have_the_corrected_test(splitter):
    assert why_uncorrected(drawn(splitter)) == ""


def test_windows_in_time_order_do_not():
    assert why_uncorrected(drawn(TimeSeriesSplit(5))) == (
        "two splits of the file share 67% of their training rows and 0% of their test rows, random "
        "splits of these sizes 50% and 17%, and the corrected t-test is right for such splits alone"
    )


def test_one_test_part_for_all_or_training_parts_without_common_rows_do_not():
    rows = np.arange(60)
    one_test = [TrainTest(np.delete(rows[20:], part), rows[:20]) for part in ([0, 1], [2, 3])]
    assert "share 95% of their training rows and 100% of their test rows" in why_uncorrected(
        one_test
    )
    apart = [TrainTest(rows[i : i + 8], rows[i + 8 : i + 10]) for i in range(0, 60, 10)]
    assert "share 0% of their training rows" in why_uncorrected(apart)


def test_all_pairs_left_out_are_like_random_splits():
    assert why_uncorrected(drawn(LeavePOut(2), n=12)) == ""


def test_one_split_needs_no_reason():
    assert why_uncorrected([TrainTest(np.arange(3), np.arange(3, 5))]) == ""
