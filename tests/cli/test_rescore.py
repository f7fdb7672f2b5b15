"""`mlbench rescore` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
import shutil

import pytest

from mlbench.hashing import canonical_json, digest
from mlbench.registry.import_policy import VARIABLE, imports_allowed

EXPERIMENT = """
name: kept
datasets:
  - {use: nam-toy, as: toy, tasks: 4, samples: 80, dimensions: 4}
  - {use: nam-toy, as: drawn, tasks: 3, samples: 60, dimensions: 4, imbalance: {ratio: 5}}
  - {use: ./mine.csv, as: own, class_column: last}
protocol: {splits: {train: 0.5, repeats: 2}}
methods:
  weak: {use: br, base: logistic, C: 0.01}
  BR: {use: br, base: logistic}
keep_predictions: true
"""


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory, make_lab):
    lab = make_lab(tmp_path_factory.mktemp("rescore"))
    rows = [f"{i},{i * i % 7},{'abc'[i % 3]}" for i in range(45)]
    lab.write("mine.csv", "\n".join([*rows, ""]))
    lab.write("kept.yaml", EXPERIMENT)
    finished = lab.mlbench("run", "kept.yaml", "--quiet", "--jobs", "2")
    assert finished.returncode == 0, finished.stderr
    return lab


@pytest.fixture
def kept(finished_run, make_lab, tmp_path):
    """A copy to spoil."""
    shutil.copytree(finished_run.folder, tmp_path / "lab")
    return make_lab(tmp_path / "lab")


def rows(lab):
    paths = sorted(lab.folder.glob("runs/kept/rows/*/*.json"))
    return {path: json.loads(path.read_text())["row"] for path in paths}


def rewrite(path, row):
    path.write_text(f'{{"sha256":"{digest(row)}","row":{canonical_json(row)}}}')


def means(finished):
    """Return the means of the first table by data set, method and metric."""
    lines = csv.DictReader(io.StringIO(finished.stdout))
    return {
        (line["dataset"], line["method"], line["metric"]): line["mean"]
        for line in lines
        if line["n"].isdigit()
    }


def test_every_metric_of_every_row_comes_out_with_the_same_bits(call, kept):
    names = ("macro_f1@mulan", "macro_auc", "coverage@sklearn")
    words = [word for name in names for word in ("--metric", name)]
    scored = call(kept.folder, "rescore", "runs/kept", "--format", "csv", *words)
    reported = call(kept.folder, "report", "runs/kept", "--format", "csv", *words)
    assert "warning" not in scored.stderr
    assert scored.stdout == reported.stdout
    assert scored.exit_code == reported.exit_code


def test_rows_that_hold_other_values_are_noticed(call, kept):
    for path, row in rows(kept).items():
        assert row["status"] == "ok"
        rewrite(path, {**row, "metrics": dict.fromkeys(row["metrics"], 0.125)})
    finished = call(kept.folder, "rescore", "runs/kept", "--format", "csv")
    spoilt = call(kept.folder, "report", "runs/kept", "--format", "csv")
    assert set(means(spoilt).values()) == {"0.125"}
    assert "0.125" not in means(finished).values()
    assert "the rows have other values" in finished.stderr


def test_a_convention_is_given_to_the_metrics_that_know_it(call, kept):
    finished = call(kept.folder, "rescore", "runs/kept", "--format", "csv", "--convention", "meka")
    assert {metric for *_, metric in means(finished)} == {
        "macro_f1@meka",
        "micro_f1@meka",
        "macro_auc",
    }


def test_a_metric_that_rows_lack_appears(call, kept):
    complete = call(kept.folder, "report", "runs/kept", "--format", "csv", "--metric", "one_error")
    for path, row in rows(kept).items():
        metrics = {name: value for name, value in row["metrics"].items() if "one_error" not in name}
        rewrite(path, {**row, "metrics": metrics})
    lacking = call(kept.folder, "report", "runs/kept", "--metric", "one_error")
    assert "(2 not scored)" in lacking.stdout
    note = "`mlbench rescore` computes it for the 12 whose predictions were kept."
    assert note in " ".join(lacking.stdout.split())
    page = call(kept.folder, "report", "runs/kept", "--metric", "one_error", "--html", "page.html")
    assert "not scored" in (kept.folder / "page.html").read_text()
    assert page.exit_code == 0
    scored = call(kept.folder, "rescore", "runs/kept", "--format", "csv", "--metric", "one_error")
    assert means(scored) == means(complete)


def of_labels(finished):
    lines = csv.DictReader(io.StringIO(finished.stdout))
    return [line for line in lines if line["n"].isdigit()]  # each table has a heading


def test_scores_of_labels_are_those_of_the_rows(call, kept):
    words = ("--per-label", "--format", "csv", "--metric", "macro_auc")
    reported = call(kept.folder, "report", "runs/kept", *words)
    lines = of_labels(reported)
    means_of_labels = [float(each["mean"]) for each in lines if each["dataset"] == "toy"]
    assert len(means_of_labels) == 4 * 2
    for path, row in rows(kept).items():
        rewrite(path, {name: value for name, value in row.items() if name != "by_label"})
    refused = call(kept.folder, "report", "runs/kept", *words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "`mlbench rescore --per-label`" in refused.stderr
    exported = call(kept.folder, "export", "runs/kept", "--per-label")
    assert "12 rows of an older version" in exported.stderr
    again = call(kept.folder, "rescore", "runs/kept", *words)
    found = of_labels(again)
    assert {each["train_positives"] for each in found} == {""}
    alike = [{**each, "train_positives": ""} for each in lines]
    assert found == alike


def test_an_export_of_labels_has_a_line_for_each_label_metric_and_split(call, kept):
    exported = call(kept.folder, "export", "runs/kept", "--per-label", "--metric", "macro_f1")
    lines = list(csv.DictReader(io.StringIO(exported.stdout)))
    assert list(lines[0]) == ["dataset", "method", "split", "label", "metric", "value"]
    of_cell = [each for each in lines if each["dataset"] == "toy" and each["split"] == "0"]
    values = [float(each["value"]) for each in of_cell if each["method"] == "BR"]
    place = ("toy", "BR", 0)
    named = {(row["dataset"], row["method"], row["split"]): row for row in rows(kept).values()}
    assert sum(values) / 4 == pytest.approx(named[place]["metrics"]["macro_f1"])
    all_columns = call(kept.folder, "export", "runs/kept", "--per-label").stdout
    assert len(all_columns.splitlines()) == 1 + 7 * len(lines)
    for words in (("--what", "counts"), ("--metric", "micro_f1")):
        refused = call(kept.folder, "export", "runs/kept", "--per-label", *words)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert words[1] in refused.stderr


def test_the_page_has_a_folded_table_for_each_label_metric(call, kept):
    call(kept.folder, "report", "runs/kept", "--html", "labels.html")
    page = (kept.folder / "labels.html").read_text()
    assert page.count("<summary>F1 of each label of ") == 3
    assert "<summary>AUC of each label of toy</summary>" in page


def test_precision_at_any_number_of_labels_is_computed_too(call, kept):
    words = ("runs/kept", "--format", "csv", "--metric", "precision_at_2", "--metric", "one_error")
    assert "not scored" in call(kept.folder, "report", *words).stdout
    scored = means(call(kept.folder, "rescore", *words))
    at_two = float(scored["toy", "BR", "precision_at_2"])
    assert at_two <= 1 - float(scored["toy", "BR", "one_error"])


def test_rows_are_left_as_they_are(call, kept):
    before = {path: path.read_bytes() for path in kept.folder.rglob("runs/**/*") if path.is_file()}
    call(kept.folder, "rescore", "runs/kept", "--convention", "sklearn")
    after = {path: path.read_bytes() for path in kept.folder.rglob("runs/**/*") if path.is_file()}
    assert after == before


def test_cells_without_predictions_are_named_with_the_way_out(call, kept):
    (first, row), (_, other), *_ = rows(kept).items()
    rewrite(first, {**row, "predictions": None})
    torn = kept.folder / f"runs/kept/predictions/{other['key']}.npz"
    torn.write_bytes(b"torn")
    finished = call(kept.folder, "rescore", "runs/kept")
    assert finished.exit_code == 1
    name = f"{row['dataset']}/{row['method']}/{row['split']}"
    assert f"1 cell not scored ({name}): no predictions were kept" in finished.stderr
    assert "set `keep_predictions: true` and run it again" in finished.stderr
    assert f"remove runs/kept/predictions/{other['key']}.npz and run the" in finished.stderr
    assert "2 missing" in finished.stdout + finished.stderr
    torn.unlink()
    gone = call(kept.folder, "rescore", "runs/kept")
    assert "its predictions are gone; run the experiment again" in gone.stderr
    told = call(kept.folder, "status", "runs/kept").stdout
    names = [f"{each['dataset']}/{each['method']}/{each['split']}" for each in (row, other)]
    assert any(f"missing for 2 cells, first {each}" in told for each in names)
    assert "2 cells to run" in call(kept.folder, "plan", "kept.yaml").stdout
    assert kept.mlbench("run", "kept.yaml", "--quiet").returncode == 0
    assert "warning" not in call(kept.folder, "rescore", "runs/kept").stderr


def test_a_folder_without_any_predictions_prints_no_table(call, kept):
    for path, row in rows(kept).items():
        rewrite(path, {**row, "predictions": None})
    finished = call(kept.folder, "rescore", "runs/kept")
    assert (finished.exit_code, finished.stdout) == (1, "")
    assert "12 cells not scored" in finished.stderr


def test_a_folder_without_results_says_so(call, kept):
    for path in rows(kept):
        path.unlink()
    finished = call(kept.folder, "rescore", "runs/kept")
    assert (finished.exit_code, finished.stdout) == (1, "")
    assert "no cell has a result; see mlbench status runs/kept" in finished.stderr


def test_data_that_changed_are_refused(call, kept):
    text = (kept.folder / "mine.csv").read_text()
    kept.write("mine.csv", text.replace("7,0,b", "7,1,b"))
    finished = call(kept.folder, "rescore", "runs/kept")
    assert (finished.exit_code, finished.stdout) == (2, "")
    assert "own: not the data that the predictions were made on" in finished.stderr


def test_relative_paths_start_where_the_experiment_stood(call, kept, make_lab):
    kept.write("elsewhere/none.txt", "")
    inside = ["rescore", "../runs/kept", "--format", "csv"]
    there = make_lab(kept.folder / "elsewhere")
    lost = call(there.folder, *inside)
    assert lost.exit_code == 2
    assert "mine.csv" in lost.stderr
    assert "--relative-to gives the folder of the experiment file" in lost.stderr
    assert call(there.folder, *inside, "--relative-to", "..").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs/nothing"], "not a results folder"),
        (["runs/kept", "--convention", "mulam"], "did you mean 'mulan'?"),
        (["runs/kept", "--metric", "macrof1"], "did you mean 'macro_f1'?"),
        (
            ["runs/kept", "--metric", "hamming_loss", "--convention", "mulan"],
            "none of hamming_loss can be read under the convention 'mulan'",
        ),
    ],
)
def test_wrong_input(call, finished_run, words, message):
    finished = call(finished_run.folder, "rescore", *words)
    assert (finished.exit_code, finished.stdout) == (2, "")
    assert message in finished.stderr


def test_help_teaches(call, tmp_path):
    helped = call(tmp_path, "rescore", "--help")
    assert "mlbench rescore runs/mine --convention mulan" in helped.stdout


OWN = """
import mlbench
@mlbench.metric(greater_is_better=False, range=(0, 1), needs="labels")
def error(Y, scores, labels):
    return (Y != labels).mean(axis=0)
@mlbench.metric(greater_is_better=True, range=(0, 1), needs="labels")
def share(Y, scores, labels):
    return labels.mean(axis=0)
"""


@pytest.fixture(scope="module")
def with_own_metric(tmp_path_factory, make_lab):
    lab = make_lab(tmp_path_factory.mktemp("own"))
    lab.write("my.py", OWN)
    dataset = "  - {use: nam-toy, as: toy, tasks: 4, samples: 80, dimensions: 4}\n"
    head, rest = EXPERIMENT.split("datasets:\n")
    rest = rest[rest.index("protocol") :]
    metrics = "metrics: [hamming_loss, my.py:error]\n"
    lab.write("kept.yaml", f"{head}datasets:\n{dataset}{rest}{metrics}")
    assert lab.mlbench("run", "kept.yaml", "--quiet").returncode == 0
    return lab


def values_of(finished, metric):
    assert finished.returncode == 0, finished.stderr
    lines = means(finished).items()
    return [float(mean) for (_, _, name), mean in lines if name == metric]


def test_a_metric_of_ones_own_is_computed_anew(with_own_metric):
    lab, words = with_own_metric, ("rescore", "runs/kept", "--format", "csv")
    before = lab.mlbench(*words, "--allow-import")
    assert "warning" not in before.stderr
    errors = values_of(before, "hamming_loss")
    assert values_of(before, "my.py:error") == pytest.approx(errors)
    lab.write("my.py", OWN.replace("!=", "=="))
    after = lab.mlbench(*words, "--allow-import")
    assert values_of(after, "my.py:error") == pytest.approx([1 - error for error in errors])
    assert "the rows have other values (my.py:error by" in after.stderr
    lab.write("my.py", OWN)


def test_a_metric_that_the_run_did_not_have_is_computed_too(with_own_metric):
    words = ("rescore", "runs/kept", "--format", "csv", "--metric", "./my.py:share")
    shown = with_own_metric.mlbench(*words, "--allow-import")
    assert all(0 < value < 1 for value in values_of(shown, "my.py:share"))


def test_why_a_metric_keeps_its_old_value_is_told(with_own_metric):
    lab, words = with_own_metric, ("rescore", "runs/kept", "--format", "csv")
    (lab.folder / "my.py").rename(lab.folder / "gone.py")
    shown = lab.mlbench(*words, "--allow-import")
    (lab.folder / "gone.py").rename(lab.folder / "my.py")
    assert (
        "warning: my.py:error keeps the values of the run: my.py:error: there is no" in shown.stderr
    )
    assert values_of(shown, "my.py:error") == values_of(lab.mlbench(*words), "my.py:error")


def test_code_is_not_imported_unasked(with_own_metric, call, monkeypatch):
    lab = with_own_metric
    lab.write("my.py", "raise SystemExit('ran')")
    monkeypatch.delenv(VARIABLE)
    imports_allowed.cache_clear()
    try:
        shown = call(lab.folder, "rescore", "runs/kept", "--format", "csv")
    finally:
        monkeypatch.undo()
        imports_allowed.cache_clear()
        lab.write("my.py", OWN)
    assert shown.exit_code == 0
    assert "my.py:error keeps the values of the run: 'my.py:error' would run code" in shown.stderr


LARGE_TEST_PARTS = """
name: large
datasets:
  - {use: nam-toy, as: toy, tasks: 4, samples: 100, dimensions: 4}
protocol: {splits: {train: 0.2, repeats: 4}}
methods:
  weak: {use: br, base: logistic, C: 0.001}
  BR: {use: br, base: logistic}
metrics: [hamming_loss, precision_at_2]
tests: [{method: BR, test: jackknife_t}]
keep_predictions: true
"""


@pytest.mark.slow
def test_the_jackknife_t_test_is_made_here(call, tmp_path):
    (tmp_path / "large.yaml").write_text(LARGE_TEST_PARTS)
    run = call(tmp_path, "run", "large.yaml")
    assert run.exit_code == 0, run.stderr
    said = " ".join(run.stdout.split())
    assert "No jackknife t-test on toy: `mlbench rescore` makes it, from the predictions" in said
    scored = call(tmp_path, "rescore", "runs/large")
    said = " ".join(scored.stdout.split())
    assert "than BR (jackknife t-test" in said or "better / worse (jackknife t-test" in said
    assert "or, where there is one, the jackknife t-test" in said
    assert "No jackknife t-test" not in said
