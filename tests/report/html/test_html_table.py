from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.report.html.html_table import (
    column_groups,
    in_order,
    is_long,
    marked,
    most_marks,
    pinning,
    sort_value,
)
from mlbench.report.tables.table import Column, Table, TableCell, TableRow


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


def scores(corner, labels, columns):
    rows = (TableRow((a,), tuple(TableCell(a + b) for b in columns)) for a in labels)
    return Table("scores", "title", (corner,), tuple(map(Column, columns)), tuple(rows))


def test_methods_stand_in_the_order_asked_for_whether_in_rows_or_columns():
    rows = in_order(scores("Method", "ab", "xy"), ["b", "a"])
    assert [[row.labels[0], row.cells[0].printed] for row in rows.rows] == [
        ["b", "bx"],
        ["a", "ax"],
    ]
    columns = in_order(scores("Data set", "xy", "ab"), ["b", "a"])
    assert [column.title for column in columns.columns] == ["b", "a"]
    assert [cell.printed for cell in columns.rows[0].cells] == ["xb", "xa"]


def test_tables_of_anything_else_keep_their_order():
    table = replace(scores("Method", "ab", "xy"), name="ranks")
    assert in_order(table, ["b", "a"]) == table


@pytest.mark.parametrize(
    ("corner", "n_rows", "long"),
    [(1, 200, False), (1, 201, True), (2, 30, False), (2, 31, True)],
)
def test_tables_of_pairs_are_folded_earlier(corner, n_rows, long):
    rows = (TableRow(("",) * corner, ()),) * n_rows
    assert is_long(Table("name", "title", ("",) * corner, (), rows)) == long


@pytest.mark.parametrize(
    ("corner", "found"),
    [
        (("Method",), "pinned"),
        (("Rank", "Method"), "ranked"),
        (("Data set", "Against"), "grouped"),
        (("Data set",), "pinned"),
    ],
)
def test_the_labels_that_stay_in_place(corner, found):
    assert pinning(corner) == found


def test_marks_of_significance_in_a_note_look_as_in_the_table():
    assert marked("• / ◦: better / worse") == [
        ("•", "beaten"),
        (" / ", ""),
        ("◦", "beating"),
        (": better / worse", ""),
    ]
