"""What happens when a method, a disk or a person does the worst."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import time

import pytest

from mlbench.store import Store
from tests.processes import PATIENCE, is_alive, wait_until


def rows(folder):
    return {(row.method, row.split): row for row in Store(folder).scan().rows.values()}


MISBEHAVIOUR = {
    "Raises": ("error", "ArithmeticError: no such root"),
    "Hangs": ("timeout", "took longer than its limit of 1 s"),
    "EatsMemory": ("memory", "its limit of 700 MB"),
    "ChildrenEatMemory": ("memory", "took more than its limit of 700 MB"),
    "ReturnsNaN": ("invalid", "not finite"),
    "ReturnsWrongShape": ("invalid", "shape (30, 1)"),
    "ReturnsTwos": ("invalid", "labels must be 0 or 1"),
    "Exits": ("crash", "the process of Exits exited with exit code 7"),
    "CallsExit": ("error", "SystemExit: 3"),
    "Segfaults": ("crash", "SIGSEGV"),
    "KillsItself": ("crash", "SIGKILL"),
}


def test_each_misbehaving_method_costs_its_own_cells_and_no_others(bad_lab, experiment):
    methods = [f"{name}: {{use: 'bad.py:{name}'}}" for name in ("Prior", *MISBEHAVIOUR, "Prints")]
    methods = [method.replace("Hangs'", "Hangs', limits: {time: 1}") for method in methods]
    experiment(*methods, repeats=1, more="limits: {time: 10 min, memory: 700 MB}")

    run = bad_lab.mlbench("run", "trial.yaml", "--out", "out")

    assert run.returncode == 1, run.stderr
    assert "Traceback" not in run.stderr
    assert "chatter" not in run.stdout + run.stderr
    done = rows(bad_lab.folder / "out")
    for name, (kind, words) in MISBEHAVIOUR.items():
        row = done[name, 0]
        assert (row.status, words in row.failure.message) == (kind, True), row.failure
    assert done["Prior", 0].status == done["Prints", 0].status == "ok"
    full = bad_lab.mlbench("status", "out", "--full").stdout
    assert "toy/Exits/0 printed, at the end:\n  leaving\n" in full
    assert "toy/Segfaults/0 printed, at the end:\n  Fatal Python error: Segmentation fault" in full
    assert "chatter" in (bad_lab.folder / "out/worker.log").read_text()
    assert "chatter" not in full, "it printed, but did not fail"
    assert "with a higher `limits.time` and `limits.memory`, cells that reached it, or were" in full
    child = int((bad_lab.folder / "child.pid").read_text())
    wait_until(lambda: not is_alive(child))
    for kind in ("timeout", "memory", "invalid", "crash"):
        assert kind in run.stdout, f"the table does not show {kind}"


def test_ten_kills_at_random_moments_lose_and_double_nothing(
    bad_lab, experiment, begun, let_through
):
    methods = [f"P{i}: {{use: 'bad.py:Waits', pause: 0.0{i}}}" for i in range(1, 6)]
    experiment(*methods, repeats=15)  # ten kills let at most 70 of 75 cells end
    moments = random.Random(4)
    for _ in range(10):
        let_through(len(begun()) + 7)  # the run is not over before it is killed
        enough = len(rows_written(bad_lab)) + moments.randint(1, 5)
        run = bad_lab.start("run", "trial.yaml", "--out", "out", "--jobs", "2")
        wait_until(lambda enough=enough: len(rows_written(bad_lab)) >= enough)
        time.sleep(moments.random() * 0.05)
        run.kill()
        run.communicate()
        assert run.returncode == -signal.SIGKILL
    wait_until(lambda: not any(map(is_alive, begun())))
    finished = len(rows_written(bad_lab))
    let_through(1000)

    last = bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    assert last.returncode == 0, last.stderr
    assert f"{finished} done" in last.stderr
    undisturbed = bad_lab.mlbench("run", "trial.yaml", "--out", "undisturbed", "--jobs", "1")
    assert undisturbed.returncode == 0
    assert (
        bad_lab.mlbench("export", "out").stdout
        == bad_lab.mlbench("export", "undisturbed").stdout
        != ""
    )


def rows_written(lab):
    return list(lab.folder.glob("out/rows/*/*.json"))


def test_a_worker_killed_from_outside_is_replaced_and_its_cell_done_again(
    bad_lab, experiment, begun, let_through
):
    experiment("P: {use: 'bad.py:Waits'}", repeats=1)
    run = bad_lab.start("run", "trial.yaml", "--out", "out", "--jobs", "1")
    wait_until(begun)
    os.kill(begun()[0], signal.SIGKILL)
    let_through(2)
    _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    assert errors.count("/P/0: its process was killed; it runs once more") == 1
    assert len(begun()) == 2
    assert rows(bad_lab.folder / "out")["P", 0].status == "ok"


def test_a_search_that_is_killed_goes_on_at_the_fold_it_had_reached(
    bad_lab, experiment, begun, let_through
):
    tuned = "tune: {pause: [0.001, 0.002]}, scoring: [macro_f1, macro_auc]"
    experiment(f"P: {{use: 'bad.py:Waits', {tuned}}}", repeats=1)
    run = bad_lab.start("run", "trial.yaml", "--out", "out", "--jobs", "1")
    for fits in (1, 3, 5):
        let_through(fits)
        wait_until(lambda fits=fits: len(begun()) == fits + 1)
        time.sleep(1.1)  # folds are kept at most once a second
    assert list(bad_lab.folder.glob("out/partial/*/fits.json"))
    run.kill()
    run.communicate()
    let_through(1000)

    last = bad_lab.mlbench("run", "trial.yaml", "--out", "out")

    assert last.returncode == 0, last.stderr
    assert len(begun()) == 6 + 2 * 3 + 1, "finished folds were searched again"
    assert not list(bad_lab.folder.glob("out/partial/*"))
    seconds = rows(bad_lab.folder / "out")["P", 0].seconds
    assert seconds["total"] > seconds["tune"] > 2.2, "finished folds took no time"
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "whole").returncode == 0
    assert (
        bad_lab.mlbench("export", "out").stdout == bad_lab.mlbench("export", "whole").stdout != ""
    )


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(
    bad_lab, experiment, begun, let_through, asked
):
    experiment("P: {use: 'bad.py:Waits'}", repeats=30)
    let_through(10)
    run = bad_lab.start("run", "trial.yaml", "--out", "out")
    wait_until(lambda: len(rows_written(bad_lab)) >= 3)
    os.kill(run.pid, asked)
    _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130
    assert "the same command resumes from there" in errors
    assert "Traceback" not in errors
    wait_until(lambda: not any(map(is_alive, begun())))
    done = len(rows_written(bad_lab))
    state = json.loads(bad_lab.mlbench("status", "out", "--format", "json").stdout)
    assert (state["counts"], state["running"]) == ({"ok": done, "missing": 30 - done}, [])


def test_torn_empty_and_foreign_files_are_reported_and_never_trusted(bad_lab, experiment):
    experiment("P: {use: 'bad.py:Prior'}", repeats=4)
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "out").returncode == 0
    whole = bad_lab.mlbench("export", "out").stdout
    torn, empty, altered, _ = sorted(rows_written(bad_lab))
    torn.write_bytes(torn.read_bytes()[:-40])
    empty.write_bytes(b"")
    altered.write_text(altered.read_text().replace('"macro_f1":0', '"macro_f1":1', 1))
    bad_lab.write("out/rows/notes.txt", "a foreign file")
    bad_lab.write("out/rows/ab/also-foreign.json", "{}")

    seen = bad_lab.mlbench("status", "out")
    assert seen.stderr.count("damaged") == 3
    again = bad_lab.mlbench("run", "trial.yaml", "--out", "out")

    assert again.returncode == 0, again.stderr
    assert again.stderr.count("set aside") == 3
    assert len(list((bad_lab.folder / "out/damaged").iterdir())) == 3
    assert bad_lab.mlbench("export", "out").stdout == whole


@pytest.fixture
def small_disk(bad_lab):
    """A disk of 160 KiB, mounted at ``out``."""
    place = bad_lab.folder / "out"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small tmpfs")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_stops_the_run_and_loses_no_row(bad_lab, experiment, small_disk):
    experiment("P: {use: 'bad.py:Prior'}", repeats=40)
    full = bad_lab.mlbench("run", "trial.yaml", "--out", "out", "--jobs", "1")
    assert full.returncode == 1
    assert "No space left" in full.stderr
    assert "resumes from there" in full.stderr
    assert "Traceback" not in full.stderr
    done = len(rows_written(bad_lab))
    assert 0 < done < 40
    assert not list(small_disk.rglob("*.tmp"))

    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    rest = bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    assert rest.returncode == 0, rest.stderr
    assert f"{done} done" in rest.stderr
    assert len(rows_written(bad_lab)) == 40


def test_a_folder_that_takes_no_file_is_named_before_anything_runs(
    bad_lab, experiment, monkeypatch
):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # it would be cut off, and stay so
    experiment("P: {use: 'bad.py:Prior'}")

    def no_large_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    run = bad_lab.mlbench("run", "trial.yaml", "--out", "out", preexec_fn=no_large_files)
    assert run.returncode == 2, run.stderr
    assert "out: cannot be written" in run.stderr
    assert not (bad_lab.folder / "fits.log").exists()


def test_a_worker_that_is_stopped_is_ended_by_its_time_limit(
    bad_lab, experiment, begun, let_through
):
    experiment("P: {use: 'bad.py:Waits'}", repeats=3, more="limits: {time: 10}")
    run = bad_lab.start("run", "trial.yaml", "--out", "out", "--jobs", "1")
    wait_until(begun)
    os.kill(begun()[0], signal.SIGSTOP)
    let_through(1000)
    _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1, errors
    states = sorted(row.status for row in rows(bad_lab.folder / "out").values())
    assert states == ["ok", "ok", "timeout"]
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "out", "--retry-failed").returncode == 0


def test_two_runs_and_calls_of_pack_at_once_on_one_folder_lose_and_double_nothing(
    bad_lab, experiment
):
    experiment("P: {use: 'bad.py:Prior', pause: 0.02}", repeats=15)
    both = [bad_lab.start("run", "trial.yaml", "--out", "out", "--jobs", "1") for _ in range(2)]
    wait_until(lambda: rows_written(bad_lab))
    while any(run.poll() is None for run in both):
        assert bad_lab.mlbench("pack", "out").returncode == 0
    assert [run.wait() for run in both] == [0, 0]
    assert bad_lab.mlbench("pack", "out").stdout.endswith("15 rows in the pack\n")
    assert rows_written(bad_lab) == []
    assert bad_lab.mlbench("run", "trial.yaml", "--out", "undisturbed").returncode == 0
    assert (
        bad_lab.mlbench("export", "out").stdout
        == bad_lab.mlbench("export", "undisturbed").stdout
        != ""
    )
