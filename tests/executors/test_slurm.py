from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.errors import MlbenchError
from mlbench.executors.slurm import (
    JobArray,
    QueuedArray,
    format_ranges,
    max_array_size,
    queued_arrays,
    submit,
    why_unknown,
)


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
        ("kill -USR1 $$", None, 75),  # it was told before it could listen
        (TELLS.format(code=75, name="USR1"), signal.SIGUSR1, 75),
        (TELLS.format(code=130, name="TERM"), signal.SIGTERM, 130),
        (TELLS.format(code=0, name="USR1"), signal.SIGUSR1, 0),
    ],
)
def test_the_script_ends_as_its_run_does_and_hands_signals_on(tmp_path, run, sign, code):
    strict = "set -euo pipefail"  # a setup line's own settings end with the setup
    script = array(command=["bash", "-c", run, "run"], folder=tmp_path, setup=[strict]).script()
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


@pytest.mark.parametrize("option", ["account=lab", "-", "", "--account lab"])
def test_what_is_no_option_is_refused(option):
    with pytest.raises(MlbenchError, match="not an sbatch option"):
        array(extra=[option]).script()


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--array=1-1", "see --tasks and --at-once"),
        ("--time 5", 'write --time "4 h"'),
        ("-t5", 'write --time "4 h"'),
        ("--mem=4G", "write --mem"),
        ("-p fast", "write --partition"),
        ("--signal=TERM@10", "mlbench submit sets it"),
    ],
)
def test_an_option_that_the_script_has_is_refused(option, words):
    with pytest.raises(MlbenchError, match=words):
        array(extra=[option]).script()


def test_options_of_like_names_are_passed_on():
    script = array(extra=["--mem-per-cpu=1G", "--time-min=5", "-A lab"]).script()
    assert "#SBATCH --mem-per-cpu=1G\n#SBATCH --time-min=5\n#SBATCH -Alab\n" in script


@pytest.mark.parametrize(
    "changes",
    [{"extra": ["--wrap=x\nrm -r /"]}, {"name": "a\nb"}, {"out": Path("/a\rb")}],
    ids=["option", "name", "folder"],
)
def test_an_option_on_two_lines_is_refused(changes):
    with pytest.raises(MlbenchError, match="must be on one line"):
        array(**changes).script()


def test_an_array_longer_than_slurm_allows_comes_in_parts():
    parts = array(parts=30, tasks=[1, 2, 9, 10, 19, 28, 30], at_once=4).in_parts(10)
    scripts = [part.script().splitlines() for part in parts]
    assert [line for script in scripts for line in script if "--array" in line] == [
        "#SBATCH --array=1-2,9%4",
        "#SBATCH --array=1%4",
        "#SBATCH --array=1%4",
        "#SBATCH --array=1,3%4",
    ]
    assert [part.offset for part in parts] == [0, 9, 18, 27]


@pytest.mark.slow
@given(shards=st.sets(st.integers(1, 50), min_size=1), size=st.integers(2, 60))
@settings(max_examples=15, deadline=None)
def test_each_shard_is_run_by_one_task_whose_number_slurm_allows(shards, size):
    found = []
    made = array(command=["echo"], folder=Path("/"), parts=50, tasks=sorted(shards))
    for part in made.in_parts(size):
        for shard in part.tasks:
            task = shard - part.offset
            assert 1 <= task < size
            environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(task)}
            done = subprocess.run(
                ["bash", "-c", part.script().replace("sleep 1", "sleep 0.01")],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            found.append(done.stdout.split()[-1])
    assert found == [f"{shard}/50" for shard in sorted(shards)]


def run_script(made, **environment):
    environment = {**os.environ, "SLURM_ARRAY_TASK_ID": "1", **environment}
    return subprocess.run(
        ["bash", "-c", made.script()], env=environment, capture_output=True, text=True, check=False
    )


def test_setup_lines_come_first_and_one_that_fails_ends_the_task(tmp_path):
    lines = ["export FROM='a b'", "if true; then\n  export AND=c\nfi"]
    made = array(command=["bash", "-c", 'echo "$FROM $AND"'], folder=tmp_path, setup=lines)
    done = run_script(made)
    assert (done.returncode, done.stdout) == (0, "a b c\n")
    done = run_script(array(command=["echo", "ran"], folder=tmp_path, setup=["ls '/no where'"]))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("error: the setup line failed: ls '/no where'\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("echo 'a", "not a setup line"),
        ("if true; then", "not a setup line"),
        ("#SBATCH -A x", "--extra"),
    ],
)
def test_what_is_no_setup_line_is_refused(line, message):
    with pytest.raises(MlbenchError, match=message):
        array(setup=[line]).script()


def test_with_a_limit_at_a_time_each_part_waits_for_the_one_before(fake_slurm, tmp_path):
    out = tmp_path / "out"
    arrays = array(out=out, parts=30, tasks=range(1, 31), at_once=5).in_parts(11)
    assert submit(arrays) == ["101", "102", "103"]
    assert (fake_slurm / "words").read_text().splitlines() == [
        f"--parsable {out}/slurm/array.sh",
        f"--parsable --dependency=afterany:101 {out}/slurm/array-2.sh",
        f"--parsable --dependency=afterany:102 {out}/slurm/array-3.sh",
    ]
    assert (out / "slurm" / "array-2.sh").read_text() == arrays[1].script()
    record = json.loads((out / "slurm" / "103.json").read_text())
    assert record["tasks"] == [*range(21, 31)]


def test_without_such_a_limit_parts_do_not_wait(fake_slurm, tmp_path):
    submit(array(out=tmp_path / "out", parts=30, tasks=range(1, 31)).in_parts(16))
    assert "dependency" not in (fake_slurm / "words").read_text()


def test_of_parts_that_slurm_refuses_the_submitted_ones_are_named(fake_slurm, tmp_path):
    (fake_slurm / "full").write_text("102")
    arrays = array(out=tmp_path / "out", parts=30, tasks=range(1, 31)).in_parts(11)
    message = "QOSMaxSubmit; part 3 of 3 is not submitted, and job 101, 102 is"
    with pytest.raises(MlbenchError, match=message):
        submit(arrays)
    assert (tmp_path / "out" / "slurm" / "102.json").exists()


@pytest.mark.parametrize(
    ("text", "size"),
    [("echo 'MaxArraySize            = 4001'", 4001), ("exit 1", 1001), ("echo other", 1001)],
)
def test_the_limit_of_task_numbers_is_that_of_slurm(program, text, size):
    program("scontrol", text)
    assert max_array_size() == size


def test_a_slurm_without_arrays_is_told(program):
    program("scontrol", "echo 'MaxArraySize = 0'")
    with pytest.raises(MlbenchError, match="no job arrays: its MaxArraySize is 0"):
        max_array_size()


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
    assert any(word.startswith(f"--job-name=mlbench-{name}-") for word in words)
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


def test_the_queue_knows_a_folder_by_its_jobs_and_by_their_names(monkeypatch, tmp_path):
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm" / "7.json").write_text("{}")
    line = next(line for line in array(out=tmp_path).script().splitlines() if "--job-name" in line)
    name = line.partition("=")[2]
    lines = [
        "7|3|RUNNING|None|renamed",
        f"8|2|PENDING|Priority|{name}",
        f"8|1|PENDING|None|{name}",
        "9|1|RUNNING|None|mlbench-trial-00000000",
        f"10|1|RUNNING|None|{name}-other",
    ]
    (tmp_path / "squeue").write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
    (tmp_path / "squeue").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert queued_arrays(tmp_path) == [
        QueuedArray("7", {"running": 1}, [], [3]),
        QueuedArray("8", {"pending": 2}, ["Priority"], [1, 2]),
    ]


SQUEUE = """#!/bin/sh
echo "$*" >> {words}
case "$*" in
*--me*) ;;
*) {others} ;;
esac
"""


@pytest.mark.parametrize(
    ("others", "found"),
    [
        ("echo '7|3|RUNNING|None|theirs'", [QueuedArray("7", {"running": 1}, [], [3])]),
        ("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", []),
        ("echo 'slurm_load_jobs error: Socket timed out' >&2; exit 1", None),
    ],
)
def test_jobs_that_somebody_else_submitted_here_are_asked_for(monkeypatch, tmp_path, others, found):
    (tmp_path / "slurm").mkdir()
    for job in (7, 12):
        (tmp_path / "slurm" / f"{job}.json").write_text("{}")
    program = tmp_path / "squeue"
    program.write_text(SQUEUE.format(words=tmp_path / "words", others=others))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert queued_arrays(tmp_path) == found
    assert (tmp_path / "words").read_text().splitlines()[1].endswith("--jobs=12,7")
    assert why_unknown().startswith("SLURM does not answer")


def test_a_wait_for_slurm_is_told(monkeypatch, tmp_path, capfd):
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm" / "7.json").write_text("{}")
    program = tmp_path / "squeue"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("mlbench.executors.slurm._PATIENCE", 0.05)
    monkeypatch.setattr("mlbench.executors.slurm._TIMEOUT", 2)
    assert queued_arrays(tmp_path) is None
    assert "waiting for squeue, up to 2 s" in capfd.readouterr().err


@given(st.lists(st.integers(1, 60), min_size=1))
def test_ranges_list_each_number_once(numbers):
    found = []
    for part in format_ranges(numbers).split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    assert found == sorted(set(numbers))


def test_without_slurm_there_is_a_clear_error_and_no_known_queue(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MlbenchError, match="sbatch is not installed on this machine"):
        submit([array(out=tmp_path)])
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm" / "7.json").write_text("{}")
    assert queued_arrays(tmp_path) is None
    assert why_unknown().startswith("there is no squeue here")
