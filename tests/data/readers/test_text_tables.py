from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data.readers import read_table
from mlbench.data.table import Attribute
from mlbench.errors import DataError


def test_each_class_becomes_a_label(write):
    table = read_table("delimited", {"all": write("d.data", "1,2,cat\n3,4,ant\n5,6,cat\n")}, {})
    assert table.label_names == ("ant", "cat")
    assert table.Y.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert table.cells.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert [attribute.name for attribute in table.attributes] == ["x1", "x2"]


def test_classes_that_are_numbers_are_sorted_as_numbers(write):
    table = read_table("delimited", {"all": write("d.data", "1,10\n2,9\n3,10\n")}, {})
    assert table.label_names == ("9", "10")


def test_a_header_that_leaves_out_the_class_column_in_front(write):
    text = "; comment, with comma\n\nsize,weight\n\nGRASS,1,2\nSKY,3,4\n"
    options = {"class_column": "first", "header_lines": 4}
    files = {"train": write("d.data", text), "test": write("d.test", text.replace("SKY", "PATH"))}
    table = read_table("delimited", files, options)
    assert [attribute.name for attribute in table.attributes] == ["size", "weight"]
    assert table.label_names == ("GRASS", "PATH", "SKY")
    assert table.Y.argmax(axis=1).tolist() == [0, 2, 0, 1]
    assert table.n_train == 2


def test_whitespace_missing_cells_and_categories(write):
    text = "1.5 red  a\n?  blue b\n"
    options = {"delimiter": "whitespace", "nominal": ["x2"]}
    table = read_table("delimited", {"all": write("d.data", text)}, options)
    assert table.attributes[1] == Attribute("x2", "nominal", ("blue", "red"))
    np.testing.assert_array_equal(table.cells, [[1.5, 1], [np.nan, 0]])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1,2,a\n1,b\n", {}, r"d\.data:2: 2 values, but line 1 has 3"),
        ("1,x,a\n", {}, r"d\.data:1: 'x' is not a finite number.*`nominal: \[x2\]`"),
        ("1;2,5;a\n", {"delimiter": ";"}, r"'2,5' is not a finite number; .* a decimal point"),
        ("1,1e999,a\n", {}, r"d\.data:1: '1e999' is not a finite number"),
        ("1,2,a\n1,2,\n", {}, r"d\.data:2: the class \(last column\) is missing"),
        ("1 2 a\n", {}, r"d\.data:1: only one column.*Is the delimiter ','"),
        ("\n\n", {}, r"d\.data: no rows"),
        ("".join(f"a,{i}\n" for i in range(30)), {}, "last column has 30 different values in 30"),
        ('1,"2,a\n', {}, r"d\.data:1: .*quotes must be closed"),
        ("1,\xe9,a\n".encode("latin1"), {}, r"d\.data:1: byte 0xe9 is not UTF-8"),
        (
            "1,2,a\n",
            {"class_column": "middle"},
            "class_column is 'middle'; it must be first or last",
        ),
        ("1,2,a\n", {"header_lines": -1}, "header_lines is -1"),
        ("1,2,a\n", {"delimiter": "||"}, r"delimiter is '\|\|'; it must be one character"),
        ("1,2,a\n", {"nominal": "x2"}, "nominal is 'x2'; it must be a list"),
        ("1,2,a\n", {"nominal": ["x3"]}, "nominal: no column named 'x3'"),
    ],
)
def test_mistakes_in_delimited_files(write, text, options, message):
    with pytest.raises(DataError, match=message):
        read_table("delimited", {"all": write("d.data", text)}, options)


X = 'size,"colour, outside"\n1.5,red\n2,blue\n'
Y = "cat,dog\n1,0\n0,1\n"


def test_a_pair_of_csv_files(write):
    files = {"features": write("X.csv", X), "labels": write("Y.csv.gz", gzip.compress(Y.encode()))}
    table = read_table("csv", files, {"nominal": ["colour, outside"]})
    assert table.attributes[0] == Attribute("size")
    assert table.attributes[1] == Attribute("colour, outside", "nominal", ("blue", "red"))
    assert table.cells.tolist() == [[1.5, 1], [2, 0]]
    assert table.label_names == ("cat", "dog")
    assert table.Y.tolist() == [[1, 0], [0, 1]]


def test_a_missing_label_of_a_pair_is_unknown(write):
    files = {"features": write("X.csv", "a\n1\n2\n"), "labels": write("Y.csv", "cat\n1\n?\n")}
    table = read_table("csv", files, {})
    assert (table.Y.tolist(), table.known.tolist()) == ([[1], [0]], [[True], [False]])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ("a\n1\n2\n3\n", Y, r"X\.csv has 3 rows, but Y\.csv has 2"),
        ("a,b\n1\n2\n", Y, r"X\.csv:1: the header has 2 names, but the rows have 1"),
        ("a,a\n1,1\n2,2\n", Y, r"X\.csv:1: two columns are named 'a'"),
        (
            ",a\n0,1\n1,2\n",
            Y,
            r"X\.csv:1: the first column has no name.*`to_csv\(..., index=False\)`",
        ),
        ("1.5,2.5\n1,1\n2,2\n", Y, r"X\.csv:1: the first line contains numbers"),
        ("a\n1\nred\n", Y, r"X\.csv:3: 'red' is not a finite number.*`nominal: \[a\]`"),
        ("a\n1\n2\n", "cat\n1\n2\n", r"Y\.csv:3: '2' for label 'cat'; a label must be 0 or 1"),
        ("a\n", Y, r"X\.csv: no rows"),
    ],
)
def test_mistakes_in_csv_pairs(write, x, y, message):
    files = {"features": write("X.csv", x), "labels": write("Y.csv", y)}
    with pytest.raises(DataError, match=message):
        read_table("csv", files, {})


@pytest.mark.slow
@settings(max_examples=150)
@given(st.binary(max_size=60) | st.text('01,.x"?\n e-_', max_size=60).map(str.encode))
@pytest.mark.parametrize("format_name", ["csv", "delimited"])
def test_nothing_but_a_data_error_escapes(tmp_path_factory, format_name, content):
    path = tmp_path_factory.getbasetemp() / "junk.csv"
    path.write_bytes(content)
    try:
        table = read_table(format_name, {"all": path, "features": path, "labels": path}, {})
    except DataError as error:
        assert "junk.csv" in str(error)  # noqa: PT017 - junk may be legal
    else:
        assert table.cells.shape[0] == table.Y.shape[0]


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,2,x\n3,4,z\n",
        "2000,2001,kind\n1,2,x\n3,4,z\n",
        "1,2,3,kind\n.5,.2,.1,x\n.4,.1,.2,x\n",
    ],
)
def test_a_first_line_that_reads_as_a_header_is_asked_about(write, text):
    files = {"all": write("d.csv", text)}
    with pytest.raises(DataError, match=r"d\.csv:1: the first line reads as a header"):
        read_table("delimited", files, {"class_column": "last"})
    read_table("delimited", files, {"class_column": "last", "header_lines": 1})


def test_a_row_with_a_class_of_its_own_is_a_row(write):
    files = {"all": write("d.csv", "1,2,x\n3,4,z\n5,6,z\n")}
    assert read_table("delimited", files, {}).label_names == ("x", "z")
