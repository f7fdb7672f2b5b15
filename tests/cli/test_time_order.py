"""Splits in time order, from a table to the tests that are refused."""

from __future__ import annotations

import numpy as np
import pytest

import mlbench
from mlbench.api.prepare import prepare
from mlbench.config.load import load_experiment
from mlbench.errors import ConfigError
from tests import program

EXPERIMENT = """
name: timed
datasets: [{use: sales.csv, label_columns: [up, down]}]
protocol:
  splits: {kind: time, by: day, folds: 3, gap: 2}
  tuning: {folds: 2}
  threshold: cv_f1_label
methods: {BR: {use: br, base: logistic, tune: {C: [0.1, 1]}}, kNN: {use: mlknn, k: 3}}
metrics: [macro_f1]
tests: [{method: BR}]
keep_predictions: true
"""


@pytest.fixture
def days(tmp_path, monkeypatch):
    """Write sales of 90 days in disorder, and an experiment on them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    days = rng.permutation(90)
    x, noise = rng.normal(size=(2, 90))
    rows = [
        f"{np.datetime64('2020-01-01') + int(day)},{a:.3f},{int(a + b > 0)},{int(a > b)}"
        for day, a, b in zip(days, x, noise, strict=True)
    ]
    (tmp_path / "sales.csv").write_text("\n".join(["day,x,up,down", *rows]))
    (tmp_path / "timed.yaml").write_text(EXPERIMENT)
    return days


def test_the_column_goes_to_each_data_set_that_states_none(days, tmp_path):
    plan = prepare(load_experiment(tmp_path / "timed.yaml")).plan
    assert [each.time for each in plan.experiment.datasets] == ["day"]
    assert plan.facts["sales"].n_features == 1
    split = plan.cells[0].identity["split"]
    assert (split["kind"], split["gap"], "by" in split) == ("time", 2, False)


def test_sizes_that_contradict_each_other_are_told_with_their_line(days, tmp_path):
    settings = ["protocol.splits.train=0.5", "protocol.splits.test=0.1"]
    with pytest.raises(ConfigError, match=r"expanding windows have either `train`"):
        load_experiment(tmp_path / "timed.yaml", settings=settings)


def test_no_resolution_is_told_and_why(days, tmp_path):
    done = program.run("plan", "timed.yaml", "--resolution", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "sales: the splits are windows in time order" in done.stdout


@pytest.mark.slow
def test_no_later_day_is_learned_from_and_the_corrected_test_is_refused_in_words(days, tmp_path):
    done = program.run("run", "timed.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = mlbench.open_results("runs/timed")
    tested = [sorted(days[results.predictions("sales", "BR", i)["row"].unique()]) for i in range(3)]
    assert tested == [[*range(24, 46)], [*range(46, 68)], [*range(68, 90)]]
    words = " ".join((done.stdout + done.stderr).split())
    assert "3 expanding windows in time order, by day, 2 rows before each left out" in words
    assert "BR is not tested on sales: the splits are windows in time order" in words
