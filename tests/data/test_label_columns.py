from __future__ import annotations

import pytest

from mlbench.data.label_columns import chosen_columns
from mlbench.errors import DataError

NAMES = ["size", "y_cat", "y_dog", "weight"]


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("size", ["size"]),
        (2, ["y_cat"]),
        (-1, ["weight"]),
        (["y_dog", 1], ["y_dog", "size"]),
        ({"prefix": "y_"}, ["y_cat", "y_dog"]),
        ({"first": 2}, ["size", "y_cat"]),
        ({"last": 3}, ["y_cat", "y_dog", "weight"]),
    ],
)
def test_columns_are_chosen_by_name_position_or_prefix(wanted, chosen):
    assert chosen_columns(wanted, NAMES, "label_columns", "t.csv") == chosen


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("y_cot", r"t\.csv: label_columns: no column named 'y_cot' \(did you mean 'y_cat'\?\)"),
        (0, "no column 0; there are 4"),
        ([-5], "no column -5; there are 4"),
        ({"last": 5}, "no column -5"),
        ({"last": 0}, r"label_columns is \{'last': 0\}; write a name"),
        ({"prefix": "z_"}, "no column starts with 'z_'; the columns are 'size', 'y_cat'"),
        ({"prefix": ""}, "write a name"),
        ({"prefix": "y_", "last": 1}, "write a name"),
        ({"suffix": "_y"}, "write a name"),
        ([], r"label_columns is \[\]; write a name"),
        (True, "label_columns is True; write a name"),
        (1.5, "label_columns is 1.5; write a name"),
        (["size", 1], "the column 'size' is named twice"),
    ],
)
def test_other_choices_are_refused(wanted, message):
    with pytest.raises(DataError, match=message):
        chosen_columns(wanted, NAMES, "label_columns", "t.csv")
