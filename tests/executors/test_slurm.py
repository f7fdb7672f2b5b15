from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.errors import MlbenchError
from mlbench.executors.slurm import JobArray, format_ranges, queued_arrays, submit


def array(**changes):
    values = {
        "name": "trial",
        "command": ["python", "-m", "mlbench", "run", "my trial.yaml"],
        "folder": Path("/home/me"),
        "out": Path("/shared/out"),
        "parts": 4,
        "tasks": [1, 2, 4],
    }
    return JobArray(**{**values, **changes})


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


def catches(process, sign):
    status = Path(f"/proc/{process}/status").read_text()
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (sign - 1) & 1)


def waits(process):
    """Tell whether it sleeps: a script that has passed a signal on waits for its run again."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "S"


TELLS = (
    "trap 'code={code}; touch told' {name}; touch ready; "
    "while [ ! -e go ]; do sleep 0.01; done; exit $code"
)
"""A run that says when it was told to end, and ends when it may."""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc of Linux")
@pytest.mark.parametrize(
    ("run", "sign", "code"),
    [
        ("exit 3", None, 3),
        ("kill -9 $$", None, 137),
        (TELLS.format(code=75, name="USR1"), signal.SIGUSR1, 75),
        (TELLS.format(code=130, name="TERM"), signal.SIGTERM, 130),
        (TELLS.format(code=0, name="USR1"), signal.SIGUSR1, 0),
    ],
)
def test_the_script_ends_as_its_run_does_and_hands_signals_on(tmp_path, run, sign, code):
    script = array(command=["bash", "-c", run, "run"], folder=tmp_path).script()
    environment = {**os.environ, "SLURM_ARRAY_TASK_ID": "1", "SLURM_RESTART_COUNT": "99"}
    task = subprocess.Popen(["bash", "-c", script], env=environment, stderr=subprocess.DEVNULL)
    if sign is not None:
        while not ((tmp_path / "ready").exists() and catches(task.pid, signal.SIGTERM)):
            time.sleep(0.01)
        task.send_signal(sign)
        while not ((tmp_path / "told").exists() and waits(task.pid)):
            time.sleep(0.01)
        (tmp_path / "go").touch()
    assert task.wait(60) == code


def test_a_short_limit_has_a_short_warning():
    assert array(seconds=60.0).warning == 15


@pytest.mark.parametrize("option", ["account=lab", "-", ""])
def test_what_is_no_option_is_refused(option):
    with pytest.raises(MlbenchError, match="not an sbatch option"):
        array(extra=[option]).script()


@pytest.mark.parametrize(
    "changes",
    [{"extra": ["--wrap=x\nrm -r /"]}, {"name": "a\nb"}, {"out": Path("/a\rb")}],
    ids=["option", "name", "folder"],
)
def test_an_option_on_two_lines_is_refused(changes):
    with pytest.raises(MlbenchError, match="must be on one line"):
        array(**changes).script()


def test_a_folder_that_slurm_cannot_write_logs_to_is_refused():
    with pytest.raises(MlbenchError, match="backslash in its path"):
        array(out=Path("/a\\b")).script()


texts = st.text(st.sampled_from("a0é \t'\"\\$`#%!*;&|(){}<>~=-"), min_size=1)


@given(texts, texts, texts, texts)
def test_names_with_quotes_blanks_and_signs_are_quoted(name, partition, comment, folder):
    made = array(
        name=name,
        partition=partition,
        extra=[f"--comment={comment}"],
        out=Path("/", folder.replace("\\", "")),
    )
    lines = [line for line in made.script().splitlines() if line.startswith("#SBATCH")]
    words = [word for line in lines for word in shlex.split(line)[1:]]
    assert len(words) == len(lines)
    assert f"--job-name=mlbench-{name}" in words
    assert f"--partition={partition}" in words
    assert f"--comment={comment}" in words
    assert f"--output={str(made.out).replace('%', '%%')}/slurm/%A_%a.log" in words


@pytest.mark.slow
def test_the_run_command_reaches_its_program_word_by_word(tmp_path):
    folder = tmp_path / 'it\'s $HOME "here"'
    folder.mkdir()
    words = ["it's", '"two words"', "$HOME `date`", "a\nb", "\\", "*", ""]
    script = array(command=["printf", "%s\\0", *words], folder=folder).script()
    environment = {**os.environ, "SLURM_ARRAY_TASK_ID": "2"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, check=True)
    given = done.stdout.decode().split("\0")[:-1]
    assert given == [*words, "--grace-period", "90", "--shard", "2/4"]


@given(st.lists(st.integers(1, 60), min_size=1))
def test_ranges_list_each_number_once(numbers):
    found = []
    for part in format_ranges(numbers).split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    assert found == sorted(set(numbers))


def test_without_slurm_there_is_a_clear_error_and_an_empty_queue(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MlbenchError, match="sbatch is not installed on this machine"):
        submit(array(out=tmp_path))
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm" / "7.json").write_text("{}")
    assert queued_arrays(tmp_path) == []
