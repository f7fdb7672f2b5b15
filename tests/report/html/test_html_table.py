from __future__ import annotations

import pytest

from mlbench.report import Column
from mlbench.report.html.html_table import Entry, Line, Sheet


@pytest.mark.parametrize(
    ("text", "hidden"),
    [("97.38 ± 0.62", None), ("-0.50", None), ("< 0.001", 0.0004), ("ok", 0.0004)],
)
def test_a_value_is_told_apart_where_the_text_cannot_be_sorted_by(text, hidden):
    assert Entry(text, value=0.0004).hidden == hidden


def test_neighbours_share_a_common_heading():
    columns = (Column("a", "x"), Column("b", "x"), Column("c"), Column("d", "x"))
    sheet = Sheet("anchor", "title", ("",), columns, ())
    assert sheet.groups == [("x", 2), ("", 1), ("x", 1)]


def test_there_is_no_row_of_common_headings_without_any():
    assert Sheet("anchor", "title", ("",), (Column("a"), Column("b")), ()).groups == []


def test_room_is_kept_for_the_most_marks_of_an_entry():
    marks = (("•", "beaten"), ("†", "note"))
    line = Line(("row",), (Entry("1"), Entry("2", marks=marks)))
    assert Sheet("anchor", "title", ("",), (Column("a"), Column("b")), (line,)).most_marks == 2
