from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.errors import MlbenchError
from mlbench.executors.slurm import Array, queued_tasks, ranges, submit


def array(**changes):
    values = {
        "name": "trial",
        "command": ["python", "-m", "mlbench", "run", "my trial.yaml"],
        "folder": Path("/home/me"),
        "out": Path("/shared/out"),
        "parts": 4,
        "tasks": [1, 2, 4],
    }
    return Array(**{**values, **changes})


def test_the_script_says_what_is_asked_for():
    made = array(seconds=5400.0, megabytes=4294.967296, partition="fast", extra=["--account=lab"])
    lines = made.script().splitlines()
    assert lines[0] == "#!/bin/bash"
    for line in (
        "#SBATCH --array=1-2,4",
        "#SBATCH --time=0-01:30:00",
        "#SBATCH --mem=4096M",
        "#SBATCH --partition=fast",
        "#SBATCH --account=lab",
        "#SBATCH --signal=B:USR1@120",
    ):
        assert line in lines
    assert any("'my trial.yaml'" in line and '"$SLURM_ARRAY_TASK_ID/4"' in line for line in lines)


def test_a_short_limit_has_a_short_warning():
    assert array(seconds=60.0).warning == 15


@pytest.mark.parametrize("option", ["account=lab", "--wrap=x\nrm -r /", "-", ""])
def test_what_is_no_option_is_refused(option):
    with pytest.raises(MlbenchError, match="not an option of sbatch"):
        array(extra=[option]).script()


@given(st.lists(st.integers(1, 60), min_size=1))
def test_ranges_list_each_number_once(numbers):
    found = []
    for part in ranges(numbers).split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    assert found == sorted(set(numbers))


def test_without_slurm_there_is_a_clear_error_and_an_empty_queue(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MlbenchError, match="there is no sbatch on this machine"):
        submit(array(out=tmp_path))
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm" / "7.json").write_text("{}")
    assert queued_tasks(tmp_path) == []
