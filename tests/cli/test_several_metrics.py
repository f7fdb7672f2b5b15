"""An experiment in which each metric shows the model tuned by it, from the plan to the exports."""

from __future__ import annotations

import csv
import io
import json
import shutil

import pytest

import mlbench as mb
from mlbench.store.row import values_by

EXPERIMENT = """
name: each
datasets: [{use: nam-toy, as: toy, tasks: 4, samples: 80, dimensions: 4}]
protocol:
  splits: {train: 0.5, repeats: 2, seed: 2}
  tuning: {folds: 2, scoring: each}
  threshold: {f1: cv_f1_label}
methods:
  BR: {use: br, tune: {C: {log10: [-4, 4, 5]}}}
  kNN: {use: mlknn, tune: {k: [1, 5, 15, 25]}, scoring: macro_auc, threshold: default}
  fixed: {use: mlknn, k: 3}
metrics: [macro_f1, hamming_loss, macro_auc]
keep_predictions: true
"""
METRICS = ("macro_f1", "hamming_loss", "macro_auc")


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory, make_lab):
    lab = make_lab(tmp_path_factory.mktemp("each"))
    lab.write("each.yaml", EXPERIMENT)
    finished = lab.mlbench("run", "each.yaml", "--quiet")
    assert finished.returncode == 0, finished.stderr
    return lab


@pytest.fixture
def each(finished_run, make_lab, tmp_path):
    """A copy to write into."""
    shutil.copytree(finished_run.folder, tmp_path / "lab")
    return make_lab(tmp_path / "lab")


def scores(results):
    return {tuple(row[:4]): row[4] for row in results.scores().itertuples(index=False)}


def test_each_metric_is_that_of_an_experiment_that_tunes_by_it(each):
    joint = mb.open_results(each.folder / "runs/each")
    for metric in METRICS:
        alone = ("run", "each.yaml", "--quiet", "--set", f"protocol.tuning.scoring={metric}")
        finished = each.mlbench(*alone, "--out", metric)
        assert finished.returncode == 0, finished.stderr
        found, expected = joint.scores(metric), mb.open_results(each.folder / metric).scores(metric)
        assert found.equals(expected)


def test_params_name_what_other_metrics_chose_and_repeat_the_run(each, call):
    listed = call(each.folder, "export", "runs/each", "--what", "params").output
    chosen: dict[tuple[str, str], dict[str, str]] = {}
    for line in csv.DictReader(io.StringIO(listed)):
        chosen.setdefault((line["method"], line["split"]), {})[line["param"]] = line["value"]
    assert any("C@macro_auc" in params for params in chosen.values())
    assert set(chosen["kNN", "0"]) == {"k"}
    results = mb.open_results(each.folder / "runs/each")
    for row in results.whole_rows.values():
        for metric in row.tuned_by if row.method == "BR" else ():
            point = row.tuning.grid[row.tuning.best_by[metric]]
            assert values_by(metric, row.params) == point
    (each.folder / "params.csv").write_text(listed)
    repeated = ("run", "each.yaml", "--set", "protocol.tuning.params=params.csv", "--out", "again")
    assert each.mlbench(*repeated, "--quiet").returncode == 0
    again = mb.open_results(each.folder / "again")
    assert scores(again) == scores(results)
    assert {row.tuned_by for row in again.rows.values() if row.method == "BR"} == {METRICS}
    rescored = each.mlbench("rescore", "again", "--format", "csv")
    assert "differ" not in rescored.stderr


def test_tables_say_by_which_models_they_are(each, call):
    told = " ".join(call(each.folder, "report", "runs/each").output.split())
    assert "tuned in 2 folds by each metric shown (kNN: macro_auc) on every split" in told
    assert "each metric shows the model tuned by it" in told
    assert "for F1, Jaccard, precision, recall and cut ratio a threshold per label" in told
    assert "of the models tuned by" not in told
    other = " ".join(
        call(each.folder, "report", "runs/each", "--metric", "subset_accuracy").output.split()
    )
    assert "Subset accuracy of BR: of the models tuned by Macro F1." in other


def test_predictions_that_were_kept_give_the_same_scores(each):
    rescored = each.mlbench("rescore", "runs/each", "--format", "csv")
    assert rescored.returncode == 0, rescored.stderr
    assert "differ" not in rescored.stderr
    reported = each.mlbench("report", "runs/each", "--format", "csv")
    assert rescored.stdout == reported.stdout

    results = mb.open_results(each.folder / "runs/each")
    split = next(row.split for row in results.rows.values() if "C@macro_auc" in row.params)
    by_f1 = results.predictions("toy", "BR", split, "macro_f1")
    by_auc = results.predictions("toy", "BR", split, "macro_auc")
    assert not by_f1["score"].equals(by_auc["score"])
    assert {"predicted", "predicted_f1"} <= {*by_f1}
    with pytest.raises(mb.errors.MlbenchError, match="no model was tuned by 'micro_f1'"):
        results.predictions("toy", "BR", split, "micro_f1")
    with pytest.raises(mb.errors.MlbenchError, match="name one: metric='macro_f1' or"):
        results.predictions("toy", "BR", split)
    only = results.predictions("toy", "fixed", split)
    assert results.predictions("toy", "fixed", split, "macro_auc").equals(only)
    with pytest.raises(mb.errors.MlbenchError, match="macro_auk"):
        results.predictions("toy", "fixed", split, "macro_auk")


def test_an_exported_folder_tells_the_same(each, call):
    assert call(each.folder, "export", "runs/each", "--folder", "kept").exit_code == 0
    run, kept = (mb.open_results(each.folder / name) for name in ("runs/each", "kept"))
    assert kept.scores(METRICS).equals(run.scores(METRICS))
    assert kept.params().equals(run.params())
    assert [row.tuned_by for row in kept.rows.values()] == [
        run.rows[key].tuned_by for key in kept.rows
    ]
    against = ("check", "runs/each", "--against", "kept/reference.json")
    assert each.mlbench(*against).returncode == 0


def test_a_figure_shows_the_search_as_the_metric_saw_it(each, call):
    drawn = {}
    for metric in ("macro_f1", "macro_auc"):
        words = ("figure", "runs/each", "--kind", "tuning", "--metric", metric, "--format", "json")
        found = call(each.folder, *words)
        assert found.exit_code == 0, found.output
        drawn[metric] = found.output
    assert drawn["macro_f1"] != drawn["macro_auc"]


def test_why_names_the_metrics(each, call):
    words = ("why", "each.yaml", "toy/BR/0", "--set", "protocol.tuning.scoring=macro_f1")
    told = call(each.folder, *words).output
    assert "tuning.scoring [macro_f1, hamming_loss, macro_auc] -> macro_f1" in told


def test_a_plan_counts_a_cell_for_all_metrics(each, call):
    planned = call(each.folder, "plan", "each.yaml", "--format", "json")
    assert len(json.loads(planned.output)["cells"]) == 6
