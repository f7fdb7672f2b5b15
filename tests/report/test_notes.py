"""Notes that all tables of a kind share are printed once."""

from mlbench.report.tables.table import Table, with_notes_once


def table(name: str, *notes: str) -> Table:
    return Table(name=name, title=name, corner=("Method",), columns=(), rows=(), notes=notes)


def test_a_shared_note_stands_under_the_last_table_of_its_kind():
    tables = [
        table("scores-a", "shared", "own"),
        table("scores-b", "shared"),
        table("compare-a", "shared"),
    ]
    kept = [each.notes for each in with_notes_once(tables)]
    assert kept == [("own",), ("shared",), ("shared",)]


def test_a_note_that_does_not_hold_for_all_stays_where_it_does():
    tables = [
        table("scores-a", "none is better"),
        table("scores-b"),
        table("scores-c", "none is better"),
    ]
    kept = [each.notes for each in with_notes_once(tables)]
    assert kept == [("none is better",), (), ("none is better",)]
