"""A pack from a stranger takes no more time and memory than its size warrants, and hides nothing.

What is damaged is named; what is intact is read, whatever else of the file is damaged.
"""

from __future__ import annotations

import json
import sqlite3
import time
import tracemalloc
import zlib
from array import array
from contextlib import closing

import pytest

from mlbench.errors import StoreError
from mlbench.store import Store, pack_file
from mlbench.store.checksum import seal
from mlbench.store.columns import packed
from mlbench.store.packing import pack_files, pack_rows
from mlbench.store.row import summary_of
from tests.rows import make_row, plain_row

KEYS = [f"{i:012x}{i:052x}" for i in range(40)]
ROWS = {key: make_row(key=key) for key in KEYS}
COUNT_IN_HEADER = 60  # SQLite's `user_version`


@pytest.fixture
def gift(tmp_path):
    store = Store(tmp_path / "gift")
    for row in ROWS.values():
        store.write_row(row)
    pack_rows(store.root)
    return store


@pytest.fixture
def pack(gift):
    (path,) = pack_files(gift.root)
    return path


def alter(pack, *statements):
    with closing(sqlite3.connect(pack)) as database:
        for statement in statements:
            database.execute(*statement)
        database.commit()


@pytest.fixture(autouse=True)
def within_seconds():
    start = time.process_time()
    yield
    assert time.process_time() - start < 20


@pytest.mark.parametrize("count", [0, 1, 39, 41, 40 + 2**28, 2**31 - 1, 2**32 - 1])
def test_a_count_that_is_wrong_loses_no_row(gift, pack, count):
    data = bytearray(pack.read_bytes())
    data[COUNT_IN_HEADER : COUNT_IN_HEADER + 4] = count.to_bytes(4, "big")
    pack.write_bytes(data)
    for scan in (gift.scan(), gift.scan(KEYS)):
        assert scan.rows == ROWS
        assert scan.damaged == {pack: "its columns cannot be read, but all rows can"}
    assert set(gift.summaries(KEYS).rows) == set(KEYS)
    gift.set_aside(pack)
    assert (gift.scan().rows, gift.scan().damaged) == (ROWS, {})


def forge(pack, name, content):
    """Replace a column by another one whose hash is right."""
    data = packed(content)
    digest = pack_file._hash_of_column(1, name, data)
    alter(
        pack,
        ("UPDATE columns SET data = ?, hash = ? WHERE name = ?", (data, digest, name)),
    )


@pytest.mark.parametrize("key", ["../../victim/x", KEYS[8], "", 7, None])
def test_a_key_that_is_none_is_noticed_and_its_row_is_read(gift, pack, key):
    keys = [*KEYS[:7], key, *KEYS[8:]]
    forge(pack, "key", json.dumps([keys, list(range(40))]).encode())
    assert gift.scan(KEYS).rows == ROWS
    assert gift.scan([KEYS[7]]).rows == {KEYS[7]: ROWS[KEYS[7]]}
    assert set(gift.summaries(KEYS).rows) == set(KEYS)
    (told,) = gift.scan(KEYS).damaged.values()
    assert told == "its columns cannot be read, but all rows can"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("status", b'[["fine"],[0]]'),
        ("status", json.dumps([["timeout"], [0] * 40]).encode()),
        ("method", b'[["BR"],[0]]'),
        ("method", json.dumps([["BR"], [1] * 40]).encode()),
        ("counts", json.dumps([[[]], [0] * 40]).encode()),
        ("counts.train_samples", bytes(320)),
        ("counts.train_samples", b"\xff" * 8),
        ("metrics", json.dumps([[["other"]], [0] * 40]).encode()),
        ("identity.dataset", json.dumps([[None], [0] * 40]).encode()),
        ("split", b"[" * 10**5),
    ],
)
def test_columns_that_no_row_can_have_are_not_believed(gift, pack, name, content):
    forge(pack, name, content)
    found = gift.summaries(KEYS)
    assert found.rows == {key: summary_of(row) for key, row in ROWS.items()}
    assert found.damaged == {pack: "its columns cannot be read, but all rows can"}


@pytest.mark.parametrize("value", [float("inf"), 1e300])
def test_numbers_that_no_row_can_have_end_in_words(gift, pack, value):
    forge(pack, "metrics.macro_f1", array("d", [value] * 40).tobytes())
    row = gift.summaries(KEYS).rows[KEYS[0]]
    with pytest.raises(StoreError, match="that no row can have"):
        row.metrics["macro_f1"]


def test_a_row_that_is_lost_is_named_by_the_columns(gift, pack):
    alter(
        pack,
        ("UPDATE columns SET hash = zeroblob(32) WHERE name = 'status'",),
        ("UPDATE texts SET text = x'00' WHERE number IN (3, 8)",),
    )
    scan = gift.scan(KEYS)
    assert scan.rows.keys() == ROWS.keys() - {KEYS[2], KEYS[7]}
    assert scan.damaged == {pack: "2 of its 40 rows cannot be read (number 3, number 8)"}


def test_a_number_of_rows_that_cannot_be_is_not_repeated(gift, pack):
    alter(
        pack,
        ("UPDATE columns SET hash = zeroblob(32)",),
        ("INSERT INTO texts VALUES (?, 0, x'00')", (2**63 - 1,)),
    )
    scan = gift.scan(KEYS)
    assert scan.rows == ROWS
    assert scan.damaged[pack].startswith("most of its rows cannot be read (")


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


@pytest.mark.parametrize("table", ["columns", "texts"])
def test_views_that_never_end_are_not_asked(gift, pack, table):
    columns = {"columns": "i AS first, 'key' AS name, x'00' AS hash, x'00' AS data"}
    columns["texts"] = "i AS number, 0 AS version, x'00' AS text"
    alter(
        pack,
        (f"DROP TABLE {table}",),
        (f"CREATE VIEW {table} AS {ENDLESS} {columns[table]} FROM n WHERE i < 0",),
    )
    assert gift.scan(KEYS[:1]).damaged == {
        pack: "no row can be read (its tables are not those of a pack)"
    }


@pytest.mark.slow
def test_a_tree_that_leads_back_into_itself_ends(tmp_path):
    store = Store(tmp_path / "gift")
    for i in range(300):
        store.write_row(make_row(key=f"{i:064x}"))
    pack_rows(store.root)
    (pack,) = pack_files(store.root)
    with closing(sqlite3.connect(pack)) as database:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'columns'"
        (root,) = database.execute(query).fetchone()
    data = pack.read_bytes()
    top = data[4096 * (root - 1) : 4096 * root]
    pages = len(data) // 4096
    levels = [_pointing_to(top, pages + 1 + i) for i in range(16)]
    data = data[: 4096 * (root - 1)] + levels[0] + data[4096 * root :]
    data += b"".join([*levels[1:], top])
    pack.write_bytes(data[:28] + (len(data) // 4096).to_bytes(4, "big") + data[32:])
    scan = store.scan()
    assert len(scan.rows) == 300
    assert list(scan.damaged) == [pack]


def _pointing_to(page, child):
    """Return an inner page of a tree whose children are all the same page."""
    page, pointer = bytearray(page), child.to_bytes(4, "big")
    assert page[0] == 2, "an inner page of an index"
    page[8:12] = pointer
    for i in range(int.from_bytes(page[3:5], "big")):
        cell = int.from_bytes(page[12 + 2 * i : 14 + 2 * i], "big")
        page[cell : cell + 4] = pointer
    return bytes(page)


@pytest.mark.slow
def test_a_small_file_does_not_unpack_to_a_large_one(gift, pack):
    row = {**plain_row(key=KEYS[0]), "warnings": ["a" * 2**28]}
    bomb = zlib.compress(seal("row", row).encode())
    alter(pack, ("UPDATE texts SET text = ? WHERE number = 1", (bomb,)))
    tracemalloc.start()
    scan = gift.scan()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scan.rows.keys() == ROWS.keys() - {KEYS[0]}
    assert peak < 64 * len(bomb) + 2**24
    assert "1 of its 40 rows cannot be read" in scan.damaged[pack]


def test_an_honest_row_that_would_shrink_much_is_packed_all_the_same(tmp_path):
    store, row = Store(tmp_path / "gift"), make_row(warnings=["a" * 2**20])
    store.write_row(row)
    pack_rows(store.root)
    assert (store.scan().rows, store.scan().damaged) == ({row.key: row}, {})


@pytest.mark.parametrize("seed", range(4))
def test_no_flipped_bit_goes_unnoticed_or_takes_long(gift, pack, seed):
    import numpy as np

    data, random = pack.read_bytes(), np.random.default_rng(seed)
    for place in [*random.integers(0, 100, 20), *random.integers(0, len(data), 40)]:
        flipped = bytearray(data)
        flipped[place] ^= 1 << random.integers(8)
        pack.write_bytes(flipped)
        scan = gift.scan(KEYS)
        assert all(row == ROWS[key] for key, row in scan.rows.items()), place
        assert scan.damaged or scan.rows == ROWS, place
