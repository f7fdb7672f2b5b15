"""Cells start in order, none before the search that it shares, none that has been done."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from mlbench.config.schema import Limits
from mlbench.executors.events import Finished, Started, Waited
from mlbench.executors.executor import CellQueue, Executor
from mlbench.store.row import GIVEN_UP
from tests.rows import make_row


class AtOnce(Executor):
    """Finishes every cell when it starts."""

    def run(self, cells):
        return self._run_all(cells)

    def _is_busy(self):
        return False

    def _free_workers(self):
        return [None]

    def _assign(self, worker, cell):
        self._queue.finish(cell)
        yield Started(cell)

    def _wait_for_events(self):
        return iter(())

    def _wake_up(self):
        pass


@pytest.mark.parametrize(
    ("status", "known", "is_done"),
    [
        ("ok", False, True),
        ("error", False, True),
        ("timeout", False, False),  # its limit is higher here
        (GIVEN_UP, False, False),
        ("ok", True, False),
        (None, False, False),
    ],
)
def test_a_cell_that_another_run_has_done_does_not_start(tmp_path, status, known, is_done):
    cell = SimpleNamespace(key="a" * 64, after=None, keep_predictions=False, limits=Limits())
    executor = AtOnce(tmp_path, [], 1, 1)
    executor.known = {cell.key} if known else set()
    if status:
        row = make_row(key=cell.key, status=status, seconds={"total": 7.0}, limits={"time": 1})
        executor.store.write_row(row)
    (event,) = [each for each in executor.run([cell]) if not isinstance(each, Waited)]
    said = "" if status == "ok" else "m"
    assert event == (Finished(cell, status, 7.0, said) if is_done else Started(cell))


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
