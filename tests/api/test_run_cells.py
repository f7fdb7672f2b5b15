"""A run that is interrupted, and one that waits."""

from __future__ import annotations

import json
import signal
import sys
from types import SimpleNamespace

import pytest

from mlbench.api.progress import RunProgress
from mlbench.api.run_cells import Run, UnfinishedError, _tell_what_is_queued
from mlbench.executors.events import Started, Waited
from mlbench.executors.local import LocalExecutor
from mlbench.executors.slurm import QueuedArray
from mlbench.plan.giving_up import GivingUp
from mlbench.store import Scan, Store


class Interrupted:
    """Stands for an executor whose user gives up at once."""

    def run(self, cells):
        raise KeyboardInterrupt
        yield


def test_nothing_is_drawn_after_an_interrupt_was_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mlbench.api.run_cells.compile_ahead", lambda *_: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(RunProgress, "__exit__", lambda *_: print("the bar ends", file=sys.stderr))
    cell = SimpleNamespace(key="a", name="digits/A/0")
    prepared = SimpleNamespace(plan=SimpleNamespace(facts={}, cells=[]), out=tmp_path)
    run = Run(prepared, Store(tmp_path), [cell], Scan(), [cell], GivingUp([], {}, []))
    run.costs = SimpleNamespace(in_order=list, group=lambda cell: cell.key)
    with pytest.raises(UnfinishedError, match="the same command resumes") as ended:
        run.execute(Interrupted(), 1, False, sys.stderr, 90)
    assert ended.value.by_interrupt
    assert capsys.readouterr().err == "the bar ends\n"


class Begun:
    """Stands for an executor that starts a cell, while another run starts it, too."""

    def __init__(self, other):
        self.other = other

    def run(self, cells):
        self.other.write_text(
            json.dumps({"host": "node2", "pid": 7, "cells": {cells[0].name: 0.0}, "at": {}})
        )
        yield Started(cells[0])
        yield Started(cells[0])


def test_of_two_runs_that_start_at_once_one_warns(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mlbench.api.run_cells.compile_ahead", lambda *_: None)
    cell = SimpleNamespace(key="a", name="digits/A/0")
    prepared = SimpleNamespace(plan=SimpleNamespace(facts={}, cells=[]), out=tmp_path)
    run = Run(prepared, Store(tmp_path), [cell], Scan(), [cell], GivingUp([], {}, []))
    run.costs = SimpleNamespace(in_order=list, group=lambda cell: cell.key, expected=lambda _: None)
    with pytest.raises(UnfinishedError):
        run.execute(Begun(tmp_path / "running" / "node2-7.json"), 1, True, sys.stderr)
    told = capsys.readouterr().err
    assert told.count("process 7 on node2 is at work") == 1


@pytest.mark.parametrize("here", ["7", "8"])
def test_other_jobs_of_the_folder_are_named(tmp_path, monkeypatch, here):
    monkeypatch.setenv("SLURM_ARRAY_JOB_ID", here)
    arrays = [QueuedArray(job, {"pending": 3, "running": 1}, [], []) for job in ("7", "9")]
    monkeypatch.setattr("mlbench.api.run_cells.queued_arrays", lambda _: arrays)
    told = []
    _tell_what_is_queued(tmp_path, told.append)
    named = {"7": ["SLURM job 9"], "8": ["SLURM job 7", "SLURM job 9"]}
    assert [line[:11] for line in told] == named[here]
    assert all("is for this folder, too (3 pending, 1 running)" in line for line in told)


def test_that_the_queue_is_not_known_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("mlbench.api.run_cells.queued_arrays", lambda _: None)
    told = []
    _tell_what_is_queued(tmp_path, told.append)
    (line,) = told
    assert "so what is queued is not known" in line


def test_an_executor_that_waits_lets_progress_know(tmp_path, monkeypatch):
    worker = SimpleNamespace(cell=None, deadline=None)
    worker.connection = SimpleNamespace(send=lambda _: None)
    worker.process = SimpleNamespace(sentinel=None)
    monkeypatch.setattr("mlbench.executors.local.start_fork_server", lambda: None)
    monkeypatch.setattr("mlbench.executors.local.wait", lambda *_, timeout: [])
    monkeypatch.setattr(LocalExecutor, "_start_worker", lambda _: worker)
    monkeypatch.setattr(LocalExecutor, "close", lambda _: None)
    cell = SimpleNamespace(key="a", after=None, limits=SimpleNamespace(memory=None))
    events = LocalExecutor(tmp_path, [], 1).run([cell])
    assert [next(events) for _ in range(3)] == [Started(cell), Waited(), Waited()]
