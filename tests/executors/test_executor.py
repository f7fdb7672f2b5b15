"""Cells start in order, but none before the search that it shares."""

from __future__ import annotations

from types import SimpleNamespace

from mlbench.executors.executor import CellQueue

SEARCH = SimpleNamespace(key="search", after=None)
SHARES = SimpleNamespace(key="shares", after="search")
OTHER = SimpleNamespace(key="other", after="a cell of an earlier run")


def test_a_cell_waits_for_the_search_that_it_shares():
    queue = CellQueue([SEARCH, SHARES, OTHER])
    assert [queue.take(), queue.take(), queue.take()] == [SEARCH, OTHER, None]
    assert queue, "a cell still waits"
    queue.finish(SEARCH)
    assert queue.take() is SHARES
    assert not queue


def test_a_cell_that_was_lost_is_the_next():
    queue = CellQueue([SEARCH, OTHER])
    lost = queue.take()
    queue.put_back(lost)
    assert queue.take() is lost
