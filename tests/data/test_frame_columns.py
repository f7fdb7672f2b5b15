from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from mlbench.data import from_dataframe
from mlbench.data.frame_columns import FrameColumns
from mlbench.data.table import Attribute

VALUES = {
    "age": st.one_of(st.none(), st.integers(0, 9).map(float)),
    "ward": st.sampled_from([None, "north", "south", "east"]),
    "smokes": st.sampled_from([None, "yes", "no"]),
    "note": st.sampled_from(["", "fever", "a cough"]),
}


def frame_of(data, rows):
    return FrameColumns(data.feature_columns, data.texts).frame(data.X[rows], rows)


EVERY_VALUE = [
    {"age": 1.0, "ward": ward, "smokes": smokes, "note": "so"}
    for ward, smokes in (("north", "yes"), ("south", "no"), ("east", "no"))
]


@given(
    rows=st.lists(st.fixed_dictionaries(VALUES), max_size=9).map(lambda more: EVERY_VALUE + more)
)
def test_columns_are_those_that_were_encoded(rows):
    given_frame = pd.DataFrame(rows).assign(flu=[i % 2 for i in range(len(rows))])
    given_frame["age"] = given_frame["age"].astype(float)
    data = from_dataframe(
        given_frame,
        label_columns="flu",
        nominal=["ward", "smokes"],
        text="note",
        missing="keep",
        row_ids="keep",
    )
    chosen = np.arange(len(rows))[::-1]
    found = frame_of(data, chosen)
    expected = given_frame.iloc[chosen].reset_index(drop=True)
    assert list(found) == ["age", "ward", "smokes", "note"]
    np.testing.assert_array_equal(found["age"], expected["age"])
    for name in ("ward", "smokes", "note"):
        said = [None if pd.isna(value) else value for value in found[name]]
        assert said == [None if pd.isna(value) else value for value in expected[name]]


def test_groups_times_and_labels_are_no_columns():
    table = pd.DataFrame(
        {"age": [1.0, 5.0, 2.0], "patient": ["a", "a", "b"], "day": [1, 2, 3], "flu": [0, 1, 0]}
    )
    data = from_dataframe(table, label_columns="flu", groups="patient", time="day")
    assert list(frame_of(data, np.arange(3))) == ["age"]


def test_categories_of_other_rows_are_known_and_sparse_numbers_stay_sparse():
    wards = FrameColumns((Attribute("ward", "nominal", ("north", "south", "east")),))
    found = wards.frame(np.array([[0.0, 1.0, 0.0]]), np.arange(1))
    assert list(found["ward"]) == ["south"]
    assert list(found["ward"].cat.categories) == ["north", "south", "east"]
    words = FrameColumns((Attribute("a"), Attribute("b"))).frame(
        csr_matrix([[0.0, 2.0]]), np.arange(1)
    )
    assert isinstance(words["b"].dtype, pd.SparseDtype)
    assert words.to_numpy().tolist() == [[0.0, 2.0]]


@pytest.mark.parametrize(("values", "truth"), [(("no", "yes"), 1.0), (("yes", "no"), 0.0)])
def test_two_values_are_told_apart_by_their_meaning(values, truth):
    column = FrameColumns((Attribute("smokes", "nominal", values),))
    found = column.frame(np.array([[truth], [np.nan]]), np.arange(2))
    assert found["smokes"][0] == ("yes" if truth else "no")
    assert found["smokes"].isna().tolist() == [False, True]
