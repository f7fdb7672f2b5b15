"""`keep_predictions: {top: 5}`: the best scores of each row, for data with many labels."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import mlbench as mb

EXPERIMENT = """
name: {name}
datasets: [{{use: corel5k-like.csv, label_columns: {labels}}}]
protocol: {{splits: {{train: 0.5, repeats: 2}}}}
methods:
  BR: {{use: br, base: logistic}}
  tuned: {{use: br, base: logistic, tune: {{C: [0.01, 1]}}, scoring: [macro_f1, macro_auc]}}
metrics: [precision_at_3, macro_f1, macro_auc]
keep_predictions: {kept}
"""
N_LABELS = 12


@pytest.fixture(scope="module")
def lab(tmp_path_factory, make_lab):
    """Two runs, `all` and `best`, that keep all scores and the five best ones."""
    lab = make_lab(tmp_path_factory.mktemp("best"))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)).round(3)
    Y = (X @ rng.normal(size=(4, N_LABELS)) + rng.normal(size=(80, N_LABELS)) > 1).astype(int)
    names = [*(f"x{i}" for i in range(4)), *(f"y{i}" for i in range(N_LABELS))]
    lines = [names, *np.hstack([X, Y]).tolist()]
    lines[1:] = [[*line[:4], *map(int, line[4:])] for line in lines[1:]]
    lab.write("corel5k-like.csv", "".join(",".join(map(str, line)) + "\n" for line in lines))
    for name, kept in (("all", "true"), ("best", "{top: 5}")):
        labels = [f"y{i}" for i in range(N_LABELS)]
        lab.write(f"{name}.yaml", EXPERIMENT.format(name=name, kept=kept, labels=labels))
        done = lab.mlbench("run", f"{name}.yaml", "--quiet")
        assert done.returncode == 0, done.stderr
    return lab


def values(done):
    lines = csv.DictReader(io.StringIO(done.stdout))
    return {(line["method"], line["metric"]): line["mean"] for line in lines if "mean" in line}


def test_the_best_scores_and_all_labels_are_kept(lab):
    whole, best = (mb.open_results(lab.folder / "runs" / name) for name in ("all", "best"))
    for method in ("BR", "tuned"):
        for metric in ("macro_f1", "macro_auc") if method == "tuned" else ("",):
            every, kept = (
                run.predictions("corel5k-like", method, 1, metric) for run in (whole, best)
            )
            scores = every["score"].to_numpy().reshape(-1, N_LABELS)
            fifth = np.sort(scores, axis=1)[:, -5, None]
            assert np.array_equal(
                kept["score"].to_numpy().reshape(-1, N_LABELS),
                np.where(scores >= fifth, scores, -np.inf),
            )
            assert kept["predicted"].equals(every["predicted"])
            assert kept["truth"].equals(every["truth"])


def test_metrics_of_the_best_labels_and_of_predicted_labels_are_those_of_all_scores(lab):
    names = ("precision_at_4", "psp_at_5", "label_coverage_at_2", "macro_f1@mulan", "hamming_loss")
    words = ["--format", "csv", *(word for name in names for word in ("--metric", name))]
    whole, best = (lab.mlbench("rescore", f"runs/{name}", *words) for name in ("all", "best"))
    assert best.returncode == 0, best.stderr
    assert values(best) == values(whole)
    assert "warning" not in best.stderr


def test_a_metric_that_needs_all_scores_keeps_the_value_of_the_run_or_has_none(lab):
    whole, best = (
        lab.mlbench("rescore", f"runs/{name}", "--metric", "macro_auc", "--format", "csv")
        for name in ("all", "best")
    )
    assert values(best) == values(whole)
    assert "all are needed for macro_auc: values of the run stay" in best.stderr
    none = lab.mlbench("rescore", "runs/best", "--metric", "precision_at_7", "--format", "csv")
    assert "all are needed for precision_at_7" in none.stderr
    assert not any(values(none).values())


def test_labels_have_the_areas_under_curves_of_the_run(lab):
    whole, best = (
        lab.mlbench("rescore", f"runs/{name}", "--per-label") for name in ("all", "best")
    )
    assert best.stdout.replace("best", "all") == whole.stdout.replace("best", "all")


@pytest.mark.parametrize("kind", ["threshold", "calibration"])
def test_figures_that_need_all_scores_say_so(lab, kind):
    refused = lab.mlbench("figure", "runs/best", "--kind", kind, "--format", "json")
    assert refused.returncode == 2
    assert "the 5 best scores of each row were kept, and all are needed" in refused.stderr


@pytest.mark.parametrize("kept", ["{top: 0}", "{topp: 5}", "top 5", "{}"])
def test_other_words_are_refused(lab, tmp_path, kept):
    text = (lab.folder / "best.yaml").read_text().replace("{top: 5}", kept)
    lab.write("wrong.yaml", text)
    refused = lab.mlbench("run", "wrong.yaml")
    assert refused.returncode == 2
    assert "wrong.yaml:9:" in refused.stderr
    assert "keep_predictions" in refused.stderr
