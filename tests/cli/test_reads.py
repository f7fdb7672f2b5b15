"""A run reads each row once, however many it finds and however many it adds."""

from __future__ import annotations

import signal
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from mlbench.store import Store, store

EXPERIMENT = """
name: small
datasets: [{use: nam-toy, tasks: 2, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 3}}
methods: {ML-kNN: {use: mlknn, k: 5}}
"""


@pytest.fixture(autouse=True)
def _own_signals():
    """Give back the signals that a run takes for itself."""
    kinds = (signal.SIGTERM, signal.SIGUSR1)
    before = [signal.getsignal(kind) for kind in kinds]
    yield
    for kind, handler in zip(kinds, before, strict=True):
        signal.signal(kind, handler)


@pytest.fixture
def reads(monkeypatch):
    """Count how often this process reads the row of each cell."""
    counts = Counter()
    read = store.row_from_json

    def counted(text, key=None, known=None):
        counts[key] += 1
        return read(text, key, known)

    monkeypatch.setattr(store, "row_from_json", counted)
    return counts


def test_a_damaged_text_in_a_pack_is_told_by_verifying(lab, call):
    lab.write("small.yaml", EXPERIMENT)
    call(lab.folder, "run", "small.yaml", "--quiet", "--jobs", "1")
    call(lab.folder, "pack", "runs/small")
    (pack,) = (lab.folder / "runs/small/packs").iterdir()
    with closing(sqlite3.connect(pack)) as database:
        database.execute("UPDATE texts SET text = zeroblob(9) WHERE number = 2")
        database.commit()
    told = call(lab.folder, "status", "runs/small")
    assert ("3 ok" in told.stdout, told.stderr) == (True, "")
    told = call(lab.folder, "status", "runs/small", "--verify")
    assert "2 ok, 1 missing" in told.stdout or "1 missing, 2 ok" in told.stdout
    assert "1 of its 3 rows cannot be read" in told.stderr


def test_rows_that_are_there_and_rows_that_are_new_are_read_once(lab, call, reads):
    lab.write("small.yaml", EXPERIMENT)
    words = ("run", "small.yaml", "--quiet", "--jobs", "1")
    call(lab.folder, *words, "--set", "protocol.splits.repeats=2")
    assert sorted(reads.values()) == [1, 1]
    reads.clear()
    finished = call(lab.folder, *words)
    assert finished.exit_code == 0, finished.stderr
    assert reads.keys() == Store(lab.folder / "runs/small").scan().rows.keys()
    reads.clear()
    call(lab.folder, *words)
    assert sorted(reads.values()) == [1, 1, 1]
