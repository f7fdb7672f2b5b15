from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.plan.giving_up import GivingUp, failures_in_a_row
from mlbench.plan.pending import outstanding
from mlbench.store import Store
from mlbench.store.row import GIVEN_UP
from tests.rows import make_row

COUNTED = ["ok", "error", "invalid", "timeout", "memory", "crash"]
ALL = [*COUNTED, "data", GIVEN_UP, None]


def rows_of(statuses):
    return [
        make_row(status=status, split=split)
        for split, status in enumerate(statuses)
        if status is not None
    ]


@given(st.lists(st.sampled_from(ALL), max_size=12), st.randoms())
def test_the_longest_series_of_failures_is_counted_in_the_order_of_splits(statuses, chance):
    """Of all failures, where there is no result."""
    rows = rows_of(statuses)
    chance.shuffle(rows)
    failures = {*COUNTED} - {"ok"}
    outcomes = "".join("F" if each in failures else "." for each in statuses)
    series = outcomes.split(".") if "ok" in statuses else [outcomes.replace(".", "")]
    assert len(failures_in_a_row(rows)) == max(map(len, series))


@pytest.fixture
def cells(plan):
    made = plan(
        datasets=["emotions"],
        limits={"failures": 3, "time": 60},
        protocol={"splits": {"kind": "random", "train": 0.6, "repeats": 8, "seed": 5}},
        methods={"BR": {"use": "br"}},
    )
    return made.cells


def stored(cells, statuses):
    limits = {"time": 60.0}
    return {
        cell.key: make_row(key=cell.key, status=status, split=cell.split, limits=limits)
        for cell, status in zip(cells, statuses, strict=False)
        if status is not None
    }


def with_limits(cells, **limits):
    return [replace(cell, limits=cell.limits.model_copy(update=limits)) for cell in cells]


F, G = "timeout", GIVEN_UP


@pytest.mark.parametrize(
    ("statuses", "limits", "left"),
    [
        ([F, F, F, G, G], {}, [5, 6, 7]),
        ([F, F, F, G, G], {"failures": None}, [3, 4, 5, 6, 7]),
        ([F, F, F, G, G], {"failures": 4}, [3, 4, 5, 6, 7]),
        ([F, F, F, G, G], {"failures": 2}, [5, 6, 7]),
        ([F, F, F, G, G], {"time": 90}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ([F, "ok", F, G, G], {}, [3, 4, 5, 6, 7]),
        (["error"] * 3 + [G], {"time": 90}, [4, 5, 6, 7]),
        (["crash"] * 3 + [G], {}, [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_given_up_cells_stand_while_enough_failures_do(cells, statuses, limits, left):
    cells = with_limits(cells, **limits)
    assert [cell.split for cell in outstanding(cells, stored(cells, statuses), ())] == left


@pytest.mark.parametrize("read", [Store.scan, lambda store: store.summaries(store.keys())])
def test_failed_cells_that_run_again_do_not_count_as_they_were(cells, tmp_path, read):
    store = Store(tmp_path)
    rows = stored(cells, [F] * 8)
    for row in rows.values():
        store.write_row(row)
    again = GivingUp(cells, read(store).rows, rows)
    for cell in cells[:3]:
        assert again.failure(cell, store) is None
        store.write_row(replace(rows[cell.key], finished="2030-01-01T00:00:00+00:00"))
    assert again.failure(cells[3], store) is not None


@pytest.mark.parametrize(
    ("statuses", "time", "over", "expected"),
    [
        ([], 60, False, [0, 1, 2, 3, 4, 5, 6, 7]),
        ([], 60, True, [0, 1, 2]),
        ([F], 60, False, [1, 2]),
        ([F, "ok"], 60, True, [2, 3, 4, 5, 6, 7]),
        (["error"], 60, False, [1, 2, 3, 4, 5, 6, 7]),
        ([F] * 3, 60, False, []),
        ([F] * 3, 90, False, [0, 1, 2, 3, 4, 5, 6, 7]),
        ([F, F, "ok"], 90, False, [0, 1, 3, 4, 5, 6, 7]),
    ],
)
def test_cells_that_go_on_failing_are_not_expected_to_start(cells, statuses, time, over, expected):
    cells, rows = with_limits(cells, time=time), stored(cells, statuses)
    left = outstanding(cells, rows, ())
    giving_up = GivingUp(cells, rows, {cell.key for cell in left})
    pairs = [("emotions", "BR")] if over else []
    assert [cell.split for cell in giving_up.expected(left, pairs)] == expected


def test_rows_of_other_jobs_count(cells, tmp_path):
    giving_up, store = GivingUp(cells, {}, []), Store(tmp_path)
    for row in stored(cells, [None, F, "data", None, F, "memory"]).values():
        assert giving_up.failure(cells[0], store) is None
        store.write_row(row)
    failure = giving_up.failure(cells[0], store)
    assert failure.kind == GIVEN_UP
    assert failure.message == (
        "not run after 3 failures (2 timeouts, 1 memory); `limits.failures` is 3"
    )
    assert giving_up.failure(cells[5], store) is None, "another job has done it"
    (given_up,) = stored(cells[6:7], [GIVEN_UP]).values()
    store.write_row(given_up)
    assert giving_up.failure(cells[6], store) is not None, "nor does this run start it"


def test_without_a_limit_nothing_is_given_up(cells):
    cells = with_limits(cells, failures=None)
    assert GivingUp(cells, stored(cells, [F] * 7), []).failure(cells[7]) is None
