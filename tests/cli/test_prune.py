"""Rows of what left an experiment are counted, listed, and removed when that is asked for."""

from __future__ import annotations

import json

import pytest

from mlbench.store import Store
from mlbench.store.active_runs import RunningNote

EXPERIMENT = """
name: small
datasets: [{use: nam-toy, as: toy, tasks: 2, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 2}}
methods:
  A: {use: mlknn, k: 3}
  B: {use: mlknn, k: 5}
keep_predictions: true
"""


FAILS = """
from sklearn.dummy import DummyClassifier

class Fails(DummyClassifier):
    def fit(self, X, Y):
        raise ValueError("not today")
"""


@pytest.fixture(params=["single", "packed", "packed in part"])
def results(request, call, tmp_path):
    """A folder with two rows of a method that is no longer there, and what calls commands."""

    def run(*words):
        finished = call(tmp_path, *words)
        assert finished.exit_code == 0, finished.output
        return finished.stdout

    (tmp_path / "small.yaml").write_text(EXPERIMENT)
    run("run", "small.yaml", "--out", "out", "--quiet")
    if request.param == "packed":
        run("pack", "out")
    (tmp_path / "small.yaml").write_text(EXPERIMENT.replace("k: 5", "k: 7"))
    run("run", "small.yaml", "--out", "out", "--quiet")
    if request.param == "packed in part":
        run("pack", "out")
        (tmp_path / "small.yaml").write_text(EXPERIMENT.replace("B: {use: mlknn, k: 5}", ""))
        run("run", "small.yaml", "--out", "out", "--quiet")
        run("run", "small.yaml", "--out", "out", "--quiet", "--set", "methods.A.k=4")
    return run


@pytest.mark.slow
def test_rows_of_no_cell_are_counted_listed_and_removed(results, tmp_path):
    store, report = Store(tmp_path / "out"), results("report", "out")
    there = store.keys()
    number = json.loads(results("status", "out", "--format", "json"))["rows_of_no_cell"]
    assert number in (2, 6)
    assert f"{number} rows of no cell of the experiment: such rows count again if" in results(
        "status", "out"
    )
    assert "toy/B: " in (listed := results("prune", "out"))
    assert listed.endswith(
        f"{number} rows of no cell of the experiment 'small'; --yes removes them\n"
    )
    assert store.keys() == there
    assert results("prune", "out", "--yes").endswith(
        f"removed {number} rows of no cell of the experiment 'small'\n"
    )
    assert len(there - store.keys()) == number
    assert store.kept_predictions() == store.keys()
    assert results("report", "out") == report
    assert results("prune", "out") == "0 rows of no cell of the experiment 'small'\n"
    assert "no cell" not in results("status", "out")


@pytest.mark.slow
def test_nothing_is_removed_while_a_run_is_at_work(results, call, tmp_path):
    with RunningNote(tmp_path / "out") as note:
        note.start("toy/A/0")
        refused = call(tmp_path, "prune", "out", "--yes")
    assert refused.exit_code == 2
    assert "a run is at work here" in refused.stderr


@pytest.mark.slow
def test_a_pack_of_nothing_but_such_rows_goes(results, tmp_path):
    store = Store(tmp_path / "out")
    store.prune(store.keys())
    assert (store.keys(), store.kept_predictions()) == (set(), set())
    assert not list((tmp_path / "out").glob("packs/*"))


@pytest.mark.slow
def test_a_failed_cell_is_missing_again_once_its_row_is_removed(call, tmp_path):
    (tmp_path / "fails.py").write_text(FAILS)
    experiment = EXPERIMENT.replace("{use: mlknn, k: 5}", "fails.py:Fails")
    (tmp_path / "small.yaml").write_text(experiment)
    assert call(tmp_path, "run", "small.yaml", "--out", "out", "--quiet").exit_code == 1
    assert call(tmp_path, "prune", "out").stdout.startswith("0 rows of no cell")
    listed = call(tmp_path, "prune", "out", "--failed").stdout
    assert listed == (
        "toy/B: 2 rows\n"
        "0 rows of no cell of the experiment 'small' and 2 of failed cells; --yes removes them\n"
    )
    before = call(tmp_path, "submit", "small.yaml", "--out", "out", "--dry-run")
    assert before.stdout.startswith("nothing is missing")
    assert call(tmp_path, "prune", "out", "--failed", "--yes").exit_code == 0
    after = call(tmp_path, "submit", "small.yaml", "--out", "out", "--dry-run")
    assert "#SBATCH --array=" in after.stdout
    assert call(tmp_path, "status", "out").stdout.startswith("small: 4 cells: 2 ok, 2 missing")
