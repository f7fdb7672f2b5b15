"""R data sets of class mldr."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import issparse

from mlbench.data import load_dataset
from mlbench.data.readers.mldr import read
from mlbench.errors import DataError
from tests.data import r_files as r


def table(path):
    return read({"all": path}, {})


COLUMNS = {
    "x": r.doubles(0, 0.5, 0, -1),
    "n": r.integers(3, 0, r.NA, 1),
    "cat": r.texts("u", "v", "w", "u"),
    "f": r.factor(["lo", "hi"], 1, 2, 2, 1),
    "one": r.factor(["only"], 1, 1, 1, 1),
    "num": r.texts("1", "2.5", "?", "0"),
    "b": r.logicals(1, 0, 0, 1),
    "words": r.texts("some", "free", "text", None),
    "y1": r.doubles(1, 0, 0, 1),
    "y2": r.factor(["0", "1"], 1, 2, 1, 1),
    ".labelcount": r.doubles(1, 1, 0, 1),
    ".SCUMBLE": r.doubles(0, 0, 0, 0.2),
}


def test_texts_and_levels_that_differ_in_blanks_alone_are_one(written):
    columns = {
        "t": r.texts(" YES", "NO", "NO ", "YES"),
        "f": r.factor([" NO", "NO", "YES"], 1, 2, 3, 1),
        "y": r.doubles(1, 0, 0, 1),
    }
    found = table(written(r.rda({"d": r.mldr(columns, [3], {"t": "{YES,NO}"})})))
    assert [a.values for a in found.attributes] == [("YES", "NO"), ("NO", "YES")]
    np.testing.assert_array_equal(found.cells, [[0, 0], [1, 0], [1, 1], [0, 0]])


def test_columns_of_every_type_become_attributes_and_labels(written):
    content = r.rda({"d": r.mldr(COLUMNS, [9, 10], {"cat": "{u,v,w}", "x": "numeric"})})
    found = table(written(content))
    kinds = {a.name: (a.kind, a.values) for a in found.attributes}
    assert kinds == {
        "x": ("numeric", ()),
        "n": ("numeric", ()),
        "cat": ("nominal", ("u", "v", "w")),
        "f": ("nominal", ("lo", "hi")),
        "one": ("nominal", ("only",)),
        "num": ("numeric", ()),
        "b": ("numeric", ()),
        "words": ("text", ()),
    }
    expected = np.array(
        [
            [0, 3, 0, 0, 0, 1, 1, 0],
            [0.5, 0, 1, 1, 0, 2.5, 0, 0],
            [0, np.nan, 2, 1, 0, np.nan, 0, 0],
            [-1, 1, 0, 0, 0, 0, 1, np.nan],
        ]
    )
    cells = found.cells.toarray() if issparse(found.cells) else found.cells
    np.testing.assert_array_equal(cells, expected)
    np.testing.assert_array_equal(found.Y, [[1, 0], [0, 1], [0, 0], [1, 0]])
    assert found.label_names == ("y1", "y2")


def test_labels_stand_where_the_index_says(written):
    columns = {"y": r.doubles(1, 0), "x": r.doubles(2, 3)}
    found = table(written(r.rds(r.mldr(columns, [1]))))
    assert found.label_names == ("y",)
    assert [a.name for a in found.attributes] == ["x"]


def test_mostly_zero_is_sparse_and_the_rest_is_dense(written):
    wide = {f"x{i}": r.doubles(*np.eye(8)[i]) for i in range(8)} | {"y": r.doubles(*[1] * 8)}
    assert issparse(table(written(r.rda({"d": r.mldr(wide, [9])}))).cells)
    full = {"x": r.doubles(1, 2), "y": r.doubles(0, 1)}
    assert not issparse(table(written(r.rda({"d": r.mldr(full, [2])}))).cells)


def test_such_a_file_is_a_data_set_by_its_path(written):
    columns = {"x": r.doubles(1, 2), "y": r.doubles(0, 1)}
    found = load_dataset(str(written(r.rda({"d": r.mldr(columns, [2])}))))
    np.testing.assert_array_equal(found.X, [[1], [2]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (r.rda({"d": r.doubles(1)}), "one object of class mldr, and has 0 (objects: d)"),
        (r.rda(dict.fromkeys("ab", r.mldr({"y": r.doubles(1)}, [1]))), "has 2 (objects: a, b)"),
        (r.rda({"d": r.mldr({"x": r.doubles(1)}, [])}), "labels$index must name columns 1 to 1"),
        (r.rda({"d": r.mldr({"x": r.doubles(1)}, [2])}), "labels$index must name columns 1 to 1"),
        (r.rda({"d": r.mldr({"x": r.doubles(1)}, [r.NA])}), "labels$index has a missing value"),
        (
            r.rda({"d": r.mldr({"x": r.doubles(1), "y": r.doubles(1, 0)}, [2])}),
            "column 'y' has 2 rows, others have 1",
        ),
        (
            r.rda({"d": r.mldr({"x": r.doubles(float("inf")), "y": r.doubles(1)}, [2])}),
            "column 'x' has an infinite value",
        ),
        (
            r.rda({"d": r.mldr({"x": r.factor(["a"], 2), "y": r.doubles(1)}, [2])}),
            "column 'x' has a code that is none of its levels",
        ),
        (
            r.rda({"d": r.mldr({"x": r.named_list({}), "y": r.doubles(1)}, [2])}),
            "column 'x' is neither numbers, a factor nor texts",
        ),
        (
            r.rda({"d": r.mldr({"x": r.doubles(1), "y": r.doubles(3)}, [2])}),
            "a label must be {0,1}",
        ),
        (r.rda({"d": r.mldr({}, [])}), "names that differ"),
        (b"RDX3\nX\n", "truncated"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(written, content, message):
    path = written(content)
    with pytest.raises(DataError) as caught:
        table(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"no\.rda: cannot be read"):
        table(tmp_path / "no.rda")
