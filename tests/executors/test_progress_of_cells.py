"""How far a running cell is reaches the run, and `mlbench status` beside it."""

from __future__ import annotations

import os

import pytest

from mlbench.executors.shared_text import SharedText
from tests.processes import wait_until

TUNED = "W: {use: 'bad.py:Waits', tune: {pause: [0, 0.001]}}"


@pytest.mark.parametrize("words", [(), ("--quiet",)])
def test_status_tells_the_fold_and_the_run_writes_no_more_lines(
    bad_lab, experiment, let_through, words
):
    experiment(TUNED, repeats=1, more="")
    setting = ("--set", "protocol.tuning.folds=3")
    run = bad_lab.start("run", "trial.yaml", "--out", "out", *setting, *words)
    let_through(2)
    status = ""

    def is_told():
        nonlocal status
        status = bad_lab.mlbench("status", "out").stdout
        return "toy/W/0" in status and "fold" in status

    wait_until(is_told)
    assert "fold 2 of 3, candidate 1 of 2" in status
    let_through(99)
    _, errors = run.communicate()
    assert run.returncode == 0, errors
    assert "fold" not in errors
    assert "fold" not in bad_lab.mlbench("status", "out").stdout


def test_a_text_that_is_being_written_is_not_read():
    text = SharedText()
    text.write("fold 1 of 5")
    assert text.read() == "fold 1 of 5"
    text._memory[:11] = b"fold 2 of 5"  # the first half of a write
    assert text.read() == "fold 1 of 5"
    text.write("fold 2 of 5")
    assert text.read() == "fold 2 of 5"
    text.write("x" * 999)
    assert text.read() == "x" * 256


def test_of_two_processes_the_first_writes():
    text = SharedText()
    text.write("ours")
    if (child := os.fork()) == 0:
        text.write("theirs")
        os._exit(0)
    os.waitpid(child, 0)
    assert text.read() == "ours"


def test_what_another_process_writes_is_read():
    text = SharedText()
    if (child := os.fork()) == 0:
        text.write("theirs")
        os._exit(0)
    os.waitpid(child, 0)
    assert text.read() == "theirs"
