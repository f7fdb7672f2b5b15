"""Job arrays from Python; nothing is submitted."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import mlbench as mb
from mlbench.errors import MlbenchError, StoreError
from mlbench.executors import slurm


def experiment(**more):
    return mb.Experiment(
        [{"use": "nam-toy", "as": "toy", "tasks": 2, "samples": 40}],
        {"kNN": "mlknn"},
        name="small",
        protocol={"splits": {"train": 0.5, "repeats": 8}},
        quick={"protocol.splits.repeats": 2},
        **more,
    )


def command(script):
    (line,) = [line for line in script.splitlines() if " -m mlbench run " in line]
    return shlex.split(line)


def test_the_script_is_that_of_the_missing_cells(tmp_path):
    planned = mb.submit(
        experiment(), out=tmp_path / "out", tasks=4, time="2 h", memory="1 GB", dry_run=True
    )
    (script,) = planned.scripts
    assert (planned.jobs, planned.n_cells) == ((), 8)
    assert "#SBATCH --array=1-4\n" in script
    assert "#SBATCH --time=0-02:00:00\n" in script
    assert str(tmp_path / "out" / "experiment.yaml") in command(script)


def refuse(arrays):
    raise MlbenchError("sbatch failed: invalid partition")


def take_some(arrays):
    raise slurm.NotAllSubmittedError("part 2 of 2 is not submitted, and job 1 is")


@pytest.mark.parametrize(
    ("submit", "is_kept"), [(refuse, True), (take_some, False)], ids=["refused", "taken in part"]
)
def test_a_refused_submission_leaves_the_plan_of_the_folder(tmp_path, monkeypatch, submit, is_kept):
    monkeypatch.setattr(slurm, "submit", submit)
    monkeypatch.setattr(slurm, "queued_arrays", lambda _: [])
    out = tmp_path / "out"
    with pytest.raises(MlbenchError):
        mb.submit(experiment(), out=out, tasks=2)
    assert (out / "plan.json").exists() is not is_kept
    mb.run(experiment(), out=out, jobs=1)
    (out / "experiment.yaml").write_bytes(b"\xff")  # nor does it matter what is in them
    names = ("plan.json", "experiment.yaml")
    before = [(out / name).read_bytes() for name in names]
    with pytest.raises(MlbenchError):
        mb.submit(experiment(), out=out, tasks=2, settings=["protocol.splits.repeats=9"])
    assert ([(out / name).read_bytes() for name in names] == before) is is_kept


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file/out: cannot be written: Not a directory; choose"):
        mb.submit(experiment(), out=tmp_path / "file" / "out", tasks=4, dry_run=True)


def test_a_file_is_run_with_its_options(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(
        "name: small\ndatasets: [{use: nam-toy, as: toy, tasks: 2, samples: 40}]\n"
        "methods: {kNN: mlknn}\nquick: {protocol.splits.repeats: 2}\n"
    )
    planned = mb.submit(
        path, out=tmp_path / "out", settings=["threads=1"], quick=True, dry_run=True
    )
    assert planned.n_cells == 2
    (script,) = planned.scripts
    words = command(script)
    text = json.loads(Path(words[words.index("--plan") + 1]).read_text())["experiment"]
    assert "\nthreads: 1\n" in text
    assert "name: small-quick\n" in text


@pytest.mark.parametrize(
    ("cpus", "memory", "warning"),
    [
        (1, "1 GB", "a task has 1000 MB, and limits.memory may take 2000 MB"),
        (2, "3 GB", "a task has 3000 MB, and 2 workers with limits.memory may take 4000 MB"),
        (2, "4 GB", ""),
        (1, "0", ""),
        (1, None, ""),
    ],
)
def test_limits_of_cells_above_the_memory_of_a_task_are_told(
    tmp_path, capsys, cpus, memory, warning
):
    limited = experiment(limits={"memory": "2 GB"})
    mb.submit(limited, out=tmp_path / "out", cpus=cpus, memory=memory, dry_run=True)
    told = capsys.readouterr().err
    assert warning in told
    assert ("limits.memory" in told) == bool(warning)


@pytest.mark.parametrize(
    ("time", "warning"),
    [
        ("1 h", "a task has 60 min, and limits.time lets a cell take 2.0 h"),
        ("2 h", ""),
        (None, ""),
    ],
)
def test_limits_of_cells_above_the_time_of_a_task_are_told(tmp_path, capsys, time, warning):
    limited = experiment(limits={"time": "2 h"})
    mb.submit(limited, out=tmp_path / "out", time=time, dry_run=True)
    told = capsys.readouterr().err
    assert warning in told
    assert ("limits.time" in told) == bool(warning)


@pytest.mark.parametrize(("time", "is_short"), [("9 min", True), ("10 min", False)])
def test_a_task_so_short_that_much_of_it_is_lost_is_told(tmp_path, capsys, time, is_short):
    mb.submit(experiment(), out=tmp_path / "out", time=time, dry_run=True)
    assert (
        "warning: a task has 9 min: if its cells take longer" in capsys.readouterr().err
    ) == is_short


def test_a_limit_that_is_no_time_is_refused(tmp_path):
    with pytest.raises(MlbenchError, match="4 hurs"):
        mb.submit(experiment(), out=tmp_path / "out", time="4 hurs", dry_run=True)


@pytest.mark.parametrize(
    ("jobs", "told"),
    [(["7"], "job 7 for .*out is in the queue"), (["7", "12"], "jobs 7, 12 for .*out are in the")],
)
def test_jobs_of_the_folder_in_the_queue_refuse_a_second_submission(
    tmp_path, monkeypatch, jobs, told
):
    queued = [slurm.QueuedArray(job, {"pending": 1}, []) for job in jobs]
    monkeypatch.setattr(slurm, "queued_arrays", lambda out: queued)
    with pytest.raises(MlbenchError, match=told) as refused:
        mb.submit(experiment(), out=tmp_path / "out", tasks=4)
    assert f"scancel {' '.join(jobs)}" in str(refused.value)
    assert not (tmp_path / "out" / "plan.json").exists()


def test_where_the_queue_is_not_known_a_submission_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(slurm, "queued_arrays", lambda out: None)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(MlbenchError, match=r"what is queued is not known, and a second submission"):
        mb.submit(experiment(), out=tmp_path / "out", tasks=4)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(MlbenchError, match=r"sbatch is not installed .* with --dry-run"):
        mb.submit(experiment(), out=tmp_path / "out", tasks=4)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tasks": 0}, "tasks is 0; it must be a whole number from 1"),
        ({"tasks": "4"}, "tasks is '4'; it must be a whole number from 1"),
        ({"tasks": 20_000}, "tasks is 20000; at most 10000 are allowed"),
        ({"cpus": 0}, "cpus is 0"),
        ({"at_once": 0}, "at_once is 0"),
        ({"max_array_size": 1}, "max_array_size is 1; it must be a whole number from 2"),
        ({"time": 90}, "a time is written '90 min', .* not 90"),
    ],
)
def test_numbers_that_slurm_would_not_take_are_refused(tmp_path, wrong, words):
    with pytest.raises(MlbenchError, match=words):
        mb.submit(experiment(), out=tmp_path / "out", dry_run=True, **wrong)
