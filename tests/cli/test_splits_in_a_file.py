"""Splits that stand in a file, from the file to a table."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold

import mlbench
from tests import program

EXPERIMENT = """
name: filed
datasets: [{use: nam-toy, as: toy, tasks: 2, samples: 40}]
protocol: {splits: {kind: file, file: "{dataset}.csv"}, tuning: {folds: 2}}
methods: {BR: {use: br, base: logistic, tune: {C: [0.1, 1]}}, kNN: {use: mlknn, k: 3}}
metrics: [macro_f1]
tests: [{method: BR, test: corrected_t}]
keep_predictions: true
"""


@pytest.fixture
def folds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    splits = [*KFold(4, shuffle=True, random_state=0).split(np.zeros(40))]
    lines = [
        f"{row},{number},{part}"
        for number, rows in enumerate(splits)
        for part, members in zip(("train", "test"), rows, strict=True)
        for row in members
    ]
    (tmp_path / "toy.csv").write_text("\n".join(["row,split,part", *lines]))
    (tmp_path / "filed.yaml").write_text(EXPERIMENT)
    return splits


@pytest.mark.slow
def test_the_rows_of_the_file_are_tested_and_the_run_goes_on_from_its_folder(folds, tmp_path):
    done = program.run("run", "filed.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = mlbench.open_results("runs/filed")
    for index, (_, test) in enumerate(folds):
        assert {*results.predictions("toy", "BR", index)["row"]} == {*test}
    assert results.test_train_ratios == {"toy": pytest.approx(1 / 3)}
    words = " ".join(done.stdout.split())
    assert "4 splits read from {dataset}.csv (seed 0)" in words
    again = program.run("run", "runs/filed/experiment.yaml", "--out", "runs/filed", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "0 to run" in again.stdout + again.stderr


def test_a_row_that_does_not_exist_is_told_with_its_line(folds, tmp_path):
    with (tmp_path / "toy.csv").open("a") as file:
        file.write("\n40,3,train")
    done = program.run("plan", "filed.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "toy.csv:162: row 40 does not exist: toy has 40 rows" in " ".join(done.stderr.split())
