"""What a method does to its process and its data stays with it."""

from __future__ import annotations

import os
import signal

import pytest

from mlbench.store import Store
from tests.processes import PATIENCE, is_alive, wait_until


def rows(folder):
    return {(row.method, row.split): row for row in Store(folder).scan().rows.values()}


def test_a_method_cannot_spoil_the_data_that_others_see(bad_lab, experiment):
    experiment("W: {use: 'bad.py:WritesIntoItsInput', tune: {pause: [0, 0.001]}}", repeats=1)
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "out").returncode == 1
    row = rows(bad_lab.folder / "out")["W", 0]
    assert row.status == "error"
    assert "read-only" in row.failure.message


def test_global_random_numbers_are_the_same_in_every_run(bad_lab, experiment):
    experiment("G: {use: 'bad.py:UsesGlobalRandomNumbers'}", "P: {use: 'bad.py:Prior'}", repeats=3)
    for out, jobs in (("one", "1"), ("two", "2")):
        assert bad_lab.mlbench("run", "trial.yaml", "--out", out, "-j", jobs).returncode == 0
    one, two = (bad_lab.mlbench("export", out).stdout for out in ("one", "two"))
    assert one == two != ""


def test_the_next_cell_of_a_worker_does_not_notice_a_mess(bad_lab, experiment):
    names = ("LeavesAMess", "Prints", "ForksAndReturns", "CannotSayWhy", "Prior")
    experiment(*(f"{name}: {{use: 'bad.py:{name}'}}" for name in names), repeats=2)
    run = bad_lab.mlbench("run", "trial.yaml", "--out", "out", "--jobs", "1")
    done = rows(bad_lab.folder / "out")
    for name in ("LeavesAMess", "Prints", "ForksAndReturns", "Prior"):
        for split in (0, 1):
            assert done[name, split].status == "ok", done[name, split].failure
    assert done["CannotSayWhy", 0].status == "error"
    assert "Mute" in done["CannotSayWhy", 0].failure.message
    assert run.returncode == 1
    assert "2 to run" not in run.stderr


def test_children_of_a_crashed_worker_do_not_outlive_it(bad_lab, experiment):
    experiment("L: {use: 'bad.py:LeavesAChildAndExits'}", repeats=1)
    bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    assert rows(bad_lab.folder / "out")["L", 0].status == "crash"
    child = int((bad_lab.folder / "child.pid").read_text())
    wait_until(lambda: not is_alive(child))


def test_a_limit_of_a_month_is_a_limit(bad_lab, experiment):
    experiment("P: {use: 'bad.py:Prior'}", repeats=1, more="limits: {time: 30 d}")
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "out").returncode == 0


SLOW_IMPORT = """
import time
from pathlib import Path
Path(__file__).with_name("importing").touch()
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("method", "sign"),
    [("slow.py:Method", "importing"), ("bad.py:Waits", "out/plan.json")],
    ids=["while methods are imported", "while workers are started"],
)
def test_an_interrupt_before_the_first_cell_is_no_crash(bad_lab, experiment, method, sign):
    bad_lab.write("slow.py", SLOW_IMPORT)
    experiment(f"P: {{use: '{method}'}}", repeats=1)
    run = bad_lab.start("run", "trial.yaml", "--out", "out")
    wait_until((bad_lab.folder / sign).exists)
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130, errors
    assert "Traceback" not in errors
