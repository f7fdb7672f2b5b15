from __future__ import annotations

import pytest

from mlbench.store import Store
from tests.rows import make_row


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


@pytest.fixture(scope="session", name="make_row")
def make_row_():
    """A row that looks like one of a run; its key is the digit given, 64 times."""
    return make_row


@pytest.fixture
def rows(make_row):
    return {digit * 64: make_row(digit) for digit in "abcde"}


@pytest.fixture
def filled(store, rows):
    for row in rows.values():
        store.write_row(row)
    return store
