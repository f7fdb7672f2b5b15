"""Notes that tables share are printed once."""

from mlbench.report import Table, with_notes_once


def table(name: str, *notes: str) -> Table:
    return Table(name=name, title=name, corner="Method", columns=(), rows=(), notes=notes)


def test_a_shared_note_stands_under_the_last_table_that_has_it():
    tables = [table("a", "shared", "own"), table("b", "shared"), table("c", "other")]
    kept = [each.notes for each in with_notes_once(tables)]
    assert kept == [("own",), ("shared",), ("other",)]
