"""What a method does to its process and its data stays with it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from mlbench.executors.log import MAX_BYTES
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


PATCH = """
from sklearn.linear_model import RidgeClassifier
from sklearn.dummy import DummyClassifier as Method
RidgeClassifier.predict = lambda self, X: (X[:, :3] > 0).astype(int)
"""
SPOILERS = (
    "Patches",
    "SwapsTheGlobalGenerator",
    "LeavesAThreadThatDraws",
    "LeavesAnAlarm",
    "LeaksDescriptors",
    "LowersLimits",
)


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_what_a_method_does_to_its_process_changes_no_other_result(bad_lab, experiment, executor):
    bad_lab.write("patch.py", PATCH)
    spoilers = [f"{name}: {{use: 'bad.py:{name}'}}" for name in SPOILERS]
    spoilers.append("PatchesAtImport: {use: 'patch.py:Method'}")
    others = [
        "Ridge: {use: sklearn.linear_model.RidgeClassifier}",
        "Draws: {use: 'bad.py:UsesGlobalRandomNumbers', pause: 1}",
        "Prior: {use: 'bad.py:Prior'}",
    ]
    experiment(*others)
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "alone").returncode == 0
    experiment(*spoilers, *others)
    ran = bad_lab.mlbench(
        "run", "trial.yaml", "--out", "out", "--jobs", "1", "--executor", executor
    )
    assert ran.returncode == 0, ran.stderr
    lines = bad_lab.mlbench("export", "out").stdout.splitlines()
    alone = bad_lab.mlbench("export", "alone").stdout.splitlines()
    assert len(alone) > 1
    assert set(alone) <= set(lines)


PATCH = """
from sklearn.linear_model import RidgeClassifier
from bad import Prior

RidgeClassifier.decision_function = lambda self, X: X[:, 0]

class Method(Prior):
    pass
"""


def test_what_an_import_changes_reaches_the_results_of_no_other_method(bad_lab, experiment):
    bad_lab.write("patch.py", PATCH)
    others = [
        "Base: {use: br, base: ridge}",
        "Ridge: {use: sklearn.linear_model.RidgeClassifier}",
        "Own: {use: 'bad.py:Prior'}",
    ]
    experiment(*others, repeats=1)
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "alone").returncode == 0
    experiment("Patch: {use: 'patch.py:Method'}", *others, repeats=1)
    ran = bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    assert ran.returncode == 0, ran.stderr
    alone, out = (Store(bad_lab.folder / name).scan().rows for name in ("alone", "out"))
    assert len(out) == len(alone) + 1
    for key, row in alone.items():
        assert out[key].metrics == row.metrics


@pytest.mark.parametrize("name", ["LeavesDaemons", "LeavesDaemonsAndHangs"])
def test_children_in_sessions_of_their_own_end_with_the_cell(bad_lab, experiment, name):
    experiment(f"L: {{use: 'bad.py:{name}'}}", repeats=1, more="limits: {time: 10 s}")
    bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    status = rows(bad_lab.folder / "out")["L", 0].status
    assert status == ("timeout" if name.endswith("Hangs") else "ok")
    daemons = [int(pid) for pid in (bad_lab.folder / "daemons").read_text().split()]
    wait_until(lambda: not any(map(is_alive, daemons)))


def test_what_joblib_keeps_in_shared_memory_is_removed_with_the_cell(bad_lab, experiment):
    experiment("S: {use: 'bad.py:UsesSharedMemory'}", repeats=1)
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "out").returncode == 0
    (pid,) = set((bad_lab.folder / "workers").read_text().split())
    assert not list(Path("/dev/shm").glob(f"*-{pid}-*"))
    assert not list(Path("/dev/shm").glob(f"joblib_memmapping_folder_{pid}_*"))


def test_the_memory_of_a_cell_is_that_of_all_its_processes_and_shared_memory_counts_once(
    bad_lab, experiment
):
    names = ("GrandchildEatsMemory", "SharesMemory")
    limits = "limits: {memory: 900 MB, time: 10 min}"
    experiment(*(f"{name}: {{use: 'bad.py:{name}'}}" for name in names), repeats=1, more=limits)
    bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    done = rows(bad_lab.folder / "out")
    assert done["GrandchildEatsMemory", 0].status == "memory"
    assert done["SharesMemory", 0].status == "ok", done["SharesMemory", 0].failure


def test_the_log_of_what_methods_print_is_bounded(bad_lab, experiment):
    experiment("P: {use: 'bad.py:PrintsMuch'}", repeats=3)
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "out").returncode == 0
    logs = [path.stat().st_size for path in (bad_lab.folder / "out").glob("worker.log*")]
    assert len(logs) == 2
    assert sum(logs) <= 2 * (MAX_BYTES + 2**16)


def test_scores_are_read_before_the_method_can_overwrite_them(bad_lab, experiment):
    names = ("Prior", "ReusesItsBuffer")
    experiment(*(f"{name}: {{use: 'bad.py:{name}', random_state: 1}}" for name in names), repeats=1)
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "out").returncode == 0
    done = rows(bad_lab.folder / "out")
    assert done["Prior", 0].metrics == done["ReusesItsBuffer", 0].metrics


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


@pytest.mark.parametrize("use", ["mine.py:Method", "mine.Method"])
def test_a_method_that_is_edited_after_planning_is_not_run(
    bad_lab, experiment, begun, let_through, use
):
    code = "from bad import Prior\nclass Method(Prior):\n    sign = 1\n"
    bad_lab.write("mine.py", code)
    experiment("First: {use: 'bad.py:Waits'}", f"Second: {{use: '{use}'}}", repeats=1)
    run = bad_lab.start("run", "trial.yaml", "--out", "out", "--jobs", "1")
    wait_until(begun)
    bad_lab.write("mine.py", code.replace("1", "2"))
    let_through(2)
    run.communicate(timeout=PATIENCE)
    done = rows(bad_lab.folder / "out")
    assert done["First", 0].status == "ok"
    assert done["Second", 0].status == "data"  # so that it runs again
    assert "changed after the run was planned" in done["Second", 0].failure.message
