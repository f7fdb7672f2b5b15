from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import yaml

import mlbench
from mlbench.data import load_dataset
from mlbench.errors import DataError

TABLE = "size,patient,y\n1,p2,0\n2,p1,1\n3,p2,1\n4,p3,0\n"
LABELS = {"label_columns": "y"}
ARFF = "@relation r\n@attribute a numeric\n@attribute who {u,v}\n@attribute note string\n"
ARFF += "@attribute y {0,1}\n@data\n1,v,x,0\n2,u,x,1\n3,v,x,0\n"


def test_the_column_of_groups_is_no_feature(write):
    path = str(write("t.csv", TABLE))
    data = load_dataset({"use": path, "groups": "patient", **LABELS})
    assert data.feature_names == ("size",)
    assert data.groups.tolist() == [0, 1, 0, 2]
    assert load_dataset({"use": path, "groups": "patient", **LABELS}).groups.tolist() == [
        0,
        1,
        0,
        2,
    ]
    assert load_dataset({"use": path, **LABELS}).groups is None


def test_numbers_and_categories_of_other_formats_are_groups_too(write):
    path = str(write("t.arff", ARFF))
    data = load_dataset({"use": path, "groups": "who", **LABELS})
    assert (data.feature_names, data.groups.tolist()) == (("a",), [0, 1, 0])
    with pytest.raises(DataError, match="'note' is text, which this format does not keep"):
        load_dataset({"use": path, "groups": "note", **LABELS})


@pytest.mark.parametrize("head", ["", "patient\n"])
def test_a_file_has_the_group_of_each_row(write, head):
    groups = write("groups.csv", head + "b\na\nb\nc\n")
    table = str(write("t.csv", TABLE))
    assert load_dataset({"use": table, "groups": str(groups), **LABELS}).groups.tolist() == [
        0,
        1,
        0,
        2,
    ]
    whole = {"use": "nam-toy", "tasks": 2, "samples": 8}
    names = write("eight.txt", head + "a\na\nb\nb\nc\nc\nd\nd\n")
    part = load_dataset({**whole, "groups": str(names), "rows": 5})
    assert len(part.groups) == 5
    assert part.groups[0] == 0


def test_a_card_names_a_column_or_a_file_beside_the_data(write, tmp_path):
    card = {
        "name": "mine",
        "title": "Mine",
        "format": "table",
        "files": {"all": {"path": "mine/t.csv"}},
        "options": {**LABELS, "groups": "patient"},
        "expect": {"features": 2},
    }
    write("mine.yaml", yaml.safe_dump(card))
    write("mine/t.csv", TABLE)
    assert load_dataset("mine", [tmp_path]).groups.tolist() == [0, 1, 0, 2]
    write("mine/groups.csv", "b\nb\na\na\n")
    write("mine.yaml", yaml.safe_dump(card | {"options": {**LABELS, "groups": "mine/groups.csv"}}))
    assert load_dataset("mine", [tmp_path]).groups.tolist() == [0, 0, 1, 1]


def test_groups_go_the_way_of_their_rows(write, tmp_path):
    data = load_dataset({"use": str(write("t.csv", TABLE)), "groups": "patient", **LABELS})
    mlbench.save_dataset(data, tmp_path / "t.npz")
    again = load_dataset(str(tmp_path / "t.npz"))
    assert again.groups.tolist() == [0, 1, 0, 2]
    assert again.fingerprint == data.fingerprint
    part = load_dataset({"use": str(tmp_path / "t.npz"), "rows": 3, "seed": 1})
    assert len(part.groups) == 3


def test_the_fingerprint_is_of_the_assignment_and_not_of_the_names(write):
    path = str(write("t.csv", TABLE))
    with_names = load_dataset({"use": path, "groups": "patient", **LABELS})
    renamed = str(write("u.csv", TABLE.replace("p2", "x").replace("p1", "10")))
    assert load_dataset({"use": renamed, "groups": "patient", **LABELS}).fingerprint == (
        with_names.fingerprint
    )
    other = str(write("v.csv", TABLE.replace("3,p2", "3,p3")))
    assert load_dataset({"use": other, "groups": "patient", **LABELS}).fingerprint != (
        with_names.fingerprint
    )


def test_a_frame_takes_the_name_of_a_column_or_an_array():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "who": ["x", "y", "x"], "y": [0, 1, 1]})
    named = mlbench.from_dataframe(frame, label_columns="y", groups="who")
    assert (named.feature_names, named.groups.tolist()) == (("a",), [0, 1, 0])
    given = mlbench.from_dataframe(frame, label_columns="y", groups=[7, 3, 7], ignore=["who"])
    np.testing.assert_array_equal(given.groups, named.groups)


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (TABLE, {"groups": "patients"}, "no column named 'patients' .did you mean 'patient'"),
        (TABLE, {"groups": "y"}, "groups: 'y' is also in label_columns; keep one of them"),
        (TABLE, {"groups": "patient", "nominal": ["patient"]}, "nominal: 'patient' is also in gro"),
        (
            TABLE,
            {"groups": "patient", "ignore": ["patient"]},
            "ignore: 'patient' is also in groups",
        ),
        (TABLE, {"groups": "patient", "numeric": ["patient"]}, "numeric: 'patient' is also in gro"),
        (TABLE, {"numeric": ["y"]}, "numeric: 'y' is a label; name another column"),
        (TABLE.replace("p3", ""), {"groups": "patient"}, "t.csv:5: groups: 'patient' is missing"),
        (TABLE, {"groups": 3}, "it must be the name of a column, or a .csv"),
        (TABLE, {"groups": "none.csv"}, "none.csv: no such file"),
    ],
)
def test_mistakes_in_a_reference(write, table, options, words):
    with pytest.raises(DataError, match=words):
        load_dataset({"use": str(write("t.csv", table)), **LABELS, **options})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\nb\n", "2 lines for 4 rows"),
        ("a\n\nb\nc\n", "groups.csv:2: 0 values"),
        ("a\nb,c\nb\nc\n", "groups.csv:2: 2 values"),
    ],
)
def test_mistakes_in_a_file(write, text, words):
    groups = str(write("groups.csv", text))
    with pytest.raises(DataError, match=words):
        load_dataset({"use": str(write("t.csv", TABLE)), "groups": groups, **LABELS})


def test_data_without_named_columns_need_a_file():
    with pytest.raises(DataError, match=r"write `groups: FILE.csv`"):
        load_dataset({"use": "nam-toy", "tasks": 2, "samples": 8, "groups": "who"})


def test_arrays_have_a_group_for_each_row():
    with pytest.raises(DataError, match="2 groups are given for 3 rows"):
        mlbench.Dataset(
            "d", np.eye(3), np.eye(3, dtype=int), tuple("abc"), tuple("xyz"), groups=[1, 2]
        )
    with pytest.raises(DataError, match="no group in row 2, counted from 1"):
        mlbench.Dataset(
            "d", np.eye(2), np.eye(2, dtype=int), tuple("ab"), tuple("xy"), groups=["a", ""]
        )


DATES = "when,x,y\n2021-03-01,1,0\n2020-12-31,2,1\n2021-03-01,3,1\n2021-02-10T12:00,4,0\n"


def test_the_column_of_times_gives_ranks_and_is_no_feature(write):
    data = load_dataset({"use": str(write("t.csv", DATES)), "time": "when", **LABELS})
    assert (data.feature_names, data.times.tolist()) == (("x",), [2, 0, 2, 1])
    mlbench.save_dataset(data, write("t.csv", "").parent / "t.npz")
    again = load_dataset({"use": str(write("t.csv", "").parent / "t.npz"), "rows": 3})
    assert len(again.times) == 3


@pytest.mark.parametrize(
    ("times", "ranks"),
    [
        ([10.5, -3, 10.5], [1, 0, 1]),
        (["10", "9", "1e1"], [1, 0, 1]),
        (["2021-01-01T02:00+02:00", "2020-06-30", "2021-01-01"], [1, 0, 1]),
        (np.array(["2021-01-01", "2020-01-01", "2021-01-01"], dtype="M8[D]"), [1, 0, 1]),
    ],
)
def test_times_are_numbers_or_dates(times, ranks):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "when": times, "y": [0, 1, 1]})
    assert mlbench.from_dataframe(frame, label_columns="y", time="when").times.tolist() == ranks
    del frame["when"]
    assert mlbench.from_dataframe(frame, label_columns="y", time=times).times.tolist() == ranks


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            ("2020-12-31", "31.12.2020"),
            "t.csv:3: time: 'when': the time '31.12.2020' is no ISO date",
        ),
        (("2020-12-31", ""), "t.csv:3: time: 'when' is missing"),
    ],
)
def test_mistakes_in_times(write, change, words):
    path = str(write("t.csv", DATES.replace(*change)))
    with pytest.raises(DataError, match=words):
        load_dataset({"use": path, "time": "when", **LABELS})
