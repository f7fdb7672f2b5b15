from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data.readers import read_table
from mlbench.errors import DataError

TEXT = "1,3 1:0.5 4:2\n 2:1\n3 1:1 # a comment\n"


def test_labels_are_the_numbers_that_occur(write):
    table = read_table("libsvm", {"all": write("a.svm", TEXT)}, {})
    assert table.label_names == ("1", "3")
    assert table.Y.tolist() == [[1, 1], [0, 0], [0, 1]]
    np.testing.assert_array_equal(
        table.cells.toarray(), [[0.5, 0, 0, 2], [0, 1, 0, 0], [1, 0, 0, 0]]
    )


def test_counts_can_be_given(write):
    options = {"label_count": 5, "feature_count": 6}
    table = read_table("libsvm", {"all": write("a.svm", TEXT)}, options)
    assert table.label_names == ("0", "1", "2", "3", "4")
    assert table.Y.sum(axis=0).tolist() == [0, 1, 0, 2, 0]
    assert table.cells.shape == (3, 6)


def test_both_parts_share_labels_and_columns(write):
    files = {"train": write("a.svm", "1 1:1\n"), "test": write("b.svm", "2 5:1\n")}
    table = read_table("libsvm", files, {})
    assert table.label_names == ("1", "2")
    assert table.Y.tolist() == [[1, 0], [0, 1]]
    assert table.cells.shape == (2, 5)
    assert table.n_train == 1


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "a file has no rows"),
        ("1 a:1\n", {}, "not a multi-label LIBSVM file"),
        ("1 3:1 2:1\n", {}, "not a multi-label LIBSVM file"),
        ("1 1:nan\n", {}, "not a finite number"),
        ("1 99999999:1\n", {}, "feature number 99999999 is above the maximum"),
        ("1 999999999999999999999:1\n", {}, "not a multi-label LIBSVM file|above the maximum"),
        ("1.5 1:1\n", {}, "a label is not a whole number"),
        (" 1:1\n", {}, "no row has a label"),
        ("7 1:1\n", {"label_count": 3}, "label 7 is out of range; label_count: 3"),
        ("1 9:1\n", {"feature_count": 3}, "not a multi-label LIBSVM file"),
        ("1 1:1\n", {"label_count": "3"}, "label_count is '3'; it must be a whole number"),
    ],
)
def test_mistakes(write, text, options, message):
    with pytest.raises(DataError, match=message):
        read_table("libsvm", {"all": write("a.svm", text)}, options)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.binary(max_size=60) | st.text("0123456789:,.- \n#eqid", max_size=60).map(str.encode))
def test_nothing_but_a_data_error_escapes(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "junk.svm"
    path.write_bytes(content)
    try:
        table = read_table("libsvm", {"all": path}, {})
    except DataError:
        return
    assert table.cells.shape[0] == table.Y.shape[0]


def test_a_header_of_the_extreme_classification_repository_states_the_sizes(write):
    path = write("x.svm", "3 4 5\n0,2 0:1 1:2\n 3:1\n2 0:3\n")
    table = read_table("libsvm", {"all": path}, {})
    assert table.label_names == tuple("01234")
    assert table.Y.tolist() == [[1, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert table.cells.toarray().tolist() == [[1, 2, 0, 0], [0, 0, 0, 1], [3, 0, 0, 0]]


def test_a_header_that_states_other_rows_is_refused(write):
    path = write("x.svm", "4 4 5\n0,2 0:1 1:2\n2 0:3\n")
    with pytest.raises(DataError, match=r"x\.svm:1: the header states 4 rows, and the file has 2"):
        read_table("libsvm", {"all": path}, {})
