from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlbench.config.schema import Limits
from mlbench.plan.pending import is_settled, outstanding, run_again, why_given_up
from tests.rows import make_row


def row(status, time=None, memory=None):
    return make_row(status=status, limits={"time": time, "memory": memory})


@pytest.mark.parametrize(
    ("found", "time_now", "memory_now", "settled"),
    [
        (row("ok"), None, None, True),
        (row("error"), None, None, True),
        (row("invalid"), None, None, True),
        (row("crash"), None, None, False),
        (row("timeout", time=60), 60, None, True),
        (row("timeout", time=60), 30, None, True),
        (row("timeout", time=60), 61, None, False),
        (row("timeout", time=60), None, None, False),
        (row("timeout", time=60, memory=300), 60, 9999, True),
        (row("memory", memory=300), None, 300, True),
        (row("memory", memory=300), 1, 400, False),
        (row("memory", memory=300), None, None, False),
        (row("memory"), None, None, True),
        (row("ok", time=60), 1, 1, True),
    ],
)
def test_a_row_stands_until_running_again_could_change_it(
    plan, found, time_now, memory_now, settled
):
    cell = replace(plan().cells[0], limits=Limits.model_construct(time=time_now, memory=memory_now))
    assert is_settled(cell, found, ()) is settled
    assert outstanding([cell], {cell.key: found}, ()) == ([] if settled else [cell])


@pytest.mark.parametrize(
    ("predictions", "on_disk", "settled"),
    [("c" * 64, True, True), ("c" * 64, False, False), (None, True, False)],
)
def test_a_result_whose_predictions_are_not_there_stands_only_where_none_are_wanted(
    plan, predictions, on_disk, settled
):
    cell = replace(plan().cells[0], keep_predictions=True)
    found = replace(row("ok"), predictions=predictions)
    kept = {cell.key} if on_disk else set()
    assert is_settled(cell, found, kept) is settled
    assert is_settled(replace(cell, keep_predictions=False), found, kept)


def test_only_what_is_missing_is_left_in_the_order_of_the_plan(plan):
    cells = plan().cells
    rows = {cells[1].key: row("ok"), cells[2].key: row("error"), "of another run": row("ok")}
    assert outstanding(cells, rows, ()) == [cells[0], *cells[3:]]
    assert outstanding(cells, rows, (), retry_failed=True) == [cells[0], *cells[2:]]
    assert outstanding(cells, {cell.key: row("ok") for cell in cells}, (), retry_failed=True) == []


STATUSES = ["ok", "error", "timeout", "memory", "crash", "data", "given up", None]


@given(
    st.lists(st.sampled_from(STATUSES), min_size=8, max_size=8),
    st.sampled_from([None, 1, 2, 3]),
    st.sampled_from([None, 30.0, 60.0, 90.0]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_stored_plan_tells_the_same_as_the_experiment(plan, statuses, failures, time):
    limits = Limits.model_construct(time=time, memory=300.0, failures=failures)
    splits = {"splits": {"kind": "random", "train": 0.6, "repeats": 8}}
    made = plan(datasets=["emotions"], methods={"A": {"use": "mlknn"}}, protocol=splits)
    cells = [replace(cell, limits=limits) for cell in made.cells]
    rows = {
        cell.key: replace(row(status, time=60.0, memory=200.0), key=cell.key, split=cell.split)
        for cell, status in zip(cells, statuses, strict=True)
        if status
    }
    left = {cell.key for cell in outstanding(cells, rows, ())}
    planned = [(cell.dataset, cell.method, cell.split, cell.key) for cell in cells]
    assert run_again(planned, rows, {"A": limits}) == left & rows.keys()


def test_the_same_work_under_two_names_is_done_once(plan):
    same = plan(methods={"A": {"use": "mlknn"}, "B": {"use": "mlknn", "k": 10}}).cells
    assert len(outstanding(same, {}, ())) == len(same) / 2


def test_why_cells_are_given_up_is_told_as_of_today():
    statuses = ["error"] * 5 + ["given up"] * 2
    cells = [("toy", "A", split, str(split)) for split in range(8)]
    rows = {
        key: replace(row(status), split=split)
        for (_, _, split, key), status in zip(cells, statuses, strict=False)
    }
    limits = {"A": Limits(failures=4)}
    told = "not run after 5 failures (5 errors); `limits.failures` is 4"
    assert why_given_up(cells, rows, limits, ()) == {("toy", "A"): told}
    assert why_given_up(cells, rows, limits, {"5", "6"}) == {}
