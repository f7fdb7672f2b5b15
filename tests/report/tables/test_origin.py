"""Methods that were taken over are marked at the end, whatever the table."""

from __future__ import annotations

import pytest

from mlbench.report.tables.origin import Marks
from mlbench.report.tables.table import Column, Table, TableCell, TableRow

NOTE = "° Taken over from arena (2026-11-25, mlbench 0.2.0), not run here."
MARKS = Marks({"BR": "arena, 2026-11-25", "mine": None}, (NOTE,))
CELL = TableCell("1")


def table(corner, columns, labels, records=()):
    rows = tuple(TableRow(each, tuple(CELL for _ in columns)) for each in labels)
    return Table("scores", "Scores", corner, tuple(map(Column, columns)), rows, records=records)


@pytest.mark.parametrize("corner", [("Data set", "Method"), ("Data set", "Against")])
def test_methods_in_rows(corner):
    marked = MARKS.of(table(corner, ["Macro F1"], [("BR", "BR"), ("BR", "mine")]))
    assert [row.labels for row in marked.rows] == [("BR", "BR°"), ("BR", "mine")]
    assert marked.notes == (NOTE,)


def test_methods_in_columns():
    marked = MARKS.of(table(("Data set",), ["BR", "mine"], [("BR",)]))
    assert [column.title for column in marked.columns] == ["BR°", "mine"]
    assert [row.labels for row in marked.rows] == [("BR",)]


def test_a_table_without_them_has_no_note():
    plain = table(("Data set",), ["Samples"], [("toy",)])
    assert MARKS.of(plain) == plain
    assert MARKS.of(table(("Method",), ["F1"], [("BR",)]), with_notes=False).notes == ()


def test_numbers_say_where_they_are_from():
    records = ({"method": "BR", "mean": 1.0}, {"method": "mine", "mean": 2.0}, {"n": 3})
    marked = MARKS.of(table(("Method",), ["F1"], [("BR",)], records))
    assert marked.records == (
        {"method": "BR", "mean": 1.0, "origin": "arena, 2026-11-25"},
        {"method": "mine", "mean": 2.0, "origin": None},
        {"n": 3},
    )


def test_nothing_changes_where_all_is_ones_own():
    plain = table(("Method",), ["F1"], [("mine",)], ({"method": "mine"},))
    assert Marks({"mine": None}).of(plain) == plain
