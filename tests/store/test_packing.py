"""Packing may be killed at any step, and meet readers, writers and another one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from mlbench.errors import StoreError
from mlbench.store import Store, packing
from mlbench.store.packing import pack_files, pack_rows
from mlbench.store.row import summary_of
from mlbench.store.row_files import row_files
from tests.kills import Killed, kill_after
from tests.processes import PATIENCE

FAILED = {"status": "crash"}


def single_files(store):
    return row_files(store.root).files


def test_packed_rows_are_read_like_single_ones(filled, rows):
    done = pack_rows(filled.root)
    assert (done.packed, done.rows, done.damaged) == (5, 5, {})
    assert single_files(filled) == {}
    assert len(pack_files(filled.root)) == 1
    scan = filled.scan()
    assert (scan.rows, scan.damaged) == (rows, {})
    assert filled.scan(["b" * 64, "f" * 64]).rows == {"b" * 64: rows["b" * 64]}
    summaries = filled.summaries([*rows, "f" * 64])
    assert summaries.rows == {key: summary_of(row) for key, row in rows.items()}
    assert summaries.damaged == {}


def test_an_empty_folder_and_a_second_call_leave_nothing_to_do(store, filled):
    assert pack_rows(store.root / "nowhere").rows == 0
    pack_rows(filled.root)
    (pack,) = pack_files(filled.root)
    again = pack_rows(filled.root)
    assert (again.packed, again.rows) == (0, 5)
    assert pack_files(filled.root) == [pack]


def test_a_row_that_is_written_again_wins_over_the_packed_one_and_is_packed_next(
    store, rows, make_row
):
    for digit in "ab":
        store.write_row(make_row(digit, **FAILED))
    pack_rows(store.root)
    store.write_row(rows["a" * 64])
    store.write_row(rows["c" * 64])
    expected = {"a" * 64: rows["a" * 64], "b" * 64: make_row("b", **FAILED)}
    expected["c" * 64] = rows["c" * 64]
    assert store.scan().rows == expected
    assert store.summaries(expected).rows["a" * 64].status == "ok"
    done = pack_rows(store.root)
    assert (done.packed, done.rows) == (2, 3)
    assert store.scan().rows == expected


def test_the_later_row_counts_even_if_the_old_pack_is_still_there(store, make_row, monkeypatch):
    store.write_row(make_row())
    pack_rows(store.root)
    later = make_row(metrics={"macro_f1": 0.75})
    store.write_row(later)
    monkeypatch.setattr(type(store.root), "unlink", lambda *_, **__: None)
    pack_rows(store.root)
    monkeypatch.undo()
    assert len(pack_files(store.root)) == 2
    for path in single_files(store).values():
        path.unlink()
    assert store.scan().rows == {"a" * 64: later}


@pytest.mark.slow
def test_a_kill_after_any_step_loses_and_doubles_nothing(tmp_path, rows, make_row, monkeypatch):
    steps = [(os, "fsync"), (os, "link"), (type(tmp_path), "rename")]
    steps += [(type(tmp_path), "replace"), (type(tmp_path), "unlink")]
    moment, finished = 0, False
    while not finished:
        store = Store(tmp_path / str(moment))
        for digit in "abc":
            store.write_row(make_row(digit, **FAILED))
        pack_rows(store.root)
        for digit in "bcde":
            store.write_row(rows[digit * 64])
        expected = {**rows, "a" * 64: make_row("a", **FAILED)}
        with monkeypatch.context() as patch:
            kill_after(patch, steps, moment)
            with contextlib.suppress(Killed):
                pack_rows(store.root)
                finished = True
        assert store.scan().rows == expected, moment
        assert store.scan(expected).rows == expected
        assert store.summaries(expected).rows == {k: summary_of(r) for k, r in expected.items()}
        pack_rows(store.root)
        assert store.scan().rows == expected
        assert single_files(store) == {}
        assert len(pack_files(store.root)) == 1
        moment += 1
    assert moment > 12, "the steps were not the real ones"


def between(monkeypatch, name, act):
    """Do something once, just before a step of packing."""
    step, done = getattr(packing, name), []

    def call(*arguments, **options):
        if not done:
            done.append(True)
            act()
        return step(*arguments, **options)

    monkeypatch.setattr(packing, name, call)


@pytest.mark.parametrize("moment", ["pack_files", "write_pack", "_remove_packed", "remove_if_same"])
def test_a_row_written_during_packing_is_kept_and_wins(store, rows, make_row, monkeypatch, moment):
    for digit in "ab":
        store.write_row(make_row(digit, **FAILED))

    def write():
        for digit in "abc":
            store.write_row(rows[digit * 64])

    with monkeypatch.context() as patch:
        between(patch, moment, write)
        pack_rows(store.root)
    expected = {digit * 64: rows[digit * 64] for digit in "abc"}
    assert store.scan().rows == expected
    pack_rows(store.root)
    assert store.scan().rows == expected
    assert single_files(store) == {}


@pytest.mark.parametrize("moment", ["pack_files", "write_pack", "_remove_packed", "remove_if_same"])
def test_two_calls_at_once_are_safe(filled, rows, make_row, monkeypatch, moment):
    filled.write_row(make_row("f"))

    def other():
        filled.write_row(make_row("f", split=7))
        pack_rows(filled.root)

    with monkeypatch.context() as patch:
        between(patch, moment, other)
        pack_rows(filled.root)
    expected = {**rows, "f" * 64: make_row("f", split=7)}
    assert filled.scan().rows == expected
    pack_rows(filled.root)
    assert filled.scan().rows == expected
    assert len(pack_files(filled.root)) == 1


@pytest.mark.parametrize("moment", ["row_files", "pack_files"])
def test_a_reader_that_packing_overtakes_sees_each_row_once(
    filled, rows, make_row, monkeypatch, moment
):
    from mlbench.store import store as reading

    pack_rows(filled.root)
    filled.write_row(make_row("f"))
    expected = {**rows, "f" * 64: make_row("f")}
    step, calls = getattr(reading, moment), []

    def call(*arguments):
        calls.append(arguments)
        found = step(*arguments)
        if len(calls) == 1:
            pack_rows(filled.root)  # what was listed is gone
        return found

    monkeypatch.setattr(reading, moment, call)
    assert filled.scan().rows == expected
    assert calls


def test_a_file_left_aside_counts_until_there_is_another(filled, rows, make_row):
    path = filled.row_path("a" * 64)
    aside = path.with_name(f".{path.name}.0123abcd.aside")
    path.rename(aside)
    assert filled.scan().rows == rows
    newer = make_row("a", split=3)
    filled.write_row(newer)
    assert filled.scan().rows == {**rows, "a" * 64: newer}
    pack_rows(filled.root)
    assert filled.scan().rows == {**rows, "a" * 64: newer}


def page(data, number, content=bytes(4096)):
    """Return a file with other content on one of its pages."""
    return data[: 4096 * number] + content + data[4096 * number + 4096 :]


DAMAGE = {
    "a few bytes of a text": (
        lambda data, at: data[: at + 9] + b"\x00\x00\x00" + data[at + 12 :],
        f"1 of its 40 rows cannot be read ({19:012x})",
    ),
    "the second half": (lambda data, at: data[: len(data) // 2], "rows cannot be read (number "),
    "all but its header": (lambda data, at: data[:4096], "40 of its 40 rows cannot be read"),
    "the columns": (
        lambda data, at: page(data, 1),
        "its columns cannot be read, but all rows can",
    ),
    "the tree of texts": (lambda data, at: page(data, 2), "40 of its 40 rows cannot be read"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_pack_names_what_is_lost_and_the_rest_remains(store, make_row, kind):
    keys = [f"{i:012x}{i:052x}" for i in range(40)]
    random = np.random.default_rng(0)
    rows = {key: make_row(key=key, fit={"noise": random.bytes(900).hex()}) for key in keys}
    for row in rows.values():
        store.write_row(row)
    pack_rows(store.root)
    (pack,) = pack_files(store.root)
    with closing(sqlite3.connect(pack)) as database:
        (text,) = database.execute("SELECT text FROM texts WHERE number = 20").fetchone()
    harm, words = DAMAGE[kind]
    data = pack.read_bytes()
    pack.write_bytes(harm(data, data.index(text[:100])))

    scan = store.scan(rows)
    assert list(scan.damaged) == [pack]
    assert words in scan.damaged[pack]
    lost = rows.keys() - scan.rows.keys()
    assert scan.damaged[pack].startswith(f"{len(lost)} of" if lost else "its columns")
    assert all(scan.rows[key] == rows[key] for key in scan.rows)
    assert set(store.summaries(rows).rows) >= set(scan.rows)
    if kind == "the second half":
        assert 0 < len(lost) < 40

    store.set_aside(pack)
    again = store.scan(rows)
    assert (again.rows, again.damaged) == (scan.rows, {})
    for key in lost:
        store.write_row(rows[key])
    pack_rows(store.root)
    assert store.scan().rows == rows


@pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 3\x00" * 50])
def test_a_file_that_is_no_pack_is_told(filled, rows, content):
    (filled.root / "packs").mkdir()
    path = filled.root / "packs/x.sqlite"
    path.write_bytes(content)
    scan = filled.scan([*rows, "f" * 64])
    assert scan.rows == rows
    assert "no row can be read" in scan.damaged[path]
    assert list(pack_rows(filled.root).damaged) == [path]
    assert filled.scan(rows).rows == rows
    filled.set_aside(path)
    assert filled.scan().damaged == {}


def test_a_damaged_single_file_stays_where_it_is(filled, rows):
    path = filled.row_path("a" * 64)
    path.write_text(path.read_text()[:-9])
    done = pack_rows(filled.root)
    assert (done.packed, list(done.damaged)) == (4, [path])
    assert path.exists()
    assert filled.scan().rows == {key: row for key, row in rows.items() if key != "a" * 64}


FULL_DISK = """
import resource, sys
from pathlib import Path
from mlbench.store.packing import pack_rows
resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
try:
    pack_rows(Path(sys.argv[1]))
except OSError as error:
    print("refused")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits on the size of files")
def test_a_full_disk_leaves_the_single_files(filled, rows):
    command = [sys.executable, "-c", FULL_DISK, str(filled.root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "refused\n"
    assert (filled.scan().rows, len(single_files(filled))) == (rows, 5)
    assert list(filled.root.rglob("*.tmp")) == []


def test_a_file_that_cannot_be_read_at_all_ends_in_words(filled, monkeypatch):
    pack_rows(filled.root)
    (filled.root / "rows" / "aa" / ("a" * 64 + ".json")).mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        filled.scan()
