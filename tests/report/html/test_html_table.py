from __future__ import annotations

import pytest

from mlbench.report import Column, Table, TableCell, TableRow
from mlbench.report.html.html_table import column_groups, most_marks, sort_value


@pytest.mark.parametrize(
    ("text", "value"),
    [("97.38 ± 0.62", None), ("-0.50", None), ("< 0.001", 0.0004), ("ok", 0.0004)],
)
def test_a_cell_has_a_value_to_sort_by_if_its_text_has_none(text, value):
    assert sort_value(TableCell(text, value=0.0004)) == value


def test_neighbors_share_a_group_heading():
    columns = (Column("a", "x"), Column("b", "x"), Column("c"), Column("d", "x"))
    assert column_groups(Table("name", "title", ("",), columns, ())) == [
        ("x", 2),
        ("", 1),
        ("x", 1),
    ]


def test_without_groups_there_is_no_row_of_group_headings():
    assert column_groups(Table("name", "title", ("",), (Column("a"), Column("b")), ())) == []


def test_there_is_room_for_the_most_marks_of_a_cell():
    row = TableRow(("row",), (TableCell("1"), TableCell("2", marks=("•", "†"))))
    assert most_marks(Table("name", "title", ("",), (Column("a"), Column("b")), (row,))) == 2
