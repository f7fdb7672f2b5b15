from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import RepeatedKFold

from mlbench.data.split_files import read_split_file
from mlbench.errors import DataError

HEAD = "row,split,part\n"
OPENML = (
    "@relation folds\n@attribute type {TRAIN,TEST}\n@attribute rowid numeric\n"
    "@attribute repeat numeric\n@attribute fold numeric\n@data\n"
)


def test_the_rows_of_both_parts_split_by_split(write):
    splits = [*RepeatedKFold(n_splits=5, n_repeats=2, random_state=0).split(np.zeros(12))]
    lines = [
        f"{row},{number},{part}"
        for number, rows in enumerate(splits)
        for part, members in zip(("train", "test"), rows, strict=True)
        for row in members
    ]
    np.random.RandomState(1).shuffle(lines)
    found = read_split_file(write("s.csv", HEAD + "\n".join(lines)))
    assert found.names == tuple(map(str, range(10)))
    assert found.largest == 11
    for ours, theirs in zip(found.splits, splits, strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other)


def test_columns_in_another_order_and_splits_with_names(write):
    text = "part,row,who,split\ntest,0,a,late\ntrain,1,b,late\ntrain,0,a,early\ntest,2,c,early\n"
    found = read_split_file(write("s.csv", text))
    assert found.names == ("late", "early")
    assert [each.train.tolist() for each in found.splits] == [[1], [0]]
    assert [each.test.tolist() for each in found.splits] == [[0], [2]]


def test_the_folds_of_openml(write):
    rows = [
        f"{'TEST' if row % 2 == fold else 'TRAIN'},{row},{repeat},{fold}"
        for repeat in range(2)
        for fold in range(2)
        for row in range(4)
    ]
    found = read_split_file(write("folds.arff", OPENML + "\n".join(rows)))
    assert found.names == ("0", "1", "2", "3")
    assert found.splits[2].test.tolist() == [0, 2]
    assert found.splits[3].train.tolist() == [0, 2]


GOOD = "0,0,train\n1,0,test\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("row,part\n0,train\n", r"s.csv:1: no column 'split'"),
        (HEAD, "s.csv: no rows below the header"),
        (HEAD + GOOD + "0,0,test\n", "s.csv:4: row 0 is in split '0' a second time"),
        (HEAD + GOOD + "2,0,valid\n", "s.csv:4: part is 'valid'; it must be train or test"),
        (HEAD + "-1,0,train\n", "s.csv:2: row is '-1'; it must be a whole number"),
        (HEAD + "0,0\n", "s.csv:2: 2 values for 3 columns"),
        (HEAD + "0,,train\n", "s.csv:2: split is empty"),
        (HEAD + GOOD + "0,2,train\n1,2,test\n", "split 1 is missing"),
        (HEAD + "0,3,train\n1,3,test\n", "split 1 is missing"),
        (HEAD + GOOD + "0,1,train\n", r"\.csv:4: split '1' has no row with the part test"),
    ],
)
def test_mistakes_are_told_with_their_line(write, text, words):
    with pytest.raises(DataError, match=words):
        read_split_file(write("s.csv", text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OPENML.replace("rowid", "id") + "TRAIN,0,0,0\n", "no attribute 'rowid'"),
        (OPENML.replace("TEST}", "HOLD}") + "HOLD,0,0,0\n", "data row 1: type is 'hold'"),
        (OPENML + "TEST,0.5,0,0\n", "must be whole numbers"),
    ],
)
def test_mistakes_in_folds_of_openml(write, text, words):
    with pytest.raises(DataError, match=words):
        read_split_file(write("folds.arff", text))
