"""A results folder from a stranger is read without harm, and written without going astray."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mlbench.store import Failure, SavedState, Store
from tests.rows import make_row

EVIL = "E\x1b]0;owned\x07\x1b[2J\x1b[8m\u202egnp\r"
SHOWN = "E\\u001b]0;owned\\u0007\\u001b[2J\\u001b[8m\\u202egnp\\u000d"
"""As it is printed."""
TRIAL = """name: gift
datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 1, seed: 1}}
metrics: [macro_f1]
methods: {Good: {use: mlknn}, Bad: {use: mlknn, k: 5}}
"""


@pytest.fixture(scope="module")
def honest(tmp_path_factory, make_lab):
    """Run an experiment; return its results folder."""
    lab = make_lab(tmp_path_factory.mktemp("lab"))
    lab.write("gift.yaml", TRIAL)
    run = lab.mlbench("run", "gift.yaml", "--out", "gift")
    assert run.returncode == 0, run.stderr
    return lab.folder / "gift"


@pytest.fixture
def gift(honest, tmp_path):
    """Copy a results folder, and write hostile text wherever there is text; hashes are right."""
    folder = Store(tmp_path / "gift")
    plan = json.loads((honest / "plan.json").read_text().replace('"Bad"', json.dumps(EVIL)))
    for row in Store(honest).scan().rows.values():
        if row.method == "Bad":
            failure = Failure("error", EVIL, f"{EVIL}\n{EVIL}")
            row = replace(row, method=EVIL, status="error", failure=failure)
        evil = replace(
            row,
            warnings=[EVIL],
            params={EVIL: EVIL},
            environment={**row.environment, EVIL: EVIL},
            fit={EVIL: EVIL},
        )
        folder.write_row(evil)
    plan.pop("schema")
    folder.write_plan(plan, TRIAL)
    note = {"host": EVIL, "pid": 1, "cells": {EVIL: 0}}
    (folder.root / "running").mkdir()
    (folder.root / "running/note.json").write_text(json.dumps(note))
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["status", "--full"],
        ["status", "--format", "json"],
        *(["report", "--format", form] for form in ("text", "markdown", "latex", "csv")),
        *(["export", "--what", what] for what in ("scores", "params", "fit")),
        ["check", "--write", "reference.json"],
    ],
    ids=" ".join,
)
def test_no_command_prints_control_characters(call, gift, words):
    command, *more = words
    told = call(command, "gift", *more)
    assert told.exit_code in (0, 1), told.stderr
    printed = told.stdout + told.stderr
    assert printed
    assert all(character.isprintable() or character in "\n\t" for character in printed)


def test_a_hostile_name_is_still_to_be_seen(call, gift):
    printed = call("status", "gift").stdout
    assert f"toy/{SHOWN}/0: error: {SHOWN}" in printed
    assert f"process 1 on {SHOWN}" in printed


def test_tables_spell_a_hostile_note_out(call, gift):
    told = call("report", "gift")
    assert SHOWN in told.stdout + told.stderr


def test_an_experiment_run_into_it_prints_none_either(call, gift, write):
    write("other.yaml", TRIAL.replace("Bad", "Ugly"))
    told = call("plan", "other.yaml", "--out", "gift")
    assert told.exit_code == 0
    assert "\x1b" not in told.stdout + told.stderr


@pytest.mark.parametrize("key", ["../../../etc/passwd", "/etc/passwd", "a" * 63 + "/", "A" * 64])
def test_a_key_is_no_path(call, gift, key):
    plan = json.loads((gift.root / "plan.json").read_text())
    plan["cells"][0][3] = key
    (gift.root / "plan.json").write_text(json.dumps(plan))
    told = call("report", "gift")
    assert told.exit_code == 2
    assert "not the split and key of a cell" in told.stderr


def test_a_row_under_the_name_of_another_is_damaged(call, gift):
    one, other = sorted((gift.root / "rows").rglob("*.json"))
    one.write_bytes(other.read_bytes())
    told = call("status", "gift")
    assert f"{one.name}: damaged: the content belongs to the cell" in told.stdout + told.stderr


@pytest.mark.parametrize("content", ["[" * 100_000, '{"sha256": 1e999999}', "\x00", '"\\ud800"'])
def test_rows_that_are_no_rows_are_damaged_in_words(call, gift, content):
    path, _ = sorted((gift.root / "rows").rglob("*.json"))
    path.write_text(content)
    told = call("status", "gift")
    assert told.exception is None or isinstance(told.exception, SystemExit)
    assert "damaged" in told.stdout + told.stderr


def test_a_run_does_not_write_or_remove_through_links(lab):
    lab.write("gift.yaml", TRIAL)
    cells = json.loads(lab.mlbench("plan", "gift.yaml", "--format", "json").stdout)["cells"]
    profile, letter = lab.write("home/profile", "mine\n"), lab.write("home/letters/one", "dear\n")
    out = lab.folder / "gift"
    (out / "partial").mkdir(parents=True)
    Store(out).write_row(make_row())
    (out / "worker.log").symlink_to(profile)
    for name in ("plan.json", "experiment.yaml"):
        (out / name).symlink_to(profile)
    for cell in cells:
        (out / "partial" / cell["key"]).symlink_to(letter.parent)
    run = lab.mlbench("run", "gift.yaml", "--out", "gift")

    assert profile.read_text() == "mine\n"
    assert letter.read_text() == "dear\n"
    assert run.returncode == 0, run.stderr


def test_unfinished_work_behind_a_link_is_left_alone(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/letter").write_text("dear")
    (tmp_path / "partial").symlink_to(tmp_path / "home")
    SavedState(tmp_path, "partial").clear()
    assert (tmp_path / "home/letter").read_text() == "dear"
