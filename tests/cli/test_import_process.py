"""What a method does when it is imported to be planned ends neither the command nor its sense."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlbench.cli.import_process import VARIABLE, import_process
from mlbench.errors import MethodError
from mlbench.registry import resolve

EXPERIMENT = """name: trial
datasets: [{use: data.csv, labels: 2}]
protocol: {splits: {train: 0.5, repeats: 1, seed: 1}}
metrics: [macro_f1]
methods: {M: {use: 'METHOD'}}
"""
METHOD = "from sklearn.linear_model import RidgeClassifier as Method\n"


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Import a file of some text in a process of its own, and call a function there."""

    def call(text, function, *arguments):
        (tmp_path / "mine.py").write_text(text)
        with import_process() as process:
            return process.call(function, *arguments)

    monkeypatch.chdir(tmp_path)
    return call


def has(target) -> bool:
    return hasattr(resolve(target), "fit")


def hand_over(target) -> object:
    return resolve(target)()


def misstate(target) -> int:
    return resolve(target).__name__


@pytest.mark.slow
@pytest.mark.parametrize("target", ["mine.py:Method", "mine.Method"])
def test_an_import_without_end_is_ended_and_named(call, monkeypatch, tmp_path, target):
    monkeypatch.setenv(VARIABLE, "2")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MethodError, match=f"{target}: importing it took longer than 2 s"):
        call("import time\nwhile True: time.sleep(1)\n", has, target)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("import os\nos._exit(0)", "ended the process with exit code 0"),
        ("import os\nos.kill(os.getpid(), 9)", "ended the process by signal 9"),
    ],
)
def test_an_import_that_ends_the_process_is_named(call, text, how):
    with pytest.raises(MethodError, match=f"mine.py:Method: importing it {how}"):
        call(text, has, "mine.py:Method")


def test_what_an_import_does_to_its_process_stays_there(call):
    folder = Path.cwd()
    assert call(
        f"import os\nos.chdir('/')\nos.environ['LEFT'] = '1'\n{METHOD}", has, "mine.py:Method"
    )
    assert Path.cwd() == folder
    assert "LEFT" not in os.environ


def test_no_object_of_the_method_is_loaded_here(call, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    text = f"{METHOD}class Own(Method): pass\n"
    with pytest.raises(MethodError, match=r"mine\.Own: PydanticSerializationError"):
        call(text, hand_over, "mine.Own")
    with pytest.raises(MethodError, match=r"mine\.Own: what it tells of itself cannot be read"):
        call(text, misstate, "mine.Own")


@pytest.mark.parametrize("error", ["ValueError", "KeyboardInterrupt"])
def test_an_import_that_fails_is_named(call, error):
    with pytest.raises(MethodError, match=rf"mine.py:Method: .*{error}: no"):
        call(f"raise {error}('no')", has, "mine.py:Method")


@pytest.mark.parametrize(
    "command", [["config", "validate", "trial.yaml"], ["run", "trial.yaml"], ["methods", "show"]]
)
def test_a_command_does_not_end_without_a_word(lab, command):
    lab.write("mine.py", "import os\nos._exit(0)\n")
    lab.write("data.csv", "a,b,c\n1,0,1\n2,1,0\n")
    lab.write("trial.yaml", EXPERIMENT.replace("METHOD", "mine.py:Method"))
    ended = lab.mlbench(*command, *(["mine.py:Method"] if "show" in command else []))
    assert ended.returncode == 2
    assert "mine.py:Method: importing it ended the process with exit code 0" in ended.stderr
