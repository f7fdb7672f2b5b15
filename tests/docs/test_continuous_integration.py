"""The workflow that the documentation shows can be read, and its commands exist as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from mlbench.cli import main
from mlbench.yaml_loader import parse_yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/continuous-integration.md"
WORKFLOW, STEPS_OF_MINE = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
CONSOLE = re.findall(r"^\$ (mlbench .*?)(?:  +#.*)?$", PAGE.read_text(), re.MULTILINE)


@pytest.fixture
def workflow():
    return parse_yaml(WORKFLOW, PAGE).value


@pytest.fixture
def steps(workflow):
    (job,) = workflow["jobs"].values()
    return job["steps"]


def test_it_runs_on_changes_and_every_step_does_one_thing(workflow, steps):
    assert set(workflow["on"]) == {"push", "pull_request"}
    assert all(("run" in step) != ("uses" in step) for step in steps)


def test_it_installs_runs_checks_and_keeps_what_it_wrote(steps):
    commands = [step["run"] for step in steps if "run" in step]
    order = ["pip install .", "mlbench run quickstart", "mlbench check", "mlbench report"]
    assert [next(word for word in order if word in command) for command in commands] == order
    check = commands[2]
    assert (ROOT / re.search(r"--against (\S+)", check)[1]).is_file()
    kept = steps[-1]["with"]["path"].split()
    page = re.search(r"--html (\S+)", commands[3])[1]
    assert kept == [re.search(r"--junit (\S+)", check)[1], commands[3].split()[-1], page]


def test_commands_take_their_options(steps, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path)
    steps = [*steps, *parse_yaml(STEPS_OF_MINE, PAGE).value]
    lines = [line.strip() for step in steps for line in step.get("run", "").splitlines()]
    commands = [line for line in lines if line.startswith("mlbench")] + CONSOLE
    assert len(commands) >= 7
    for line in commands:
        words = shlex.split(line.partition(">")[0])[1:]
        command = main.get_command(click.Context(main), words[0])
        assert command is not None, line
        command.make_context(words[0], words[1:])
