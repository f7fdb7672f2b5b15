"""What ``plan`` says of an experiment's data before anything runs."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from mlbench import open_results
from mlbench.api import probe
from mlbench.results.plan import StoredPlan
from mlbench.statistics import resolution
from mlbench.store import Store
from tests.rows import make_row

ARFF = """@relation 'songs: -C 1'
@attribute happy {0,1}
@attribute title string
@attribute tempo numeric
@data
1,a,120
0,b,?
1,c,90
0,d,80
"""
EXPERIMENT = """
name: songs
datasets: [{use: songs.arff, missing: keep}]
protocol: {splits: {train: 0.5, repeats: 2}, preprocess: STEPS}
methods:
  ML-kNN: {use: mlknn, k: 1}
"""


@pytest.fixture
def songs(call, tmp_path):
    (tmp_path / "songs.arff").write_text(ARFF)

    def songs(command, steps="[impute]", more=""):
        (tmp_path / "songs.yaml").write_text(EXPERIMENT.replace("STEPS", steps) + more)
        return call(tmp_path, command, "songs.yaml")

    return songs


def test_the_data_are_described_with_what_is_left_out(songs):
    described = songs("plan").stderr.splitlines()[0]
    assert described == "songs: 4 x 1, 1 label; left out 1 of 2 columns: 'title' (text or dates)"


def test_labels_of_one_value_are_named_before_anything_runs(call, tmp_path):
    (tmp_path / "ill.csv").write_text("age,flu,gout\n" + "1,0,0\n2,1,0\n" * 4)
    (tmp_path / "ill.yaml").write_text(
        "name: ill\ndatasets: [{use: ill.csv, label_columns: [flu, gout]}]\n"
        "protocol: {splits: {train: 0.5, repeats: 1}}\nmethods: {kNN: {use: mlknn, k: 1}}\n"
    )
    (line,) = call(tmp_path, "plan", "ill.yaml").stderr.splitlines()
    assert line == "ill: 8 x 1, 2 labels (constant in all rows: gout)"


def test_more_tuning_folds_than_rows_are_refused(call, tmp_path):
    (tmp_path / "ill.csv").write_text("age,flu,gout\n" + "1,0,0\n2,1,1\n" * 4)
    (tmp_path / "ill.yaml").write_text(
        "name: ill\ndatasets: [{use: ill.csv, label_columns: [flu, gout]}]\n"
        "protocol: {splits: {train: 0.5, repeats: 1}, tuning: {folds: 5}}\n"
        "methods: {kNN: {use: mlknn, tune: {k: [1, 2]}}}\n"
    )
    done = call(tmp_path, "plan", "ill.yaml")
    assert done.exit_code == 2
    assert "protocol.tuning.folds: ill: a training part has 4 rows at most" in done.stderr


def test_a_number_of_rows_that_looks_like_a_percentage_is_explained(call, tmp_path):
    (tmp_path / "ill.csv").write_text("age,flu\n" + "1,0\n2,1\n" * 60)
    (tmp_path / "ill.yaml").write_text(
        "name: ill\ndatasets: [{use: ill.csv, label_columns: [flu]}]\n"
        "protocol: {splits: {train: 60, repeats: 1}}\nmethods: {kNN: {use: mlknn, k: 1}}\n"
    )
    (line,) = call(tmp_path, "plan", "ill.yaml").stderr.splitlines()
    assert line.endswith("; train: 60 is 60 rows, and 60 % would be 0.6")


def test_missing_values_that_nothing_imputes_are_an_error_of_the_experiment(songs):
    refused = songs("plan", "[standardize]")
    assert refused.exit_code == 2
    assert "songs.yaml:6:3: methods.ML-kNN: songs: features have missing" in refused.stderr
    assert "`preprocess: [impute]`" in refused.stderr


def test_the_estimate_counts_methods_that_have_not_run_and_says_what_it_rests_on(songs):
    assert songs("plan").stdout.endswith(
        "worker time left: unknown before a cell has run; see --probe\n"
    )
    assert songs("run").exit_code == 0
    *_, table, total = songs("plan", more="  BR: br\n").stdout.splitlines()
    assert table.split()[1:5] == ["BR", "2", "2", "missing"]
    assert table.rstrip().endswith("(guessed)")
    assert re.match(r"2 cells to run; worker time left: [0-9.]+ (s|min), ", total)
    assert total.endswith("from the times of finished cells (guessed by the data's size for BR)")


def test_a_part_is_listed_alone_and_estimated_from_all_that_ran(songs, call, tmp_path):
    assert songs("run").exit_code == 0
    songs("plan", more="  BR: br\n")
    *_, table, total = call(tmp_path, "plan", "songs.yaml", "--method", "BR").stdout.splitlines()
    assert table.split()[1:5] == ["BR", "2", "2", "missing"]
    assert total.startswith("2 cells to run")
    assert total.endswith("from the times of finished cells (guessed by the data's size for BR)")
    rest = call(tmp_path, "plan", "songs.yaml", "--method", "ML-kNN").stdout
    assert "0 cells to run" in rest
    assert " BR " not in rest
    refused = call(tmp_path, "plan", "songs.yaml", "--method", "BR", "--resolution")
    assert refused.exit_code == 2
    assert "--resolution is of all methods and data sets" in refused.stderr


def test_the_times_of_another_preparation_are_an_estimate(songs):
    assert songs("run").exit_code == 0
    total = songs("plan", "[impute, standardize]").stdout.splitlines()[-1]
    assert total.startswith("2 cells to run")
    assert total.endswith("from the times of finished cells")


def test_a_method_that_needs_much_memory_is_named_before_anything_runs(call, tmp_path):
    (tmp_path / "wide.yaml").write_text(
        "name: wide\n"
        "datasets: [{use: nam-toy, tasks: 1, samples: 10000}]\n"
        "protocol: {splits: {train: 0.9, repeats: 1}}\n"
        "methods: {KPCA: {use: kpca_svm}, BR: {use: br}}\n"
    )
    said = call(tmp_path, "plan", "wide.yaml").stderr
    assert "memory: KPCA on nam-toy[samples=10000,tasks=1] needs about" in said
    assert "4 x kernel matrix (" in said


def test_methods_that_compare_all_rows_with_all_others_are_named(call, tmp_path):
    experiment = (
        "name: long\n"
        "datasets: [{use: nam-toy, tasks: 1, samples: 30000}]\n"
        "protocol: {splits: {train: SHARE, repeats: 1}}\n"
        "methods: {neighbors: mlknn, RBF: rbf_svm, BR: br}\n"
    )
    (tmp_path / "long.yaml").write_text(experiment.replace("SHARE", "0.7"))
    assert (
        "time: that of neighbors on nam-toy[samples=30000,tasks=1] grows with the square of its "
        "21,000 training rows (1 more with at least 20,000)\n"
    ) in call(tmp_path, "plan", "long.yaml").stderr
    (tmp_path / "long.yaml").write_text(experiment.replace("SHARE", "0.6"))
    assert "time:" not in call(tmp_path, "plan", "long.yaml").stderr


def test_before_a_run_resolution_is_that_of_a_deviation_of_one_point(call, tmp_path):
    said = call(tmp_path, "plan", "quickstart", "--resolution").stdout
    assert ["digits", "any", "10", "0.67", "1.00", "2.76", "2.29"] in map(
        str.split, said.split("\n")
    )
    assert "a deviation of 1 point is assumed" in said


def test_after_a_run_it_is_that_of_the_pairs_of_methods_that_differ(call, tmp_path):
    """Of the same method twice all differences are zero, and the other two pairs are alike."""
    (tmp_path / "toy.yaml").write_text(
        "name: toy\n"
        "datasets: [{use: nam-toy, tasks: 2, samples: 60}]\n"
        "protocol: {splits: {train: 0.5, repeats: 3}}\n"
        "methods: {one: {use: mlknn, k: 3}, same: {use: mlknn, k: 3}, BR: br}\n"
        "metrics: [hamming_loss]\n"
        "tests: [{method: BR, alpha: 0.1}]\n"
    )
    assert call(tmp_path, "run", "toy.yaml").exit_code == 0
    (found,) = json.loads(
        call(tmp_path, "plan", "toy.yaml", "--resolution", "--format", "json").stdout
    )
    scores = open_results(tmp_path / "runs/toy").scores("hamming_loss")
    by_method = {name: each.value.to_numpy() for name, each in scores.groupby("method")}
    std = np.std(by_method["one"] - by_method["BR"], ddof=1)
    assert found.pop("std") == pytest.approx(std)
    shown = resolution(std, 3, 1.0, alpha=0.1)
    assert found.pop("detectable") == pytest.approx(shown.detectable)
    assert found.pop("floor") == pytest.approx(shown.floor)
    assert found == {
        "dataset": "nam-toy[samples=60,tasks=2]",
        "metric": "hamming_loss",
        "n_splits": 3,
        "ratio": 1.0,
        "n_pairs": 2,
        "alpha": 0.1,
        "refused": "",
    }


def test_test_parts_too_large_for_the_test_have_no_resolution(call, tmp_path):
    wide = ("plan", "quickstart", "--resolution", "--set", "protocol.splits.train=0.25")
    assert "Test parts are more than 2 times as large" in call(tmp_path, *wide).stdout
    found = json.loads(call(tmp_path, *wide, "--format", "json").stdout)
    assert {each["detectable"] for each in found} == {None}


def test_probing_tries_each_method_with_few_rows_and_keeps_nothing(call, tmp_path):
    (tmp_path / "toy.yaml").write_text(
        "name: toy\n"
        "datasets: [{use: nam-toy, tasks: 2, samples: 600}]\n"
        "protocol: {splits: {train: 0.5, repeats: 4}, tuning: {folds: 2, scope: first-split}}\n"
        "methods:\n"
        "  ML-kNN: {use: mlknn, tune: {k: [1, 3]}}\n"
        "  far: {use: sklearn.neighbors.KNeighborsClassifier, n_neighbors: 301}\n"
    )
    plain = call(tmp_path, "plan", "toy.yaml", "--probe")
    assert plain.exit_code == 0
    lines = plain.stdout.splitlines()
    assert " MB" in next(line for line in lines if " ML-kNN " in line)
    assert "unknown" in next(line for line in lines if " far " in line)
    assert "/far: no trial succeeded: " in plain.stderr
    assert lines[-1].endswith("; guessed where no trial succeeded")
    assert not (tmp_path / "runs").exists()
    probed = call(tmp_path, "plan", "toy.yaml", "--probe", "--format", "json")
    searching, recalling = json.loads(probed.stdout)["cells"][:2]
    assert 0 < recalling["seconds"] < searching["seconds"]
    assert searching["megabytes"] > 0


SLOW = """
name: toy
datasets: [{use: nam-toy, tasks: 2, samples: 800}]
protocol: {splits: {train: 0.5, repeats: 4}}
methods: {kNN: mlknn}
"""


@pytest.fixture
def slow(monkeypatch):
    def run(cell, executor):
        failure = SimpleNamespace(message="took longer than its limit of 60 s")
        return SimpleNamespace(status="timeout", failure=failure)

    monkeypatch.setattr(probe, "_run", run)


def test_cells_over_their_limit_count_with_it(call, tmp_path, slow):
    (tmp_path / "toy.yaml").write_text(SLOW + "limits: {time: 10 s}\n")
    told = call(tmp_path, "plan", "toy.yaml", "--probe").stdout
    assert " up to 40 s " in told
    assert "worker time left: 40 s, from the times of cells with few rows" in told
    assert told.rstrip().endswith("; cells over their limit count with it")


def test_a_cell_that_ran_into_a_lower_limit_takes_at_least_as_long(call, tmp_path):
    """Its row stays, as its key does, and says how long it ran."""
    (tmp_path / "toy.yaml").write_text(SLOW)
    assert call(tmp_path, "run", "toy.yaml", "--quiet").exit_code == 0
    store = Store(tmp_path / "runs/toy")
    dataset, method, split, key = StoredPlan.read(store).cells[0]
    store.row_path(key).unlink()
    ended = {"status": "timeout", "limits": {"time": 30.0}, "seconds": {"total": 30.0}}
    store.write_row(make_row(key=key, dataset=dataset, method=method, split=split, **ended))
    told = call(tmp_path, "plan", "toy.yaml", "--set", "limits.time=60 s").stdout
    assert "1 cell to run; worker time left: at least 30 s, from the times of finished" in told


def test_a_plan_says_that_a_stopped_trial_is_a_bound_from_below(call, tmp_path, slow):
    (tmp_path / "toy.yaml").write_text(SLOW)
    told = call(tmp_path, "plan", "toy.yaml", "--probe")
    assert "4 cells to run; worker time left: at least 4 min, from" in told.stdout
    assert "/kNN: the first trial took longer than its limit of 60 s" in told.stderr
    (line,) = (line for line in told.stdout.splitlines() if " kNN " in line)
    assert line.split()[-5:] == ["at", "least", "60", "s", "unknown"]


def test_cells_that_have_run_are_not_tried_again(songs, call, tmp_path):
    assert songs("run").exit_code == 0
    probed = call(tmp_path, "plan", "songs.yaml", "--probe")
    assert probed.stdout == songs("plan").stdout


def test_files_that_are_missing_are_told_at_length_once(call, tmp_path, monkeypatch):
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    (tmp_path / "a.yaml").write_text(
        "name: a\ndatasets: [emotions, yeast, flags]\nmethods: {B: {use: mlknn}}\n"
    )
    refused = call(tmp_path, "plan", "a.yaml")
    assert refused.exit_code == 2
    first, *_, yeast, flags, advice = refused.stderr.splitlines()
    assert first.startswith("error: a.yaml:2:12: cannot find emotions/emotions-train.arff")
    assert refused.stderr.count("looked in") == 1
    assert yeast == "a.yaml:2:22: cannot find yeast/yeast-train.arff.gz there, either"
    assert flags.startswith("a.yaml:2:29: cannot find flags/")
    assert advice == "Try `mlbench data fetch emotions yeast flags`."
