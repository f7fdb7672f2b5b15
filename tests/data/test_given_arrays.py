"""Data sets of arrays in any form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from mlbench.data import Dataset
from mlbench.data.frames import from_dataframe
from mlbench.errors import DataError

X = np.arange(9.0).reshape(3, 3) % 4
Y = np.array([[1, 0], [0, 1], [1, 1]])


def dataset(**changes):
    names = {"label_names": ("p", "q"), "feature_names": ("a", "b", "c")}
    return Dataset(**{"name": "toy", "X": X, "Y": Y, **names, **changes})


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "bsr", "dia", "dok"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_sparse_features_of_any_form_are_those_rows(form, kind):
    made = dataset(X=getattr(sparse, f"{form}_{kind}")(X))
    assert isinstance(made.X, sparse.csr_matrix)
    np.testing.assert_array_equal(made.X.toarray(), X)
    assert made.fingerprint == dataset(X=sparse.csr_matrix(X)).fingerprint


def test_labels_of_any_form_are_the_same():
    same = dataset().fingerprint
    for form in (Y.tolist(), Y.astype(float), Y == 1, sparse.coo_matrix(Y), pd.DataFrame(Y)):
        assert dataset(Y=form).fingerprint == same


def test_masked_labels_are_unknown():
    mask = np.array([[False, True], [False, False], [False, False]])
    made = dataset(Y=np.ma.masked_array(Y, mask))
    np.testing.assert_array_equal(made.known, ~mask)


def test_a_published_part_may_be_a_list_or_a_mask():
    for rows in ([2, 0], np.array([True, False, True])):
        assert dataset(published_train=rows).published_train.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": [["a", "b", "c"]] * 3}, "toy: X must hold numbers, not values of type <U1"),
        ({"X": X + 1j}, "toy: X must hold numbers, not values of type complex128"),
        ({"Y": [["yes", "no"]] * 3}, "toy: Y must hold 0 and 1, not values of type"),
        ({"known": [True]}, "toy: `known` must have the shape of Y"),
        ({"known": [[1, 0]] * 3}, "toy: known must hold truth values"),
        ({"tasks": [0.5, 1, 1]}, "toy: tasks must hold whole numbers"),
        ({"published_train": [0, 99]}, "toy: published_train has row 99; rows are 0 to 2"),
        ({"label_names": "pq"}, "toy: label_names must be a list of names, not the text 'pq'"),
        ({"name": None}, "the name of a data set is a text, not None"),
    ],
)
def test_what_is_no_such_array_is_told(changes, words):
    with pytest.raises(DataError) as refused:
        dataset(**changes)
    assert words in str(refused.value)


def test_a_name_alone_stands_for_one_column():
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4], "ab": [5, 6], "y": [0, 1]})
    made = from_dataframe(frame, label_columns="y", ignore="ab", row_ids="keep")
    assert made.feature_names == ("a", "b")
    made = from_dataframe(frame, label_columns="y", nominal="ab", row_ids="keep")
    assert made.feature_names == ("a", "b", "ab=5", "ab=6")


@pytest.mark.parametrize("key", ["missing", "row_ids"])
def test_only_refuse_and_keep_are_known(key):
    frame = pd.DataFrame({"a": [1.5, 2], "y": [0, 1]})
    with pytest.raises(DataError, match=f"{key} is 'drop'; it must be 'refuse' or 'keep'"):
        from_dataframe(frame, label_columns="y", **{key: "drop"})
