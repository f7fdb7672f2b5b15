"""Data with groups, from a table to a note below its results."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mlbench
from mlbench.api.prepare import prepare
from mlbench.config.load import load_experiment
from mlbench.errors import DataError
from tests import program

EXPERIMENT = """
name: grouped
datasets: [{use: visits.csv, label_columns: [ill, old], groups: patient}]
protocol:
  splits: {kind: kfold, folds: 3, stratify: labels}
  tuning: {folds: 2}
  threshold: cv_f1_label
methods: {BR: {use: br, base: logistic, tune: {C: [0.1, 1]}}}
metrics: [macro_f1]
keep_predictions: true
"""


@pytest.fixture
def visits(tmp_path, monkeypatch):
    """Write the visits of 12 patients, and an experiment on them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    patients = rng.randint(0, 12, 90)
    x, noise = rng.normal(size=(2, 90))
    rows = [
        f"{a:.3f},p{who},{int(a + b > 0)},{int(a > b)}"
        for a, b, who in zip(x, noise, patients, strict=True)
    ]
    (tmp_path / "visits.csv").write_text("\n".join(["x,patient,ill,old", *rows]))
    (tmp_path / "grouped.yaml").write_text(EXPERIMENT)
    (tmp_path / "groups.csv").write_text("\n".join(f"number {who}" for who in patients))
    return patients


def planned(tmp_path, *settings):
    return prepare(load_experiment(tmp_path / "grouped.yaml", settings=settings)).plan


@pytest.mark.slow
def test_no_patient_is_in_two_parts(visits, tmp_path):
    done = program.run("run", "grouped.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "none of 12 groups is divided" in done.stdout + done.stderr
    results = mlbench.open_results("runs/grouped")
    rows = [set(results.predictions("visits", "BR", i)["row"]) for i in range(3)]
    assert sorted(row for each in rows for row in each) == [*range(90)]
    patients = [{visits[row] for row in each} for each in rows]
    assert sum(map(len, patients)) == len(set.union(*patients)) == 12


@pytest.mark.slow
def test_what_splits_can_show_follows_from_the_sizes_of_all(visits, tmp_path):
    random = ("--set", "protocol.splits={kind: random, train: 0.6, repeats: 4, seed: 3}")
    words = ("grouped.yaml", *random)
    planned = program.run("plan", *words, "--resolution", "--format", "json", cwd=tmp_path)
    (found,) = json.loads(planned.stdout)
    assert program.run("run", *words, cwd=tmp_path).returncode == 0
    ratios = mlbench.open_results("runs/grouped").test_train_ratios
    assert found["ratio"] == pytest.approx(ratios["visits"])


def test_fewer_groups_than_folds_are_told_before_anything_runs(visits, tmp_path):
    with pytest.raises(DataError, match=r"grouped.yaml:5:3: protocol.splits: visits: 12 groups"):
        planned(tmp_path, "protocol.splits.folds=13")


@pytest.mark.parametrize(("key", "line"), [("splits", 5), ("tuning", 6)])
def test_they_are_told_at_the_key_that_asks_for_the_folds(visits, tmp_path, key, line):
    with pytest.raises(DataError, match=rf"yaml:{line}:\d+: protocol\.{key}: .*groups"):
        planned(tmp_path, f"protocol.{key}.folds=13")


def test_keys_hold_the_groups_and_not_their_names(visits, tmp_path):
    text = EXPERIMENT.replace("groups: patient", "ignore: [patient], groups: groups.csv, as: it")
    (tmp_path / "grouped.yaml").write_text(text)
    of_file = planned(tmp_path)
    assert of_file.facts["it"].division.startswith("none of 12 groups is divided")
    assert "groups=groups.csv," in of_file.cells[0].data.canonical
    other = "\n".join(f"number {who // 2}" for who in visits)
    (tmp_path / "groups.csv").write_text(other)
    assert planned(tmp_path).cells[0].key != of_file.cells[0].key
    (tmp_path / "groups.csv").write_text("\n".join(f"patient {who}" for who in visits))
    assert planned(tmp_path).cells[0].key == of_file.cells[0].key
