"""Job arrays from Python; nothing is submitted."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import mlbench as mb
from mlbench.errors import MlbenchError


def experiment():
    return mb.Experiment(
        [{"use": "nam-toy", "as": "toy", "tasks": 2, "samples": 40}],
        {"kNN": "mlknn"},
        name="small",
        protocol={"splits": {"train": 0.5, "repeats": 8}},
        quick={"protocol.splits.repeats": 2},
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


def test_a_limit_that_is_no_time_is_refused(tmp_path):
    with pytest.raises(MlbenchError, match="4 hurs"):
        mb.submit(experiment(), out=tmp_path / "out", time="4 hurs", dry_run=True)
