from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import LabelBinarizer, OneHotEncoder

import mlbench
from mlbench.errors import DataError


@pytest.fixture
def birds():
    return pd.DataFrame(
        {
            "size": [1.5, 2.0, 3.0],
            "color": pd.Categorical(["red", "blue", "red"]),
            "y_sings": [1, 0, 1],
            "y_flies": [True, False, False],
        },
        index=["a", "b", "c"],
    )


def test_labels_are_chosen_and_categories_are_one_hot(birds):
    data = mlbench.from_dataframe(birds, label_columns={"prefix": "y_"}, name="birds")
    assert data.name == "birds"
    assert data.label_names == ("y_sings", "y_flies")
    assert data.Y.tolist() == [[1, 1], [0, 0], [1, 0]]
    assert data.feature_names == ("size", "color=blue", "color=red")
    one_hot = OneHotEncoder(sparse_output=False).fit_transform(birds[["color"]])
    np.testing.assert_array_equal(data.X, np.column_stack([birds["size"], one_hot]))


def test_each_class_becomes_a_label():
    frame = load_iris(as_frame=True).frame
    data = mlbench.from_dataframe(frame, class_column="target")
    assert data.label_names == ("target=0", "target=1", "target=2")
    np.testing.assert_array_equal(data.Y, LabelBinarizer().fit_transform(frame["target"]))
    np.testing.assert_array_equal(data.X, frame.drop(columns="target"))


def test_classes_stand_beside_other_labels(birds):
    data = mlbench.from_dataframe(birds, label_columns=["y_flies"], class_column="color")
    assert data.label_names == ("y_flies", "color=blue", "color=red")
    assert data.Y.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    "labels",
    [
        [1, 0, 1],
        [1.0, 0.0, 1.0],
        ["yes", "no", "yes"],
        [1, -1, 1],
        ["TRUE", "FALSE", "TRUE"],
        pd.Categorical(["t", "f", "t"]),
        pd.array([True, False, True], dtype="boolean"),
    ],
)
def test_two_values_are_a_label_however_they_are_written(birds, labels):
    data = mlbench.from_dataframe(birds.assign(y=labels), label_columns="y")
    assert data.Y[:, 0].tolist() == [1, 0, 1]


def test_a_missing_label_is_unknown(birds):
    frame = birds.assign(y_nests=["yes", None, "no"])
    data = mlbench.from_dataframe(frame, label_columns={"prefix": "y_"})
    assert data.Y.tolist() == [[1, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert data.known.tolist() == [[True] * 3, [True, True, False], [True] * 3]
    assert data.notes == ("1 of 9 labels (11.11%) is unknown: 'y_nests' in row 2, counted from 1.",)


def test_a_column_that_numbers_the_rows_is_left_out_unless_it_is_kept():
    frame = pd.DataFrame({"id": range(1, 31), "size": [0.5, 1.5] * 15, "y": [0, 1, 1] * 10})
    with pytest.warns(UserWarning, match="data: left out 1 of 2 columns: 'id' .a different value"):
        data = mlbench.from_dataframe(frame, label_columns="y")
    assert data.feature_names == ("size",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mlbench.from_dataframe(frame, label_columns="y", ignore=["id", "id"])
        kept = mlbench.from_dataframe(frame, label_columns="y", row_ids="keep")
    assert kept.feature_names == ("id", "size")


def test_columns_of_each_kind(birds):
    frame = birds.assign(
        text=["some", "words", "here"],
        day=pd.to_datetime("2026-11-01"),
        time=pd.Timedelta(1, "s"),
        written=["1", "2.5", "3"],
        whole=pd.array([1, None, 3], dtype="Int64"),
        code=[10, 9, 10],
    )
    options = {"nominal": ["code"], "missing": "keep", "ignore": ["color"]}
    with pytest.warns(UserWarning, match="left out 4 of 8 columns"):
        data = mlbench.from_dataframe(frame, label_columns={"prefix": "y_"}, **options)
    assert [(each.name, each.values) for each in data.feature_columns] == [
        ("size", ()),
        ("written", ()),
        ("whole", ()),
        ("code", ("9", "10")),
    ]
    assert data.feature_names == ("size", "written", "whole", "code=9", "code=10")
    expected = [[1.5, 1, 1, 0, 1], [2, 2.5, np.nan, 1, 0], [3, 3, 3, 0, 1]]
    np.testing.assert_array_equal(data.X, expected)
    assert "'text', 'day', 'time' (text or dates)" in data.left_out
    assert "'color' (listed under `ignore`)" in data.left_out


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({}, {}, "data: which columns are labels"),
        ({}, {"label_columns": "size"}, "'size' has the values .*`class_column: size`"),
        ({}, {"label_columns": {"first": 4}}, "all 4 columns are labels; no feature is left"),
        (
            {},
            {"label_columns": -1, "class_column": -1},
            "label_columns: .* is also in class_column",
        ),
        (
            {},
            {"label_columns": -1, "nominal": ["size"], "ignore": ["size"]},
            "ignore: 'size' is also in nominal; keep one",
        ),
        ({}, {"label_columns": -1, "nominal": ["colour"]}, "nominal: no feature named 'colour'"),
        (
            {"size": ["1", "2", "x"]},
            {"label_columns": -1},
            r"row 3, counted from 1: 'x' is not a number.*nominal",
        ),
        (
            {"size": [1, np.inf, 2]},
            {"label_columns": -1},
            "row 2, counted from 1: the column 'size' holds an inf",
        ),
        ({"size": [1, 2j, 3]}, {"label_columns": -1}, "'size' holds complex numbers"),
        ({"size": [1, None, 3]}, {"label_columns": -1}, "'size' has 1 missing value; keep"),
        (
            {"y": ["a", None, "b"]},
            {"class_column": "y"},
            "row 2, counted from 1: the class in 'y' is missing",
        ),
    ],
)
def test_mistakes(birds, changes, options, message):
    with pytest.raises(DataError, match=message):
        mlbench.from_dataframe(birds.assign(**changes), **options)


def test_as_many_classes_as_rows_are_refused():
    frame = pd.DataFrame({"x": range(30), "name": [f"bird {i}" for i in range(30)]})
    with pytest.raises(DataError, match="30 different values in 30 rows, too many for classes"):
        mlbench.from_dataframe(frame, class_column="name")


def test_two_columns_of_one_name_are_refused(birds):
    with pytest.raises(DataError, match="two columns are named 'size'"):
        mlbench.from_dataframe(birds.rename(columns={"color": "size"}), label_columns=-1)


@pytest.mark.parametrize("odd", [1e308, -1e300, 2.0**63])
def test_a_label_with_a_huge_value_is_refused_by_name(odd):
    frame = pd.DataFrame({"a": [1.0, 2.5, 3.0], "y": [0.0, odd, 1.0]})
    with pytest.raises(DataError, match="'y'"):
        mlbench.from_dataframe(frame, label_columns=["y"], name="t")
