from __future__ import annotations

import pytest

from mlbench.executors.slurm import JobArray, QueuedArray, submit
from mlbench.executors.slurm_logs import NOT_BEGUN, ended_tasks

pytestmark = pytest.mark.usefixtures("fake_slurm")


def submitted(out, parts, tasks, max_array_size=1001):
    """Submit tasks of ``parts`` shards; the first job has the number 101."""
    array = JobArray("trial", ["true"], out.parent, out, parts, tasks)
    submit(array.in_parts(max_array_size))


def test_tasks_that_ended_with_an_error_are_found_unless_they_ran_again(tmp_path):
    out = tmp_path / "out"
    submitted(out, parts=12, tasks=range(1, 13), max_array_size=11)
    logs = out / "slurm"
    for name, text in {
        "101_1": "shard 1/12: 2 cells ok",
        "101_2": "ran\nerror: no data",
        "102_2": "error: no data",
    }.items():
        (logs / f"{name}.log").write_text(text + "\n")
    assert ended_tasks(out, None) == {
        "with error: no data": [logs / "101_2.log", logs / "102_2.log"]
    }
    submitted(out, parts=5, tasks=[2])  # of all that was left, in fewer parts
    assert ended_tasks(out, None) == {}
    assert ended_tasks(tmp_path, None) == {}


STOPPED = "stopped on request: {} of 7 cells to run were finished; all finished cells are kept"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (
            "*** JOB 72 ON vm CANCELLED AT 2026-11-29T21:20:00 DUE TO TIME LIMIT ***",
            "by SLURM, due to time limit",
        ),
        ("slurmstepd: error: *** JOB 73 ON vm CANCELLED AT 2026-11-29T21:20:00 ***", "by scancel"),
        (
            "slurm_script: line 15: 4242 Killed   python -m mlbench run a.yaml",
            "by a kill; the usual",
        ),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch", "for want of memory"),
        (f"{STOPPED.format(0)}\n{STOPPED.format(0)}", "twice or more before a cell had finished"),
        (f"{STOPPED.format(0)}\n{STOPPED.format(2)}", ""),
        (STOPPED.format(0), ""),
        (f"a/B/0: error\n\nstopped: {STOPPED[20:]}", "when a signal told it to stop"),
        ("a/B/0: error\nshard 1/2: 3 cells ok, 1 failed", ""),
        (
            "error: *** JOB 73 ON vm CANCELLED AT 2026-11-29T21:20:00 ***\n"
            f"stopped: {STOPPED[20:]}\nshard 1/2: 4 cells ok",
            "",
        ),
        (
            "/spool/job7/slurm_script: line 17: /venv/bin/python3: No such file or directory",
            "with /venv/bin/python3: No such file or directory",
        ),
        ("/venv/bin/python3: No module named mlbench", "with No module named mlbench"),
        (
            "error: a/my lab.yaml:7:9: no file own.py\na/my lab.yaml:8:9: no file b.py",
            "with error: a/my lab.yaml:7:9: no file own.py and 1 error more",
        ),
        (
            "error: an earlier one\nslurmstepd: error: Detected 1 oom_kill event",
            "for want of memory",
        ),
        ("Error: Invalid value for '--plan': it is gone", "with Error: Invalid value for '--plan'"),
        ("Traceback\nModuleNotFoundError: No module named 'x'", "with ModuleNotFoundError: No mo"),
    ],
)
@pytest.mark.parametrize("parts", [1, 2])
def test_how_a_task_ended_is_read_from_its_log(tmp_path, text, end, parts):
    submitted(tmp_path / "out", parts=parts, tasks=[1])
    log = tmp_path / "out" / "slurm" / "101_1.log"
    log.write_text(f"{text}\n")
    found = ended_tasks(tmp_path / "out", None)
    assert [(words[: len(end)], logs) for words, logs in found.items()] == [(end, [log])] * bool(
        end
    )


@pytest.mark.parametrize("text", ["a/B/0: error", "what a setup line says", ""])
@pytest.mark.parametrize("parts", [1, 2])
def test_a_task_without_a_last_word_has_ended_if_it_is_known_not_to_run(tmp_path, text, parts):
    out = tmp_path / "out"
    submitted(out, parts=parts, tasks=[1])
    log = out / "slurm" / "101_1.log"
    log.write_text(f"{text}\n")
    ((end, logs),) = ended_tasks(out, []).items()
    assert (end[:49], logs) == ("early: where the end of the log does not say why,", [log])
    assert ended_tasks(out, [QueuedArray("101", {"running": 1}, [], tasks=[1])]) == {}
    assert ended_tasks(out, None) == {}


def test_tasks_of_a_printed_script_are_told_too(tmp_path):
    out = tmp_path / "out"
    logs = [out / "slurm" / f"{name}.log" for name in ("98_1", "99_1", "99_2", "102_1", "102_2")]
    (out / "slurm").mkdir(parents=True)
    for log in logs:
        log.write_text("error: no data\n")
    (end,) = ended_tasks(out, None).items()
    assert end == ("with error: no data", logs[3:])
    again = [QueuedArray("102", {"running": 1}, [], tasks=[2])]
    assert ended_tasks(out, again) == {end[0]: logs[3:4]}
    submitted(out, parts=2, tasks=[1, 2])  # 101, before 102
    assert ended_tasks(out, None) == {end[0]: logs[3:]}
    logs[3].write_text("shard 1/2: 2 cells ok\n")
    assert ended_tasks(out, None) == {end[0]: logs[4:]}


def test_a_task_that_stopped_is_told_once_it_is_known_not_to_be_queued_again(tmp_path):
    out = tmp_path / "out"
    submitted(out, parts=2, tasks=[1])
    log = out / "slurm" / "101_1.log"
    log.write_text(STOPPED.format(2) + "\n")
    assert ended_tasks(out, None) == {}
    assert ended_tasks(out, [QueuedArray("101", {"pending": 1}, ["BeginTime"], tasks=[1])]) == {}
    ((end, logs),) = ended_tasks(out, []).items()
    assert (end[:38], logs) == ("when stopped on request, and not queue", [log])


def test_a_task_that_was_canceled_while_it_waited_never_began(tmp_path):
    out = tmp_path / "out"
    submitted(out, parts=3, tasks=[1, 2, 3])
    (out / "slurm" / "101_1.log").write_text("shard 1/3: 2 cells ok\n")
    rest = [QueuedArray("101", {"pending": 1}, [], tasks=[2])]
    assert ended_tasks(out, rest) == {NOT_BEGUN: [out / "slurm" / "101_3.log"]}
    assert ended_tasks(out, None) == {}


def test_a_task_that_is_queued_again_has_not_ended(tmp_path):
    out = tmp_path / "out"
    submitted(out, parts=2, tasks=[1, 2])
    logs = [out / "slurm" / f"101_{task}.log" for task in (1, 2)]
    for log in logs:
        log.write_text("slurmstepd: error: *** JOB 1 ON vm CANCELLED AT 2026-11-29T21:20:00 ***\n")
    again = [QueuedArray("101", {"pending": 1}, [], tasks=[2])]
    assert ended_tasks(out, again) == {"by scancel": logs[:1]}
    logs[1].write_text(f"{STOPPED.format(0)}\n" * 2)
    slow = "twice or more before a cell had finished: ask for more time, see --time"
    assert ended_tasks(out, again) == {"by scancel": logs[:1], slow: logs[1:]}
