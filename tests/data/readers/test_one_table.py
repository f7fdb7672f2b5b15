from __future__ import annotations

import bz2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data import load_dataset
from mlbench.data.readers import read_table
from mlbench.errors import DataError

BIRDS = """size,note,y_sings,y_flies,kind
1.5,"two
lines, a comma",1,no,owl
?,plain,0,yes,wren

2.5,,1,yes,owl
"""
LABELS = {"label_columns": {"prefix": "y_"}, "nominal": ["kind"]}


def test_a_csv_file_with_features_and_labels(write):
    table = read_table("table", {"all": write("birds.csv", BIRDS)}, LABELS)
    assert table.label_names == ("y_sings", "y_flies")
    assert table.Y.tolist() == [[1, 0], [0, 1], [1, 1]]
    kinds = {attribute.name: attribute.kind for attribute in table.attributes}
    assert kinds == {"size": "numeric", "note": "text", "kind": "nominal"}
    np.testing.assert_array_equal(table.cells[:, [0, 2]], [[1.5, 0], [np.nan, 1], [2.5, 0]])


@pytest.mark.parametrize(
    ("name", "delimiter", "options"),
    [("t.tsv", "\t", {}), ("t.csv", ";", {"delimiter": ";"}), ("t.csv.bz2", ",", {})],
)
def test_delimiters_and_compression(write, name, delimiter, options):
    text = "a,b,y\n1,2,0\n3,4,1\n".replace(",", delimiter).encode()
    path = write(name, bz2.compress(text) if name.endswith(".bz2") else text)
    data = load_dataset({"use": str(path), "label_columns": "y", **options})
    assert (data.X.tolist(), data.Y.tolist()) == ([[1, 2], [3, 4]], [[0], [1]])


def test_a_file_without_header(write):
    path = write("t.csv", "1,2,0,1\n3,4,1,1\n")
    data = load_dataset({"use": str(path), "header_lines": 0, "label_columns": {"last": 2}})
    assert data.feature_names == ("x1", "x2")
    assert data.label_names == ("x3", "x4")
    assert data.Y.tolist() == [[0, 1], [1, 1]]


def test_the_names_are_in_the_last_header_line(write):
    path = write("t.csv", "exported, by someone\na,y\n1,0\n2,1\n")
    data = load_dataset({"use": str(path), "header_lines": 2, "label_columns": "y"})
    assert data.feature_names == ("a",)


def test_the_index_that_pandas_writes_is_left_out(write):
    frame = pd.DataFrame({"a": [3.0, 1.0, 2.0], "y": [0, 1, 1]})
    path = write("t.csv", frame.to_csv())
    data = load_dataset({"use": str(path), "label_columns": "y"})
    assert data.feature_names == ("a",)
    assert "'index' (a different value in every row" in data.left_out


@pytest.mark.parametrize("class_column", ["kind", -1, "last"])
def test_a_class_column_by_name_or_position(write, class_column):
    path = write("t.tsv", "a\tkind\n1\towl\n2\twren\n3\towl\n")
    data = load_dataset({"use": str(path), "class_column": class_column})
    assert data.label_names == ("kind=owl", "kind=wren")
    assert data.Y.argmax(axis=1).tolist() == [0, 1, 0]


def test_both_parts_share_categories_and_classes(write):
    files = {
        "train": write("t-train.csv", "color,kind\nred,owl\nred,wren\n"),
        "test": write("t-test.csv", "color,kind\nblue,tit\n"),
    }
    table = read_table("table", files, {"class_column": "kind", "nominal": ["color"]})
    assert table.label_names == ("kind=owl", "kind=tit", "kind=wren")
    assert table.attributes[0].values == ("blue", "red")
    assert (table.n_train, table.cells.tolist()) == (2, [[1], [1], [0]])


def test_a_parquet_file_reads_as_the_frame_it_was(write, tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    frame = pd.DataFrame(
        {"a": [1.5, None], "color": pd.Categorical(["red", "blue"]), "y": [True, False]},
        index=pd.Index([7, 8], name="bird"),
    )
    frame.to_parquet(tmp_path / "t.parquet")
    reference = {"use": str(tmp_path / "t.parquet"), "label_columns": "y", "missing": "keep"}
    from_file = load_dataset(reference)
    from mlbench.data import from_dataframe

    direct = from_dataframe(frame, label_columns="y", missing="keep")
    assert from_file.fingerprint == direct.fingerprint
    with pytest.raises(DataError, match="header_lines is for text"):
        load_dataset({**reference, "header_lines": 1})
    with pytest.raises(DataError, match=r"junk\.parquet: cannot be read as Parquet"):
        load_dataset({"use": str(write("junk.parquet", "PAR1")), "label_columns": "y"})


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,y\n1,0\n2\n", {}, r"t\.csv:3: 1 value, but the first row has 2$"),
        ("a;y\n0,5;1\n", {}, r"t\.csv:2: 2 values, .* has 1; if ';' separates them, set"),
        ("a,y\n1,0\n2,1,3\n", {}, r"t\.csv:3: 3 values, but the first row has 2"),
        ("a,a\n1,0\n", {}, r"t\.csv:1: two columns are named 'a'; .*`header_lines: 0`"),
        ("a,,y\n1,2,0\n", {}, r"t\.csv:1: column 2 has no name; every column needs a unique name"),
        ("1.5,0\n2.5,1\n", {}, r"t\.csv:1: the first line contains numbers.*`header_lines: 0`"),
        ("a,y\n", {}, r"t\.csv: no rows"),
        ("\n", {}, r"t\.csv: no rows"),
        ('a,y\n"1,0\n', {}, r"t\.csv:\d: not a row of a CSV table: unexpected end of"),
        ("a,y\n1,0\n", {"delimiter": "||"}, "delimiter is .*one character"),
        ("a,y\n1,0\n", {"header_lines": "no"}, "header_lines is 'no'"),
        ("a,y\n1,0\n", {"label_columns": "z"}, r"t\.csv: label_columns: no column named 'z'"),
        ("a;y\n1;0\n", {}, "the columns are 'a;y'; if ';' separates them, set `delimiter: \";\"`"),
        ("a,y\nx,0\n2,1\n3,1\n", {}, r"t\.csv:2: 'x' is not a number"),
        (
            "about\na,y\n\n1,0\n\n2,1\n3,1\nx,0\n",
            {"header_lines": 2},
            r"t\.csv:8: 'x' is not a number",
        ),
        ("1,0\n2,1\nx,1\n", {"header_lines": 0, "label_columns": 2}, r"t\.csv:3: 'x' is not a"),
        ("a,y\n1,0\ninf,1\n", {}, r"t\.csv:3: the column 'a' holds an infinite number"),
        (
            "a,b,y\n1,c,0\n2,,1\n",
            {"class_column": "b"},
            r"t\.csv:3: the class in 'b' is missing",
        ),
    ],
)
def test_mistakes(write, text, options, message):
    with pytest.raises(DataError, match=message):
        read_table("table", {"all": write("t.csv", text)}, {"label_columns": "y", **options})


def test_the_line_of_a_mistake_is_that_of_its_part(write):
    train, test = write("t-train.csv", "a,y\n1,0\n2,1\n"), write("t-test.csv", "a,y\n3,0\nx,0\n")
    with pytest.raises(DataError, match=r"t-test\.csv:3: 'x' is not a number"):
        read_table("table", {"train": train, "test": test}, {"label_columns": "y"})


def test_parts_must_have_the_same_columns(write):
    files = {"train": write("t-train.csv", "a,y\n1,0\n"), "test": write("t-test.csv", "b,y\n1,0\n")}
    with pytest.raises(DataError, match=r"t-test\.csv: both must have the same columns.*'a'"):
        read_table("table", files, {"label_columns": "y"})


@pytest.mark.slow
@settings(max_examples=150)
@given(st.binary(max_size=60) | st.text('01,.x"?\n e-_', max_size=60).map(str.encode))
@pytest.mark.parametrize("header_lines", [0, 1])
def test_nothing_but_a_data_error_escapes(tmp_path_factory, header_lines, content):
    path = tmp_path_factory.getbasetemp() / "junk-table.csv"
    path.write_bytes(content)
    options = {"label_columns": -1, "header_lines": header_lines}
    try:
        table = read_table("table", {"all": path}, options)
    except DataError as error:
        assert "junk-table.csv" in str(error)  # noqa: PT017 - junk may be legal
    else:
        assert table.cells.shape[0] == table.Y.shape[0]


def test_a_parquet_file_with_far_more_rows_than_its_size_allows_is_refused(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    part = pyarrow.table({name: np.zeros(1_000_000, dtype=bool) for name in "aby"})
    path = tmp_path / "huge.parquet"
    with parquet.ParquetWriter(path, part.schema, compression="zstd") as writer:
        for _ in range(50):
            writer.write_table(part)
    with pytest.raises(DataError, match=r"50000000 rows of 3 columns in .* bytes are too many"):
        load_dataset({"use": str(path), "label_columns": "y"})
