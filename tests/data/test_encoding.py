from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, issparse

from mlbench.data.encoding import Encoding, encode
from mlbench.data.table import Attribute, RawTable
from mlbench.errors import DataError


def table(attributes, cells, n_train=None):
    Y = np.zeros((cells.shape[0], 1), dtype=np.int64)
    return RawTable(tuple(attributes), cells, Y, ("label",), n_train=n_train)


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_categories_that_are_numbers_become_one_feature_on_request(form):
    attributes = [Attribute("zone", "nominal", ("4", "1", "2.5")), Attribute("size")]
    cells = form(np.array([[0.0, 7.0], [2.0, 8.0], [np.nan, 9.0]]))
    encoding = Encoding(missing="keep", numeric=("zone", "size"))
    data = encode(table(attributes, cells), encoding, "flags")
    X = data.X.toarray() if issparse(data.X) else data.X
    assert data.feature_names == ("zone", "size")
    np.testing.assert_array_equal(X, [[4, 7], [2.5, 8], [np.nan, 9]])


@pytest.mark.parametrize(
    ("attribute", "name", "message"),
    [
        (Attribute("zone", "nominal", ("1", "north")), "zone", "'zone' are 1, north; only"),
        (Attribute("zone", "nominal", ("1", "inf")), "zone", "'zone' are 1, inf; only"),
        (Attribute("zone", "text"), "zone", "'zone' are text; only categories"),
        (Attribute("zone"), "zonne", "no attribute named 'zonne' (did you mean 'zone'?)"),
    ],
)
def test_what_cannot_be_a_number_is_named(attribute, name, message):
    with pytest.raises(DataError, match="flags: numeric: ") as told:
        encode(table([attribute], np.zeros((3, 1))), Encoding(numeric=(name,)), "flags")
    assert message in str(told.value)


def test_features_of_every_kind():
    attributes = [
        Attribute("size"),
        Attribute("flag", "nominal", ("1", "0")),
        Attribute("colour", "nominal", ("red", "green", "blue")),
        Attribute("title", "text"),
    ]
    cells = np.array([[2.5, 0, 2, 0], [-0.0, 1, 0, 0]])
    data = encode(table(attributes, cells), Encoding(), "t")
    assert data.feature_names == ("size", "flag", "colour=red", "colour=green", "colour=blue")
    np.testing.assert_array_equal(data.X, [[2.5, 1, 0, 0, 1], [0, 0, 1, 0, 0]])
    assert not np.signbit(data.X).any()
    assert data.left_out == "1 of 4 columns: 'title' (text or dates)"


def test_what_is_left_out_is_counted_and_named_with_its_reason():
    names = ["row_id", *(f"text{i}" for i in range(7)), "year", "size"]
    attributes = [Attribute(name, "text" if "text" in name else "numeric") for name in names]
    cells = np.column_stack([np.arange(3.0), np.zeros((3, 7)), [1, 1, 2], [0.5, 1.5, 2.5]])
    data = encode(table(attributes, cells), Encoding(ignore=("year",)), "t")
    assert data.feature_names == ("size",)
    assert data.left_out == (
        "9 of 10 columns: 'year' (listed under `ignore`); 'text0', 'text1', 'text2', 'text3', "
        "'text4' and 2 more (text or dates); 'row_id' (a different value in every row, like a row "
        "id; `row_ids: keep` keeps it)"
    )
    assert encode(table([Attribute("size")], cells[:, [-1]]), Encoding(), "t").left_out == ""


@pytest.mark.slow
@given(st.data())
def test_sparse_and_dense_tables_give_the_same_features(data):
    kinds = st.sampled_from([(), ("0", "1"), ("1", "0"), ("a", "b", "c"), ("no", "yes")])
    values = data.draw(st.lists(kinds, min_size=1, max_size=6))
    attributes = [
        Attribute(f"a{j}", "nominal" if v else "numeric", v) for j, v in enumerate(values)
    ]
    cells = np.array(
        [
            [data.draw(st.integers(0, len(v) - 1 if v else 9)) for v in values]
            for _ in range(data.draw(st.integers(1, 5)))
        ],
        dtype=float,
    )
    dense = encode(table(attributes, cells), Encoding(), "t")
    sparse = encode(table(attributes, csr_matrix(cells)), Encoding(), "t")
    assert sparse.feature_names == dense.feature_names
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)


def test_missing_values_are_refused_with_the_remedy():
    attributes = [Attribute("age"), Attribute("height")]
    cells = np.array([[np.nan, 1], [np.nan, np.nan]])
    for form in (cells, csr_matrix(cells)):
        with pytest.raises(
            DataError,
            match=r"'age' has 2 missing values \(2 attributes have some\); keep.*missing: keep",
        ):
            encode(table(attributes, form), Encoding(), "t")


def test_missing_values_that_are_kept_are_nan_in_every_feature_of_their_attribute():
    attributes = [Attribute("age"), Attribute("colour", "nominal", ("r", "g", "b"))]
    cells = np.array([[np.nan, 1], [3, np.nan]])
    expected = [[np.nan, 0, 1, 0], [3, np.nan, np.nan, np.nan]]
    dense = encode(table(attributes, cells), Encoding(missing="keep"), "t")
    np.testing.assert_array_equal(dense.X, expected)
    sparse = encode(table(attributes, csr_matrix(cells)), Encoding(missing="keep"), "t")
    np.testing.assert_array_equal(sparse.X.toarray(), expected)


def test_a_missing_value_in_an_ignored_attribute_does_no_harm():
    attributes = [Attribute("age"), Attribute("height")]
    cells = np.array([[np.nan, 1.0]])
    assert encode(table(attributes, cells), Encoding(ignore=("age",)), "t").X.tolist() == [[1.0]]
    with pytest.raises(DataError, match=r"no feature named 'agee' \(did you mean 'age'\?\)"):
        encode(table(attributes, cells), Encoding(ignore=("agee",)), "t")
    labeled = replace(table(attributes, cells), Y=np.ones((1, 1), dtype=int), label_names=("calm",))
    with pytest.raises(DataError, match="'calm' is a label, and only features can be ignored"):
        encode(labeled, Encoding(ignore=("calm",)), "t")


N = 30
COUNT = np.arange(N, dtype=float)
RESTARTED = np.concatenate([np.arange(20), np.arange(10)]).astype(float)
GAPS = np.sort(np.random.RandomState(0).permutation(1000)[:N]).astype(float)


@pytest.mark.parametrize(
    ("attribute", "column", "refused"),
    [
        (Attribute("count"), COUNT, True),
        (Attribute("count"), COUNT[::-1] + 100, True),
        (Attribute("counted in each part"), RESTARTED, True),
        (Attribute("population"), GAPS, False),
        (Attribute("song_id"), GAPS, True),
        (Attribute("songID"), GAPS, True),
        (Attribute("id"), GAPS + 0.5, False),
        (Attribute("id"), np.minimum(COUNT, 20), False),
        (Attribute("file", "nominal", tuple(f"f{i}" for i in range(N))), COUNT, True),
        (
            Attribute("id", "nominal", tuple(f"f{i}" for i in range(N))),
            np.minimum(COUNT, 20),
            False,
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_row_ids_are_no_features(attribute, column, refused, form):
    cells = form(np.column_stack([column, np.cos(COUNT)]))
    raw = table([attribute, Attribute("x")], cells, n_train=20)
    data = encode(raw, Encoding(), "t")
    assert data.left_out.startswith("1 of 2 columns:") == refused
    assert (data.feature_names == ("x",)) == refused
    assert encode(raw, Encoding(row_ids="keep"), "t").n_features > 1


def test_with_few_rows_only_a_telling_name_makes_a_row_id():
    cells = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    data = encode(table([Attribute("id"), Attribute("x")], cells), Encoding(), "t")
    assert data.feature_names == ("x",)


def test_no_feature_left():
    with pytest.raises(DataError, match="t: no attribute is left"):
        encode(table([Attribute("s", "text")], np.zeros((2, 1))), Encoding(), "t")


@pytest.mark.slow
def test_one_hot_columns_that_no_memory_holds_are_refused_before_they_are_made():
    wide = Attribute("word", "nominal", tuple(f"w{i}" for i in range(200_000)))
    cells = np.zeros((10_000, 1))
    with pytest.raises(DataError, match=r"'word' alone has 200000 values: .*ignore: \[word\]"):
        encode(table([wide], cells), Encoding(), "t")
