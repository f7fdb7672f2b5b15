"""Arrays on a real SLURM: what is submitted, and what survives jobs that are killed."""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager

import pytest

from tests.processes import wait_until

LIMITS = ("--time", "5 h", "--mem", "500 MB")


def submit(lab, *words):
    done = lab.mlbench("submit", "trial.yaml", "--out", "out", *words)
    assert done.returncode == 0, done.stderr
    return re.search(r"as job ([0-9]+)", done.stderr)[1]


def rows(lab):
    found = [json.loads(path.read_text())["row"] for path in lab.folder.glob("out/rows/*/*.json")]
    assert len({row["key"] for row in found}) == len(found)
    return found


def begun(lab):
    """Return the processes in which fits have begun, in that order."""
    log = lab.folder / "fits.log"
    return [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []


def assert_like_a_local_run(lab):
    assert lab.mlbench("run", "trial.yaml", "--out", "local", "--jobs", "2").returncode == 0
    local = lab.mlbench("export", "local", "--what", "scores").stdout
    assert "my.py:share" in local
    assert lab.mlbench("export", "out", "--what", "scores").stdout == local


def test_an_array_fills_the_folder_with_the_numbers_of_a_local_run(slurm, slurm_lab):
    slurm_lab.experiment(repeats=4)
    slurm_lab.let_through(1000)
    job = submit(slurm_lab, "--tasks", "2", *LIMITS)
    slurm.wait_for_end(job)
    assert len(rows(slurm_lab)) == 4
    assert_like_a_local_run(slurm_lab)
    again = slurm_lab.mlbench("submit", "trial.yaml", "--out", "out", "--tasks", "2")
    assert again.stdout.startswith("nothing is missing")


def test_a_killed_job_loses_nothing_and_only_what_is_missing_is_submitted_again(slurm, slurm_lab):
    slurm_lab.experiment(repeats=16)
    slurm_lab.let_through(6)
    job = submit(slurm_lab, "--tasks", "2", *LIMITS)
    wait_until(lambda: len(begun(slurm_lab)) == 8)  # six are let through, one of each task waits
    wait_until(lambda: len(rows(slurm_lab)) == 6)
    slurm("scancel", "--signal=KILL", "--full", f"{job}_1")
    wait_until(lambda: len(slurm.states(job)) == 1)
    slurm_lab.let_through(1000)
    slurm.wait_for_end(job)
    there = {row["key"]: row for row in rows(slurm_lab)}
    assert 6 <= len(there) < 16
    script = slurm_lab.mlbench("submit", "trial.yaml", "--out", "out", "--tasks", "2", "--dry-run")
    assert "#SBATCH --array=1\n" in script.stdout
    second = submit(slurm_lab, "--tasks", "2", *LIMITS)
    slurm.wait_for_end(second)
    now = {row["key"]: row for row in rows(slurm_lab)}
    assert len(now) == 16
    assert all(now[key] == row for key, row in there.items())
    assert_like_a_local_run(slurm_lab)


@contextmanager
def drained(slurm):
    """Keep the node from starting tasks."""
    node = slurm("sinfo", "--noheader", "--format=%n")
    slurm("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    try:
        yield
    finally:
        slurm("scontrol", "update", f"nodename={node}", "state=resume")


def test_tasks_wait_while_their_node_is_drained(slurm, slurm_lab):
    slurm_lab.experiment(repeats=4)
    slurm_lab.let_through(1000)
    with drained(slurm):
        job = submit(slurm_lab, "--tasks", "2", *LIMITS)
        wait_until(lambda: slurm.states(job) == ["PENDING"] * 2)
        time.sleep(1)
        status = slurm_lab.mlbench("status", "out", "--format", "json").stdout
        (queued,) = json.loads(status)["queued"]
        assert (queued["job"], queued["states"]) == (job, {"pending": 2})
        assert rows(slurm_lab) == []
        second = slurm_lab.mlbench("submit", "trial.yaml", "--out", "out", "--tasks", "2")
        assert second.returncode == 2
        assert f"scancel {job}" in second.stderr
    slurm.wait_for_end(job)
    assert len(rows(slurm_lab)) == 4


def test_a_script_that_somebody_gave_to_sbatch_is_seen(slurm, slurm_lab):
    slurm_lab.experiment(repeats=2)
    slurm_lab.let_through(1000)
    words = ("submit", "trial.yaml", "--out", "out", "--tasks", "1")
    slurm_lab.write("by-hand.sh", slurm_lab.mlbench(*words, "--dry-run").stdout)
    with drained(slurm):
        job = slurm("sbatch", "--parsable", str(slurm_lab.folder / "by-hand.sh"))
        wait_until(lambda: slurm.states(job) == ["PENDING"])
        said = slurm_lab.mlbench("status", "out")
        assert said.returncode == 0, said.stderr
        assert f"out: no cell has run here yet\nSLURM job {job}: 1 pending" in said.stdout
        second = slurm_lab.mlbench(*words)
        assert second.returncode == 2
        assert f"scancel {job}" in second.stderr
    slurm.wait_for_end(job)
    assert len(rows(slurm_lab)) == 2


def test_a_task_that_is_told_of_its_limit_ends_cleanly_and_is_queued_again(slurm, slurm_lab):
    slurm_lab.experiment(repeats=60)
    slurm_lab.let_through(2)
    job = submit(slurm_lab, "--tasks", "1", *LIMITS)
    wait_until(lambda: len(rows(slurm_lab)) == 2)
    slurm("scancel", "--batch", "--signal=USR1", f"{job}_1")
    log = slurm_lab.folder / "out" / "slurm" / f"{job}_1.log"
    for fits in range(3, 60):  # the signal is under way while cells end one after another
        slurm_lab.let_through(fits)
        time.sleep(1)
        if "stopped on request" in log.read_text():
            break
    wait_until(lambda: "BeginTime" in slurm("squeue", "--me", "--format=%r"))
    wait_until(lambda: not slurm.scripts())
    slurm_lab.let_through(1000)
    time.sleep(2)  # until SLURM has taken note of the script's end
    slurm("scontrol", "update", f"jobid={job}", "starttime=now")  # it would wait two minutes
    wait_until(lambda: len(rows(slurm_lab)) == 60)
    slurm.wait_for_end(job)
    assert len(begun(slurm_lab)) == 60
    assert_like_a_local_run(slurm_lab)


def test_parts_of_an_array_run_one_after_another_after_their_setup(slurm, slurm_lab):
    slurm_lab.experiment(repeats=16)
    slurm_lab.let_through(0)
    setup = ("--setup", "echo set up as $SLURM_JOB_NAME")
    words = ("--tasks", "5", "--max-array-size", "4", "--at-once", "1", *setup)
    limits = ("--time", "0-5:00", "--mem", "500M")
    done = slurm_lab.mlbench("submit", "trial.yaml", "--out", "out", *words, *limits)
    assert done.returncode == 0, done.stderr
    jobs = re.search(r"as jobs ([0-9]+), ([0-9]+)\n", done.stderr).groups()
    wait_until(lambda: sorted(slurm.states(jobs[0])) == ["PENDING", "PENDING", "RUNNING"])
    wait_until(lambda: len(begun(slurm_lab)) == 1)
    assert slurm.states(jobs[1]) == ["PENDING"] * 2
    assert slurm("squeue", "--me", "--noheader", f"--job={jobs[1]}", "--format=%r") == "Dependency"
    slurm_lab.let_through(1000)
    for job in jobs:
        slurm.wait_for_end(job)
    logs = sorted((slurm_lab.folder / "out" / "slurm").glob("*.log"))
    shards = [re.search("^shard ([0-9]+/5): ", log.read_text(), re.MULTILINE)[1] for log in logs]
    assert sorted(shards) == [f"{number}/5" for number in range(1, 6)]
    assert all(log.read_text().startswith("set up as mlbench-trial-") for log in logs)
    assert_like_a_local_run(slurm_lab)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--time", "soon"), "a time is written '90 min', or as SLURM does"),
        (("--mem", "8"), "below 256 MB"),
        (("--extra", "account=lab"), "not an sbatch option"),
        (("--setup", "echo 'a"), "not a setup line"),
        (("--at-once", "0"), "0 is not in the range"),
        (("--partition", "nowhere"), "sbatch failed"),
    ],
)
def test_what_sbatch_would_not_take(slurm_lab, words, message):
    slurm_lab.experiment(repeats=2)
    done = slurm_lab.mlbench("submit", "trial.yaml", "--out", "out", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
