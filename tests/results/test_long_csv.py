"""Numbers as CSV: a line for each, or a line for each cell."""

from pathlib import Path

import pytest

from mlbench.errors import StoreError
from mlbench.results.long_csv import parse_lines, wide_text
from mlbench.store.plain_values import from_exported_text

FILE = Path("fit.csv")
LINES = [
    ("toy", "A", 0, "gap", 1e-9),
    ("toy", "A", 0, "steps", 12),
    ("toy", "A", 1, "gap", None),  # without a value, unlike B's, which is not there
    ("toy", "A", 1, "steps", 7),
    ("toy", "B", 0, "end", "-"),
    ("toy", "B", 0, "hits", [1, 2]),
]


def read(text):
    found = parse_lines(FILE, text, "fit", may_be_wide=True)
    return [(*place, from_exported_text(value)) for *place, value in found]


def test_a_line_for_each_cell():
    text = wide_text(LINES)
    assert text.splitlines() == [
        "dataset,method,split,end,gap,hits,steps",
        "toy,A,0,-,1e-09,-,12",
        "toy,A,1,-,,-,7",
        'toy,B,0,"""-""",-,"[1, 2]",-',
    ]
    assert sorted(read(text), key=repr) == sorted(LINES, key=repr)


def test_a_line_for_each_number_is_read_as_well():
    text = "dataset,method,split,entry,value\ntoy,A,0,gap,1e-09\ntoy,A,1,gap,\n"
    assert read(text) == [LINES[0], LINES[2]]


def test_a_damaged_line_is_named():
    damaged = wide_text(LINES).replace("toy,A,1,-,,-,7", "toy,A,1,-,-,7")
    with pytest.raises(StoreError, match=r"fit.csv:3: 6 fields instead of 7"):
        read(damaged)
