"""What packs hold as columns is what the rows say, and damage to it is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from mlbench.store import pack_file
from mlbench.store.packing import pack_files, pack_rows
from mlbench.store.row import summary_of


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE columns SET data = zeroblob(9) WHERE name = 'status'",
        "UPDATE columns SET hash = zeroblob(32) WHERE name = 'metrics.macro_f1'",
        "UPDATE columns SET name = 'metrics.micro_f1' WHERE name = 'metrics.macro_f1'",
        "UPDATE columns SET first = 7",
        "DELETE FROM columns WHERE name = 'identity.split'",
        "DELETE FROM columns",
    ],
)
def test_columns_that_were_altered_are_told_and_the_rows_are_read(filled, rows, harm):
    pack_rows(filled.root)
    (pack,) = pack_files(filled.root)
    with closing(sqlite3.connect(pack)) as database:
        database.execute(harm)
        database.commit()
    found = filled.summaries(rows)
    assert found.rows == {key: summary_of(row) for key, row in rows.items()}
    assert found.damaged == {pack: "its columns cannot be read, but all rows can"}


@pytest.mark.slow
def test_columns_are_those_of_the_rows_in_every_field(store, make_row):
    rows = [
        make_row("a", tuning={"stopped": {"after": 1, "of": 3, "patience": 1}}),
        make_row("b", fit={"gap": 1e-9, "history": {"gaps": [1, 0.5]}}, peak_memory_mb=3.5),
        make_row("c", status="timeout", limits={"time": 60.0}, warnings=["slow"]),
        make_row("d", metrics={"macro_f1": 0.25, "top_10": None}, counts={"labels": 2**52 + 1}),
        make_row("e", identity={"imbalance": {"ratio": [1, 2]}}, params={"C": True}),
    ]
    for row in rows:
        store.write_row(row)
    pack_rows(store.root)
    found = store.summaries(row.key for row in rows).rows
    assert found == {row.key: summary_of(row) for row in rows}
    assert [type(found["d" * 64].counts["labels"]), found["e" * 64].params["C"]] == [int, True]


def test_rows_of_several_blocks_stay_in_order(store, make_row, monkeypatch):
    monkeypatch.setattr(pack_file, "_ROWS_OF_BLOCK", 2)
    rows = {digit * 64: make_row(digit, split=place) for place, digit in enumerate("abcde")}
    for row in rows.values():
        store.write_row(row)
    pack_rows(store.root)
    assert store.summaries(rows).rows == {key: summary_of(row) for key, row in rows.items()}
    assert store.scan(["d" * 64]).rows == {"d" * 64: rows["d" * 64]}
    assert store.scan(rows).rows == rows


EARLIER = """
DROP TABLE columns;
DROP TABLE texts;
CREATE TABLE summaries (
    key TEXT PRIMARY KEY, number INTEGER NOT NULL, version INTEGER NOT NULL, summary BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE texts (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, text BLOB NOT NULL);
INSERT INTO texts SELECT * FROM kept;
DROP TABLE kept;
"""


def test_a_pack_of_an_earlier_version_is_read_and_packed_anew(filled, rows):
    pack_rows(filled.root)
    (pack,) = pack_files(filled.root)
    with closing(sqlite3.connect(pack)) as database:
        database.executescript(f"CREATE TABLE kept AS SELECT * FROM texts;{EARLIER}")
    assert (filled.scan(rows).rows, filled.scan(rows).damaged) == (rows, {})
    found = filled.summaries(rows)
    assert found.rows == {key: summary_of(row) for key, row in rows.items()}
    assert found.damaged == {}
    pack_rows(filled.root)
    (new,) = pack_files(filled.root)
    assert new != pack
    assert (filled.scan(rows).rows, filled.scan(rows).damaged) == (rows, {})
