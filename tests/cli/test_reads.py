"""A run reads each row once, however many it finds and however many it adds."""

from __future__ import annotations

import signal
from collections import Counter

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
