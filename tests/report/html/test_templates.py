from __future__ import annotations

import pytest

from mlbench.report.html.templates import (
    PageCell,
    column_groups,
    css_class,
    is_long,
    marked,
    most_marks,
    pinning,
    sort_value,
    threat_numbers,
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


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (TableCell("1"), ""),
        (TableCell("1", goodness=1.0), "shade-4"),
        (TableCell("1", goodness=0.5), "shade-2"),
        (TableCell("1", goodness=0.0), ""),
        (TableCell("crash", tone="bad"), "bad"),
        (TableCell("not run", is_text=True, tone="muted"), "words note"),
        (PageCell("C = 1", is_text=True, css_class="long"), "words long"),
    ],
)
def test_classes_say_what_a_cell_means(cell, found):
    assert css_class(cell) == found


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ("Not a controlled comparison (1, 3): digits, Macro F1: BR leads (2).", ["1", "3", "2"]),
        ("Macro F1: BR is not comparable with LP (1, 2).", ["1", "2"]),
        ("Macro F1: BR is better than LP on x (1), ECC; worse than CC (2, 3).", ["1", "2", "3"]),
        ("x, Macro F1: BR leads; LP (1) and CC (2) are not told apart from BR.", ["1", "2"]),
        ("Not a controlled comparison (2): digits, Macro F1: BR leads LP (1).", ["2", "1"]),
        ("digits, Macro F1: BR (1) leads; LP is 2.00 points behind (p = 0.01).", []),
        ("digits, Macro F1: BR leads; next is LP (7).", []),
        ("BR leads. In doubt: the lead over LP (1), CC and ECC (2, 3).", ["1", "2", "3"]),
    ],
    ids=[
        "at both ends",
        "of a state",
        "of states",
        "of open pairs",
        "at the end",
        "elsewhere",
        "of no threat",
        "in doubt",
    ],
)
def test_numbers_of_threats_are_found_in_sentences(sentence, numbers):
    parts = threat_numbers(sentence, n_threats=3)
    assert [number for _, number in parts if number] == numbers
    assert "".join(text for text, _ in parts) == sentence
