"""Methods that fail on each split are given up, and run again where nothing gives them up."""

from __future__ import annotations

import json
import re

import pytest

FAILS = """
import os
from pathlib import Path

from bad import Prior


class Fails(Prior):
    def fit(self, X, Y):
        super().fit(X, Y)
        if not (Path(os.environ["LAB"]) / "mended").exists():
            raise ArithmeticError("no such root")
        return self
"""
REPEATS = 8
LIMIT = "limits: {failures: 3}"


@pytest.fixture
def failing(bad_lab, experiment):
    bad_lab.write("fails.py", FAILS)
    experiment("A: {use: 'fails.py:Fails'}", "B: {use: mlknn}", repeats=REPEATS, more=LIMIT)
    return bad_lab


def counts(lab, out="out"):
    return json.loads(lab.mlbench("status", out, "--format", "json").stdout)["counts"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_rest_is_given_up_and_said_so_once(failing, jobs):
    run = failing.mlbench("run", "trial.yaml", "--out", "out", "--jobs", jobs)
    assert run.returncode == 1
    found = counts(failing)
    assert found["ok"] == REPEATS
    most = 3 if jobs == "1" else 6  # one is at split 2 while the other fails on 3, 4 and 5
    assert 3 <= found["error"] <= most
    assert found["error"] + found["given up"] == REPEATS
    said = re.findall(r"toy/A, the rest: given up: not run after \d failures", run.stderr)
    assert len(said) == 1
    status = failing.mlbench("status", "out").stdout
    pattern = r"given up: not run after (\d) failures \(\1 errors\); `limits.failures` is 3"
    assert re.search(pattern, status)
    report = failing.mlbench("report", "out")
    assert report.returncode == 1
    assert f"{found['given up']} given up" in report.stdout + report.stderr
    why = ("why", "trial.yaml", f"toy/A/{REPEATS - 1}", "--out", "out")
    assert "status given up" in failing.mlbench(*why).stdout
    assert "it would not run again" in failing.mlbench(*why).stdout
    # of two workers, one may still fail while the other gives up
    told = re.search(r"given up: not run after (\d) failures", failing.mlbench(*why).stdout)
    assert told
    assert 3 <= int(told[1]) <= found["error"]
    assert (
        "`mlbench run --retry-failed` runs all failed cells again" in failing.mlbench(*why).stdout
    )
    assert "the first failure, of toy/A/0: error: ArithmeticError: no such root" in (
        failing.mlbench(*why).stdout
    )
    assert "so does a higher `limits.failures`" in failing.mlbench(*why).stdout
    assert "it would run again" in failing.mlbench(*why, "--set", "limits.failures=9").stdout
    again = failing.mlbench("run", "trial.yaml", "--out", "out")
    assert "16 done, 0 to run" in again.stderr
    exported = failing.mlbench("export", "out", "--folder", "exported")
    assert exported.returncode == 0, exported.stderr
    assert failing.mlbench("report", "exported").stdout == report.stdout


def test_without_the_limit_or_mended_all_cells_run(failing):
    failing.mlbench("run", "trial.yaml", "--out", "out", "--jobs", "1")
    failing.write("mended", "")
    words = ("run", "trial.yaml", "--out", "out")
    free = failing.mlbench(*words, "--set", "limits.failures=null")
    assert "11 done, 5 to run" in free.stderr
    assert counts(failing) == {"error": 3, "ok": 13}
    mended = failing.mlbench(*words, "--retry-failed")
    assert mended.returncode == 0, mended.stderr
    assert counts(failing) == {"ok": 16}


def test_cells_that_are_added_are_given_up_at_once(failing):
    failing.mlbench("run", "trial.yaml", "--out", "out", "--jobs", "1")
    more = ("--set", "protocol.splits.repeats=10", "--method", "A")
    run = failing.mlbench("run", "trial.yaml", "--out", "out", *more)
    assert "10 cells, 8 done, 2 to run" in run.stderr
    fits = (failing.folder / "fits.log").read_text().splitlines()
    assert len(fits) == 3


def test_shards_on_one_folder_count_together(failing):
    for number in range(1, 5):
        failing.mlbench("run", "trial.yaml", "--out", "out", "--shard", f"{number}/4", "-j", "1")
    assert counts(failing)["given up"] >= 1


def test_dask_gives_up_too(failing):
    pytest.importorskip("distributed")
    words = ("--executor", "dask", "--jobs", "1")
    failing.mlbench("run", "trial.yaml", "--out", "out", *words)
    assert counts(failing) == {"error": 3, "given up": 5, "ok": 8}


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("0", "limits.failures: must be greater than or equal to 1"),
        ("1.5", "limits.failures: must be"),
        ("three", "limits.failures: must be"),
        ("true", "limits.failures: must be"),
        ("-1", "limits.failures: must be greater than or equal to 1"),
    ],
)
def test_wrong_limits(failing, experiment, limit, message):
    experiment("B: {use: mlknn}", more=f"limits: {{failures: {limit}}}")
    run = failing.mlbench("run", "trial.yaml")
    assert run.returncode == 2
    assert message in run.stderr
