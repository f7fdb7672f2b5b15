"""The time of what is left, from cells that have run."""

from __future__ import annotations

import pytest

from mlbench.config.schema import Limits
from mlbench.plan.time_left import time_left
from mlbench.results.plan import PlannedCell
from tests.rows import make_row


def cells(*places):
    return [PlannedCell(*place, f"{i:064x}") for i, place in enumerate(places)]


@pytest.mark.parametrize(
    ("done", "workers", "told"),
    [
        ({0: 30.0, 1: 50.0, 4: 600.0}, 0, "about 21 min"),
        ({0: 30.0, 1: 50.0, 4: 600.0}, 4, "about 21 min (at least 5 min with 4 workers)"),
        ({0: 30.0}, 1, "about 60 s and 3 cells of which `mlbench plan` guesses the time"),
        ({}, 8, "6 cells of a time that `mlbench plan --probe` measures"),
        (dict.fromkeys(range(6), 1.0), 0, ""),
    ],
)
def test_the_time_left_is_that_of_cells_like_those_that_have_run(done, workers, told):
    every = cells(*((*place, i) for place in (("flags", "BR"), ("yeast", "LP")) for i in range(3)))
    rows = {
        every[place].key: make_row(key=every[place].key, seconds={"total": seconds})
        for place, seconds in done.items()
    }
    assert time_left(every, rows).in_words(workers) == told


WITHOUT = ", without 7 cells that `limits.failures` gives up where those before them fail"


@pytest.mark.parametrize(
    ("statuses", "limit", "told"),
    [
        (["timeout"] * 3, 3, f"about 0 s{WITHOUT}"),
        (["timeout"] * 2, 3, f"about 10 s{WITHOUT}"),
        (["ok", "timeout"], 3, "about 80 s"),
        (["timeout"] * 3, None, "about 70 s"),
    ],
)
def test_cells_that_are_given_up_take_no_time(statuses, limit, told):
    every = cells(*(("flags", "slow", i) for i in range(10)))
    rows = {
        cell.key: make_row(key=cell.key, status=status, split=cell.split, seconds={"total": 10.0})
        for cell, status in zip(every, statuses, strict=False)
    }
    assert time_left(every, rows, limits={"slow": Limits(failures=limit)}).in_words(0) == told


def test_cells_that_run_again_take_at_least_what_they_took():
    every = cells(*(("flags", "slow", i) for i in range(3)))
    rows = {
        cell.key: make_row(key=cell.key, status="timeout", split=cell.split, seconds={"total": 9.0})
        for cell in every[:2]
    }
    assert time_left(every, rows, again={*rows}).in_words(0) == "at least 27 s"


@pytest.mark.parametrize(("limit", "told"), [(3, f"27 s{WITHOUT}"), (None, "90 s")])
def test_after_a_raised_limit_as_many_cells_are_sure_to_run_as_may_fail(limit, told):
    every = cells(*(("flags", "slow", i) for i in range(10)))
    rows = {
        cell.key: make_row(
            key=cell.key,
            status="timeout" if cell.split < 3 else "given up",
            split=cell.split,
            seconds={"total": 9.0} if cell.split < 3 else {},
        )
        for cell in every
    }
    left = time_left(every, rows, limits={"slow": Limits(failures=limit)}, again={*rows})
    assert left.in_words(0) == f"at least {told}"


def test_a_cell_that_ran_into_a_lower_limit_takes_no_less_because_others_are_fast():
    every = cells(*(("flags", "slow", i) for i in range(3)))
    statuses = [("ok", 1.0), ("timeout", 9.0), ("timeout", 9.0)]
    rows = {
        cell.key: make_row(key=cell.key, status=status, split=cell.split, seconds={"total": total})
        for cell, (status, total) in zip(every, statuses, strict=True)
    }
    again = {cell.key for cell in every[1:]}
    assert time_left(every, rows, again=again).in_words(0) == "at least 18 s"


def test_rows_of_other_parameters_tell_the_time_of_cells_of_which_none_has_run():
    every = cells(*(("flags", method, i) for method in ("BR", "LP") for i in range(2)))
    rows = {every[0].key: make_row(key=every[0].key, seconds={"total": 30.0})}
    stale = [
        make_row(dataset="flags", method=method, seconds={"total": seconds})
        for method, seconds in (("LP", 5.0), ("BR", 99.0), ("other", 99.0))
    ]
    assert time_left(every, rows, stale=stale).in_words(0) == "about 40 s"


def test_of_several_older_codes_the_latest_tells_the_time():
    every = cells(("flags", "Mine", 0))
    stale = [
        make_row(
            dataset="flags",
            method="Mine",
            seconds={"total": seconds},
            identity={"method": {"code": code}},
            finished=f"2026-01-0{day}T00:00:00+00:00",
        )
        for code, seconds, day in (("old", 90.0, 1), ("new", 4.0, 2))
    ]
    assert time_left(every, {}, stale=stale).in_words(0) == "about 4.0 s"


def test_older_cells_that_reached_a_limit_tell_what_others_take_at_least():
    every = cells(*(("flags", "Mine", i) for i in range(2)))
    reached, whole = (
        make_row(dataset="flags", method="Mine", status=status, seconds={"total": seconds})
        for status, seconds in (("timeout", 3.0), ("ok", 2.0))
    )
    assert time_left(every, {}, stale=[reached]).in_words(0) == "at least 6.0 s"
    assert time_left(every, {}, stale=[reached, whole]).in_words(0) == "about 5.0 s"


def test_cells_of_other_code_reach_their_limit_as_often_as_before():
    every = cells(*(("flags", "Mine", i) for i in range(4)))
    statuses = [("ok", 1.0), ("timeout", 9.0), ("ok", 1.0), ("timeout", 9.0)]
    rows = {
        cell.key: make_row(key=cell.key, status=status, split=cell.split, seconds={"total": total})
        for cell, (status, total) in zip(every, statuses, strict=True)
    }
    assert time_left(every, rows, other_code={*rows}).in_words(0) == "about 20 s"


def test_cells_that_did_not_come_to_run_tell_no_time():
    every = cells(*(("flags", "Mine", i) for i in range(4)))
    rows = {
        cell.key: make_row(key=cell.key, status=status, seconds={"total": seconds})
        for cell, status, seconds in zip(
            every, ("ok", "data", "data"), (6.0, 0.0, 0.0), strict=False
        )
    }
    again = {cell.key for cell in every[1:3]}
    assert time_left(every, rows, again=again).in_words(0) == "about 18 s"


def test_no_cell_takes_longer_than_its_limit_of_today():
    every = cells(*(("flags", "slow", i) for i in range(4)))
    rows = {
        cell.key: make_row(key=cell.key, split=cell.split, seconds={"total": seconds})
        for cell, seconds in zip(every, (40.0, 4.0), strict=False)
    }
    assert time_left(every, rows, limits={"slow": Limits(time=10)}).in_words(0) == "about 14 s"
